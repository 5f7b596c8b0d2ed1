#include "command.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace torchlight::test {

std::string kernel_file(const std::string& name) { return std::string(KERNELS "/") + name; }

std::string error_at(const std::string& file, const std::string& mark) {
  std::ifstream lines(kernel_file(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with("@" + mark)) return "/" + file + ":" + std::to_string(number) + ": error: ";
  }
  FAIL("no line of " << file << " is marked @" << mark);
  return {};
}

Result twin(std::vector<std::string> arguments, const Environment& environment) {
  arguments.insert(arguments.begin(), "twin");
  Environment all = {{"TORCHLIGHT_TWIN_CACHE", TWIN_CACHE}};
  all.insert(all.end(), environment.begin(), environment.end());
  return run(Launch{std::move(arguments), all});
}

Json verdict(std::vector<std::string> arguments, int status) {
  arguments.push_back("--json");
  const Result result = twin(arguments);
  CAPTURE(result.error);
  CHECK(result.status == status);
  const Json json = Json::parse(result.out, nullptr, false);
  REQUIRE(!json.is_discarded());
  CHECK(json["passed"] == (status == 0));
  return json;
}

bool has(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != text.npos;
  if (!found) MESSAGE("there is no \"" << part << "\" in\n" << text);
  return found;
}

std::string fresh_folder(const std::string& name) {
  static const struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("torchlight_twin_test_" + std::to_string(::getpid()));
    ~Folder() { std::filesystem::remove_all(path); }
  } all;
  std::filesystem::create_directories(all.path / name);
  return all.path / name;
}

}  // namespace torchlight::test
