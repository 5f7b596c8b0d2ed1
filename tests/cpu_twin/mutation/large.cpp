// Operations so large that each block of a kernel does its work more than once: what is free again only then is
// tried by no small one. The device is TORCHLIGHT_DEVICE; the argument names an operation.
#include <torchlight/torchlight.h>

#include <cstdio>
#include <cstring>
#include <functional>

namespace tl = torchlight;

namespace {

struct Operation {
  const char* name;
  std::function<tl::Tensor()> run;
};

const Operation operations[] = {
    {"rows",
     [] {
       return tl::ones({80, 1100}).sum({1});
     }},
    {"columns",
     [] {
       return tl::ones({16, 2100}).sum({0});
     }},
    {"transpose",
     [] {
       return tl::ones({300, 300}).transpose().contiguous();
     }},
    {"layernorm",
     [] {
       tl::Tensor x = tl::ones({4, 2200}), gamma = tl::ones({2200}), beta = tl::ones({2200});
       x.requires_grad_(), gamma.requires_grad_(), beta.requires_grad_();
       tl::layer_norm(x, {2200}, gamma, beta).sum().backward();
       return gamma.grad();
     }},
    {"scatter",
     [] {
       const tl::Tensor index = tl::zeros({600}, {.dtype = tl::int64});
       return tl::ones({50}).scatter_add(0, index, tl::ones({600}));
     }},
};

}  // namespace

int main(int count, char** words) {
  try {
    for (const Operation& operation : operations) {
      if (count != 2 || std::strcmp(words[1], operation.name) != 0) continue;
      operation.run();
      std::printf("%s: done, 0 failures\n", operation.name);
      return 0;
    }
  } catch (const std::exception& problem) {
    std::printf("%s\n", problem.what());
  }
  return 1;
}
