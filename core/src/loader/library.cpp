#include "loader/library.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "loader/rejection.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

/// The dynamic loader's own words, out of those that Boost.DLL puts around them.
std::string loader_words(std::string_view message) {
  constexpr std::string_view before = "dlerror system message: ";
  const std::size_t begin = message.find(before);
  if (begin == message.npos) return std::string(message);
  message.remove_prefix(begin + before.size());
  return std::string(message.substr(0, message.rfind("): ")));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What a library needs; nothing if there is none.
std::vector<std::string> needs_of(const std::string& path) {
  try {
    const File file(path);
    return read_dependencies(ElfFile(file)).needed;
  } catch (const Rejection&) {
    return {};
  }
}

/// Which of a plug-in's libraries, in the directories that the plug-in names itself, needs this one.
std::string find_user(const std::string& missing, const std::string& file,
                      const Dependencies& dependencies) {
  const std::string origin = std::filesystem::path(file).parent_path().string();
  for (std::string directory : dependencies.runpath) {
    if (directory.rfind("$ORIGIN", 0) == 0) directory.replace(0, std::strlen("$ORIGIN"), origin);
    for (const std::string& library : dependencies.needed)
      if (contains(needs_of(directory + "/" + library), missing)) return library + ", which it needs,";
  }
  return "one of the libraries it needs";
}

/// "libdep.so: cannot open shared object file: …" doesn't say who wants libdep.so: this does.
std::string explain(const std::string& words, const std::string& file,
                    const Dependencies& dependencies) {
  const std::size_t end = words.find(": cannot open shared object file");
  const std::string missing = words.substr(0, std::min(end, words.size()));
  if (end == words.npos || missing == file) return words;
  const bool direct = contains(dependencies.needed, missing);
  return text(direct ? "" : find_user(missing, file, dependencies) + " ", "needs ", missing,
              ", which can't be found: ", words.substr(end + 2));
}

void refuse_this_program(const std::string& file) {
  // Boost.DLL gives the running program for its path.
  std::error_code error;
  if (std::filesystem::equivalent(file, "/proc/self/exe", error))
    throw unfit("it is the running program itself");
}

}  // namespace

Library::Library(const std::string& file, const Dependencies& dependencies) {
  // A bare name would mean the current directory to Boost.DLL, and a search to the dynamic loader.
  if (file.empty() || file[0] != '/') throw broken("a relative path: write it from / on");
  refuse_this_program(file);
  using boost::dll::load_mode::type;
  constexpr type mode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
  try {
    // The overload that throws: the other one says "Bad file descriptor" whatever the cause.
    library_ = std::make_unique<boost::dll::shared_library>(boost::dll::fs::path(file), mode);
  } catch (const boost::dll::fs::system_error& error) {
    throw broken(explain(loader_words(error.what()), file, dependencies));
  }
}

Library::Library(Library&&) noexcept = default;
Library& Library::operator=(Library&&) noexcept = default;
Library::~Library() = default;

Library::Entry Library::entry() const {
  if (library_->has(TL_ENTRY_NAME))
    return &library_->get<std::int32_t(const tl_host*, const tl_backend**, tl_error*) noexcept>(
        TL_ENTRY_NAME);
  for (int major = 1; major < 100; ++major)
    if (library_->has(text("torchlight_plugin_v", major)))
      throw other_abi("exports the entry of", static_cast<std::uint32_t>(major));
  throw broken(text("doesn't export ", TL_ENTRY_NAME,
                    ": declare it as plugin.h does (in C++ extern \"C\"), and keep it visible"));
}

}  // namespace torchlight::loader
