#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  tl::Tensor a = tl::tensor({{1, 2, 3}, {4, 5, 6}}, {.dtype = tl::float32, .device = "cpu"});
  tl::Tensor b = tl::arange(3).to(tl::float32);

  std::cout << (a + b).str() << "\n";          // b is broadcast over the rows
  std::cout << a.matmul(a.t()).str() << "\n";  // t() is a view, nothing is copied
  std::cout << a.sum(0).str() << " " << a.mean(-1).str() << "\n";

  tl::Tensor row = a[1];  // a view, too:
  row.mul_(10);           // changed in place, a sees it
  std::cout << a.str() << "\n";
}
