#include "loader/discovery.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

using State = Candidate::State;

/// The paths of a directory's entries by byte order. `problem` says why there are none, or not all.
std::vector<std::string> entries_of(const std::string& directory, std::string& problem) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    paths.push_back(entry->path().string());
  if (error) problem = text("cannot be read: ", error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Search {
 public:
  explicit Search(const Rules& rules) : rules_(rules) {}

  void visit(const Place& place) {
    result_.places.push_back({place, {}});
    std::string& problem = result_.places.back().problem;
    struct stat status {};
    if (place.path[0] != '/') {
      problem = "a relative path: write it from / on";
    } else if (::stat(place.path.c_str(), &status) != 0) {
      problem = std::strerror(errno);
    } else if (S_ISDIR(status.st_mode)) {
      visit_directory(place, {status.st_dev, status.st_ino}, problem);
    } else {
      add(inspect(place.path, place.origin, true, rules_));
    }
    // Shipped directories need not exist; what somebody named should.
    if (!problem.empty() && !is_shipped(place.origin))
      log::warn(text(describe(place.origin), ": ", place.path, ": ", problem));
  }

  Discovery finish() {
    settle_names(result_.files);
    return std::move(result_);
  }

 private:
  struct Visited {
    std::pair<dev_t, ino_t> id;
    std::size_t begin, end;  // its files in the result
  };

  void visit_directory(const Place& place, std::pair<dev_t, ino_t> id, std::string& problem) {
    for (const Visited& earlier : visited_) {
      if (earlier.id != id) continue;
      for (std::size_t i = earlier.begin; i < earlier.end; ++i)
        claim_shipped(result_.files[i], place.origin);
      return;
    }
    const std::size_t begin = result_.files.size();
    for (const std::string& path : entries_of(place.path, problem))
      add(inspect(path, place.origin, false, rules_));
    visited_.push_back({id, begin, result_.files.size()});
  }

  void add(Found found) {
    const auto same =
        std::find_if(result_.files.begin(), result_.files.end(), [&](const Found& earlier) {
          return found.usable() && earlier.usable() && found.is_same_file(earlier);
        });
    if (same != result_.files.end()) {
      claim_shipped(*same, found.origin);
      found.candidate.state = State::duplicate;
      found.candidate.reason = text("the same file as ", same->candidate.path);
    }
    if (found.candidate.state == State::rejected) report(found.candidate, found.origin);
    result_.files.push_back(std::move(found));
  }

  /// A shipped file stays one when it is reached by another path first.
  static void claim_shipped(Found& found, Origin origin) {
    if (is_shipped(origin)) found.origin = origin;
  }

  static void report(const Candidate& candidate, Origin origin) {
    const std::string line = text(candidate.path, ": ", candidate.reason);
    is_shipped(origin) ? log::info(line) : log::warn(line);
  }

  const Rules& rules_;
  Discovery result_;
  std::vector<Visited> visited_;
};

void reject(Found& found, State state, const std::string& reason) {
  found.candidate.state = state;
  found.candidate.reason = reason;
  log::warn(text(found.candidate.path, ": ", reason));
}

/// The file that is device `cpu`, or null.
const Found* find_cpu(const std::vector<Found>& files) {
  const Found* cpu = nullptr;
  for (const Found& found : files) {
    if (!found.usable() || found.identity.name != "cpu_simd") continue;
    if (!cpu || (is_shipped(found.origin) && !is_shipped(cpu->origin))) cpu = &found;
  }
  return cpu;
}

}  // namespace

std::string public_name(const std::string& name) { return name == "cpu_simd" ? "cpu" : name; }

void settle_names(std::vector<Found>& files) {
  const Found* cpu = find_cpu(files);
  for (Found& found : files) {
    if (!found.usable() || &found == cpu) continue;
    const std::string& name = found.identity.name;
    const auto first = std::find_if(files.begin(), files.end(), [&](const Found& other) {
      return other.usable() && other.identity.name == name;
    });
    if (name == "cpu")
      reject(found, State::rejected, "the name cpu is reserved for the shipped cpu_simd");
    else if (name == "cpu_simd" && is_shipped(cpu->origin) && !is_shipped(found.origin))
      reject(found, State::rejected,
             text("the name cpu_simd is reserved for the shipped plug-in, ", cpu->candidate.path));
    else if (name == "cpu_simd" || &*first != &found)
      reject(found, State::duplicate,
             text("the name ", name, " belongs to ",
                  name == "cpu_simd" ? cpu->candidate.path : first->candidate.path,
                  ", which comes first"));
  }
}

Discovery discover(const std::vector<Place>& places, const Rules& rules) {
  Search search(rules);
  for (const Place& place : places) search.visit(place);
  return search.finish();
}

}  // namespace torchlight::loader
