#pragma once

#include <torchlight/tensor.h>

namespace command {

namespace tl = torchlight;

/// Images (n, 1, side, side) as they could have been written, too: each is turned, stretched, slanted and
/// moved a little, by chance (default_generator()). What comes in from outside is 0.
tl::Tensor vary(const tl::Tensor& images);

}  // namespace command
