#include "projects/vary.h"

#include <torchlight/ops.h>
#include <torchlight/random.h>

#include "projects/digits.h"

namespace command {
namespace {

constexpr double middle = (side - 1) / 2.0;
constexpr double most_change = 0.1;  // of an entry of the linear map, which is near the identity
constexpr double most_move = 0.3;    // in pixels

tl::Tensor line(const tl::Tensor& like) {
  return tl::arange(side, {.dtype = like.dtype(), .device = like.device()});
}

// Linear interpolation: how much each pixel of a line counts at the places `at`, (n, side²) → (n, side², side).
tl::Tensor weights(const tl::Tensor& at) { return (1 - (at.unsqueeze(2) - line(at)).abs()).relu(); }

}  // namespace

tl::Tensor vary(const tl::Tensor& images) {
  // Six numbers for each image, all drawn at once: the order of draws in an expression is up to the compiler.
  const tl::Tensor chance = tl::uniform({6, images.size(0), 1}, -1, 1, {.device = images.device()});
  const tl::Tensor centered = line(images) - middle;
  const tl::Tensor y = centered.unsqueeze(1).expand({side, side}).reshape({1, side * side});
  const tl::Tensor x = centered.expand({side, side}).reshape({1, side * side});

  // Where each pixel of the result, (1, side²), looks in its image: (n, side²).
  const tl::Tensor rows =
      middle + y + (chance[0] * y + chance[1] * x) * most_change + chance[2] * most_move;
  const tl::Tensor columns =
      middle + x + (chance[3] * x + chance[4] * y) * most_change + chance[5] * most_move;
  return (weights(rows).matmul(images.squeeze(1)) * weights(columns)).sum(2).reshape(images.shape());
}

}  // namespace command
