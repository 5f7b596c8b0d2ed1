#include <torchlight/nn/sequential.h>

#include "support/text.h"

namespace torchlight::nn {

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  for (const NamedModule& child : children()) y = child.module->forward(y);
  return y;
}

Module& Sequential::operator[](std::size_t i) const {
  if (i >= size()) throw Error(text("Sequential: there is no module ", i, " among ", size()));
  return *children()[i].module;
}

}  // namespace torchlight::nn
