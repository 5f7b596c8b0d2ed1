#include "zoo.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace test {
namespace fs = std::filesystem;

Zoo::Zoo() {
  std::string pattern = (fs::temp_directory_path() / "torchlight-zoo-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
  root_ = fs::canonical(pattern).string();
  fs::permissions(root_, fs::perms(0755));
  make_directory("plugins");
  for (const char* program : {"probe", "early_probe"})
    fs::copy(std::string(ZOO_DIRECTORY "/") + program, path(program));
}

Zoo::~Zoo() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Zoo::put(const std::string& name, const std::string& where) {
  const fs::path target = path(where.empty() ? "plugins/" + name + ".so" : where);
  fs::create_directories(target.parent_path());
  fs::copy_file(std::string(ZOO_DIRECTORY "/") + name + ".so", target,
                fs::copy_options::overwrite_existing);
  fs::permissions(target, fs::perms(0644));
}

void Zoo::write(const std::string& where, const std::string& bytes) {
  fs::create_directories(fs::path(path(where)).parent_path());
  std::ofstream(path(where), std::ios::binary) << bytes;
  fs::permissions(path(where), fs::perms(0644));
}

void Zoo::make_directory(const std::string& where) {
  fs::create_directories(path(where));
  fs::permissions(path(where), fs::perms(0755));
}

void Zoo::run(const std::string& shell_command) {
  const Outcome outcome = run_child({"/bin/sh", "-c", "cd '" + root_ + "' && " + shell_command}, {});
  INFO(shell_command, outcome.log);
  REQUIRE(outcome.ended_well());
}

Outcome Zoo::probe(const std::vector<std::string>& arguments, Environment environment) const {
  std::vector<std::string> command{path("probe")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  environment.emplace("TORCHLIGHT_PLUGIN_PATH", path("plugins"));
  Outcome outcome = run_child(command, environment);
  INFO(outcome.output, outcome.log);
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.signal == 0);
  CHECK(outcome.exit_code == 0);
  return outcome;
}

std::string zoo_bytes(const std::string& name) {
  std::ifstream file(std::string(ZOO_DIRECTORY "/") + name + ".so", std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string with_note(std::string bytes, const std::function<void(tl_note&)>& change) {
  const std::size_t at = bytes.find(TL_NOTE_MAGIC);
  REQUIRE(at != std::string::npos);
  tl_note note;
  std::memcpy(&note, bytes.data() + at, sizeof note);
  change(note);
  std::memcpy(bytes.data() + at, &note, sizeof note);
  return bytes;
}

}  // namespace test
