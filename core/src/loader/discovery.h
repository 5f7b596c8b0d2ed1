#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <torchlight/device.h>

#include "loader/dependencies.h"
#include "loader/note.h"
#include "loader/search_places.h"
#include "loader/trust.h"

/// Finding plug-in files. Looks at files from outside: the dynamic loader sees none of them.
namespace torchlight::loader {

/// The name by which devices of a plug-in are asked for: its own, but `cpu` for the shipped cpu_simd.
std::string public_name(const std::string& name);

/// What decides whether a file is accepted.
struct Rules {
  Owners owners;
  bool trust_all = false;
  std::uint64_t cpu_features = 0;
};

/// This process's, from the environment as it was at first use; found out once.
const Rules& rules();

/// One file that discovery met.
struct Found {
  Candidate candidate;
  Origin origin = Origin::api;
  std::string file;  ///< absolute, without links
  dev_t device = 0;
  ino_t inode = 0;
  Identity identity;
  Dependencies dependencies;

  bool usable() const { return candidate.state == Candidate::State::found; }
  bool is_same_file(const Found& other) const { return device == other.device && inode == other.inode; }
};

struct SearchedPlace {
  Place place;
  std::string problem;  ///< why nothing was found there; empty if it could be read
};

struct Discovery {
  std::vector<SearchedPlace> places;
  std::vector<Found> files;
};

/// Everything at these places: by place, then by byte order of the file name. Never throws on account of
/// what lies there: each thing that isn't usable has its reason.
Discovery discover(const std::vector<Place>& places, const Rules& rules);

/// One file. `named` says that somebody asked for this very file, so that "not a plug-in" is a complaint.
Found inspect(const std::string& path, Origin origin, bool named, const Rules& rules);

/// Decides which file has a name: the first in order. But `cpu_simd` belongs to a shipped file if there is
/// one, and `cpu`, by which that is reached, to none.
void settle_names(std::vector<Found>& files);

}  // namespace torchlight::loader
