#include <torchlight/nn/flatten.h>

#include "support/text.h"

namespace torchlight::nn {

Tensor Flatten::forward(const Tensor& x) { return x.flatten(start_dim_, end_dim_); }
std::string Flatten::extra_repr() const {
  return text("start_dim=", start_dim_, ", end_dim=", end_dim_);
}

}  // namespace torchlight::nn
