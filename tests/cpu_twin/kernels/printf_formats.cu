// What kernels print is what the host's printf prints: widths and precisions of every conversion, and long results.
#include <unistd.h>

#include "check.cuh"

#include <string>

#define LINES                                                                                         \
  printf("[%8s] [%-8s] [%.3s] [%*s] [%-*.*s]\n", "abcd", "abcd", "abcd", 6, "xy", 7, 2, "pqrs");      \
  printf("[%8d] [%-8d] [%08d] [%+d] [%.5d] [%x] [%#X] [%o] [%5c]\n", 42, 42, 42, 42, 42, 255, 255, 8, \
         'c');                                                                                        \
  printf("[%lld] [%llu] [%lx]\n", -(1ll << 40), 1ull << 63, 0xabcdef012345ul);                        \
  printf("[%10.3f] [%-12.2e] [%g] [%600.1f] [%.520d]\n", 3.14159, 12345.678, 1e-5, 2.5, 7)

__global__ void talk() { LINES; }

/// What `body` writes to standard output.
template <class Body> static std::string written(Body body) {
  FILE* file = tmpfile();
  fflush(stdout);
  const int kept = dup(1);
  dup2(fileno(file), 1);
  body();
  fflush(stdout);
  dup2(kept, 1);
  close(kept);
  std::string text;
  rewind(file);
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) text += (char)c;
  fclose(file);
  return text;
}

int main() {
  const std::string wanted = written([] { LINES; });
  const std::string got = written([] {
    talk<<<1, 1>>>();
    CHECK_CUDA(cudaDeviceSynchronize());
  });
  if (got != wanted) printf("%s\nisn't\n%s\n", got.c_str(), wanted.c_str());
  return verdict((got != wanted) + (wanted.size() < 1200));
}
