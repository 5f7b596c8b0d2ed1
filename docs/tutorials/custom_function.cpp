#include <iostream>
#include <vector>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

// x * x * x with a derivative of our own.
tl::Tensor cube(const tl::Tensor& x) {
  return tl::custom_function(
      "cube", {x},
      [](tl::FunctionContext& context, const std::vector<tl::Tensor>& inputs) {
        context.save({inputs[0]});
        return inputs[0].pow(3);
      },
      [](tl::FunctionContext& context, const tl::Tensor& gradient) {
        const tl::Tensor& saved = context.saved()[0];
        return std::vector<tl::Tensor>{gradient * saved * saved * 3};
      });
}

int main() {
  tl::Tensor x = tl::tensor({1.0, 2.0}, {.requires_grad = true});
  cube(x).sum().backward();
  std::cout << x.grad().str() << "\n";

  // gradcheck compares with finite differences; it throws where they differ.
  tl::Tensor point = tl::tensor({0.3, -1.2}, {.dtype = tl::float64, .requires_grad = true});
  tl::gradcheck([](const std::vector<tl::Tensor>& inputs) { return cube(inputs[0]); }, {point});
  std::cout << "gradcheck passed\n";
}
