#pragma once

#include <torchlight/plugin.h>

#include <functional>
#include <string>
#include <vector>

#include "child.h"

namespace test {

/// Parts of the output must be lines of it in this sense: DOCTEST shows all of it when one is missing.
#define CHECK_SAYS(outcome, part)          \
  do {                                     \
    INFO((outcome).output, (outcome).log); \
    CHECK((outcome).says(part));           \
  } while (false)

/// A fresh directory with a copy of the program `probe`, so that no plug-in lies beside its core but those
/// that a test puts there. Plug-ins are put into `plugins`, which TORCHLIGHT_PLUGIN_PATH names.
class Zoo {
 public:
  Zoo();
  Zoo(const Zoo&) = delete;
  Zoo& operator=(const Zoo&) = delete;
  ~Zoo();

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string plugin(const std::string& name) const { return root_ + "/plugins/" + name; }
  /// Copies a file of the zoo, without ".so" in its name, to a path below the root: "plugins/good.so".
  void put(const std::string& name, const std::string& where = {});
  void write(const std::string& where, const std::string& bytes);
  void make_directory(const std::string& where);
  void run(const std::string& shell_command);

  /// Runs the probe, which must end well.
  Outcome probe(const std::vector<std::string>& arguments, Environment environment = {}) const;

 private:
  std::string root_;
};

/// The bytes of a file of the zoo.
std::string zoo_bytes(const std::string& name);
/// The bytes of a plug-in with a changed note.
std::string with_note(std::string bytes, const std::function<void(tl_note&)>& change);

}  // namespace test
