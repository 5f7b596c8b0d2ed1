#pragma once

#include <torchlight/plugin.h>

#include <memory>
#include <string>
#include <vector>

#include "options.h"

/// Kernel drop-ins of a device: see README.md.
namespace torchlight::drop_ins {

class Service;

/// How closely files are looked at for a listing: as they are known by now, or all of them tried.
enum class Look { quick, thorough };

/// What became of a file, for people and programs.
struct Listed {
  enum class State { used, partly, unused, rejected, untried };
  struct Route {
    std::string primitive;
    bool used = false;    ///< calls go there
    std::string details;  ///< form and limits; why not
  };
  std::string path;
  std::string family;
  State state = State::rejected;
  std::string reason;  ///< rejected: why; untried: when it will be
  std::vector<Route> routes;
};

struct Listing {
  bool off = false;                   ///< TORCHLIGHT_DROP_INS=off
  std::string note;                   ///< what people should know of all of them, if there are any
  std::vector<std::string> problems;  ///< of the list of directories
  std::vector<Listed> files;

  bool is_empty() const { return !off && problems.empty() && files.empty(); }
  bool is_complete() const;  ///< no file is untried
};

/// As lines for people, and as JSON.
std::string text_of(const Listing& listing);
std::string json_of(const Listing& listing);

/// Any thread. Finding files runs nothing; a file is probed when the first call comes that it might do.
/// Calls never throw. In a forked child every answer is no.
class DropIns {
 public:
  explicit DropIns(Options options);
  ~DropIns();
  DropIns(const DropIns&) = delete;
  DropIns& operator=(const DropIns&) = delete;

  /// Whether a drop-in does this call; where one exists and doesn't, `why_not` says why. Args is any of
  /// tl_map_args … tl_layernorm_bw_args, sound by the plug-in's own check; memory isn't looked at.
  template <class Args> bool takes(const Args& args, std::string* why_not = nullptr) noexcept;
  /// Does it, in memory that the host sees. TL_OK, or TL_E_INTERNAL or TL_E_MEMORY with the file and
  /// what happened; the outputs are then as they were. REQUIRES: takes(args).
  template <class Args> int32_t run(const Args& args, std::string& error) noexcept;
  /// Whether a drop-in did calls like this one until it failed twice in a row; `why` tells of it. Such
  /// a call is taken by another drop-in, if any: whoever wants none to stand in asks this first.
  template <class Args> bool gave_up(const Args& args, std::string& why) noexcept;

  /// What was found and can't be used, and what is wrong with the list of directories, each with its
  /// path. Runs nothing, so that a file may be refused later, too.
  std::vector<std::string> refused() const;

  /// Quick, it runs nothing; thorough, it probes whatever wasn't yet. Throws std::bad_alloc alone.
  Listing list(Look look = Look::thorough);

 private:
  template <class Args> Service* find(const Args& args, std::string* why_not);

  const Options options_;
  std::vector<std::string> problems_;
  std::vector<std::unique_ptr<Service>> services_;
};

}  // namespace torchlight::drop_ins
