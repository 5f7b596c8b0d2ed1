// The single file: resolved, classified, read, and held against the rules.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "loader/cpu_features.h"
#include "loader/discovery.h"
#include "loader/rejection.h"
#include "support/environment.h"
#include "support/file_kind.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

std::string resolve(const std::string& path) {
  std::error_code error;
  std::filesystem::path resolved = std::filesystem::canonical(path, error);
  if (!error) return resolved.string();
  struct stat status {};
  const bool is_link = ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  switch (error.value()) {
    case ELOOP: throw broken("a loop of links");
    case ENOENT: throw broken(is_link ? "a dangling link" : "no such file");
    default: throw broken(text("cannot be read: ", error.message()));
  }
}

void require_regular(const struct stat& status) {
  const std::string_view kind = special_kind(status.st_mode);
  if (S_ISDIR(status.st_mode)) throw foreign(std::string(kind));
  if (!kind.empty()) throw broken(text(kind, ", not a regular file"));
}

void examine(Found& found, const Rules& rules) {
  found.file = resolve(found.candidate.path);
  struct stat status {};
  if (::stat(found.file.c_str(), &status) != 0)
    throw broken(text("cannot be read: ", std::strerror(errno)));
  require_regular(status);
  found.device = status.st_dev;
  found.inode = status.st_ino;

  const File file(found.file);
  const ElfFile elf(file);
  found.identity = read_note(elf);
  found.candidate.name = found.identity.name;
  found.candidate.version = found.identity.version;
  if (!rules.trust_all) {
    if (const auto reason = distrust(found.file, rules.owners)) throw unfit(*reason);
    if (const auto reason = distrust_links(found.candidate.path, rules.owners)) throw unfit(*reason);
  }
  check_identity(found.identity, rules.cpu_features);
  found.dependencies = read_dependencies(elf);
}

}  // namespace

const Rules& rules() {
  static const Rules& all = *[] {
    const std::string trust = environment::get("TORCHLIGHT_TRUST_ALL").value_or("0");
    if (trust != "0" && trust != "1")
      log::warn(text("TORCHLIGHT_TRUST_ALL is \"", trust, "\", neither 0 nor 1; taking 0"));
    return new Rules{trusted_owners(), trust == "1", cpu_features()};
  }();
  return all;
}

Found inspect(const std::string& path, Origin origin, bool named, const Rules& rules) {
  Found found;
  found.candidate.path = path;
  found.origin = origin;
  try {
    if (path.empty() || path[0] != '/') throw broken("a relative path: write it from / on");
    examine(found, rules);
  } catch (const Rejection& rejection) {
    const bool ignore = rejection.kind() == Rejection::Kind::foreign && !named;
    found.candidate.state = ignore ? Candidate::State::ignored : Candidate::State::rejected;
    found.candidate.reason = rejection.what();
  }
  return found;
}

}  // namespace torchlight::loader
