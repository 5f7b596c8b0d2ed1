// torchlight twin: another program, as what it is made of plays no part in the rest of this one.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands.h"

namespace command {

void twin(char** words) {
  const std::filesystem::path prefix =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const char* lib : {CONFORMANCE_LIBDIR, "lib"}) {
    const std::filesystem::path program = prefix / lib / "torchlight" / "twin";
    if (!std::filesystem::exists(program)) continue;
    ::execv(program.c_str(), words);
    throw std::runtime_error(program.string() + " can't be run: " + std::strerror(errno));
  }
  throw std::runtime_error("the twin isn't there: " + (prefix / "lib/torchlight/twin").string() +
                           "; install Torchlight anew");
}

}  // namespace command
