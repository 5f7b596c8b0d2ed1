#include "programs.h"

#include <cstdlib>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/process.h"

namespace fs = std::filesystem;

twin::Toolchain& toolchain() {
  static twin::Cache cache(TWIN_CACHE);
  static twin::Toolchain chain(twin::find_clang(cache), TWIN_HOME "/include", TWIN_HOME "/support",
                               cache);
  return chain;
}

std::string compile_program(const std::vector<std::string>& files,
                            const std::vector<std::string>& options) {
  std::vector<std::string> objects;
  for (const std::string& file : files) {
    const twin::Source source{file, options, true};
    objects.push_back(toolchain().host_object(source, toolchain().ptx(source)));
  }
  return toolchain().link(
      objects, false,
      {"-L" TWIN_LIBRARY, "-ltorchlight_twin", "-Wl,-rpath," TWIN_LIBRARY, "-lstdc++", "-lm"});
}

Output run(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  const std::string reports =
      (fs::temp_directory_path() / ("twin-reports-" + std::to_string(getpid()))).string();
  fs::remove(reports);
  std::vector<std::string> words = {"env", "TORCHLIGHT_TWIN_CACHE=" TWIN_CACHE, "TWIN_HOME=" TWIN_HOME,
                                    "TWIN_REPORTS=" + reports};
  words.insert(words.end(), environment.begin(), environment.end());
  words.insert(words.end(), command.begin(), command.end());
  const twin::Ran ran = twin::run_program(words, 120);
  Output output{ran.status, ran.output, {}};
  std::ifstream file(reports);
  for (std::string line; std::getline(file, line);) output.reports.push_back(line);
  fs::remove(reports);
  return output;
}

int seeds() {
  const char* set = std::getenv("TWIN_SEEDS");
  return set ? std::atoi(set) : 2;
}

std::vector<std::string> sources(const std::string& folder, const std::string& ending) {
  std::vector<std::string> found;
  for (const auto& file : fs::directory_iterator(std::string(TEST_SOURCES "/") + folder))
    if (file.path().string().ends_with(ending)) found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}
