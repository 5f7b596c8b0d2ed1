// First use of the library in a static initialiser, and last use in a destructor.
#include <torchlight/device.h>

#include <cstdio>
#include <string>

namespace {

struct Early {
  Early() { std::printf("early: %s\n", device.name().c_str()); }
  ~Early() { std::printf("late: %s\n", torchlight::Device("good").name().c_str()); }
  torchlight::Device device{"good"};
};

const Early early;

}  // namespace

int main() { std::printf("main: %s\n", torchlight::Device("good").name().c_str()); }
