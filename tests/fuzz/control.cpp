// The control of the fuzzers: a fault that one wrong byte reaches must be found.
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size > 2 && bytes[0] == 'b' && bytes[1] == 'a' && bytes[2] == 'd') std::abort();
  return 0;
}
