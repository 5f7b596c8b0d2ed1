#include "projects/vary.h"

#include <torchlight/ops.h>
#include <torchlight/random.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;

namespace {

tl::Tensor varied(const tl::Tensor& images, std::uint64_t seed) {
  tl::manual_seed(seed);
  return command::vary(images);
}

// A blot of 2 × 2 pixels around the middle of each of `count` images.
tl::Tensor blots(std::int64_t count) {
  tl::Tensor images = tl::zeros({count, 1, 8, 8});
  images.slice(2, 3, 5).slice(3, 3, 5).fill_(1);
  return images;
}

}  // namespace

TEST_CASE("vary: the seed fixes how images change, and each changes in its own way") {
  const tl::Tensor images = blots(100), first = varied(images, 1);
  CHECK(first.shape() == images.shape());
  CHECK((first == varied(images, 1)).all().item<bool>());
  CHECK((first != varied(images, 2)).any().item<bool>());
  CHECK((first != images).flatten(1).any(1).all().item<bool>());
  CHECK((first.slice(0, 1) != first.slice(0, 0, 99)).flatten(1).any(1).all().item<bool>());
}

TEST_CASE("vary: an image changes only a little") {
  const tl::Tensor blot = varied(blots(1000), 3).squeeze(1);
  // The middle of the blot stays within half a pixel of where it was, and goes to every side of it.
  for (const std::int64_t direction : {1, 2}) {
    const tl::Tensor profile = blot.sum(3 - direction), places = tl::arange(8, {.dtype = tl::float32});
    const tl::Tensor off = (profile * places).sum(1) / profile.sum(1) - 3.5;
    CHECK(off.abs().max().item<double>() < 0.5);
    CHECK(off.min().item<double>() < -0.2);
    CHECK(off.max().item<double>() > 0.2);
  }
  // It's interpolated: neither darker than before, nor much larger or smaller.
  CHECK(blot.max().item<double>() <= 1.0001);
  CHECK(blot.min().item<double>() >= 0);
  const tl::Tensor ink = blot.sum({1, 2});
  CHECK(ink.min().item<double>() > 2);
  CHECK(ink.max().item<double>() < 6);
}

TEST_CASE("vary: inside, an even image stays even, and nothing comes in from outside") {
  const tl::Tensor even = varied(tl::ones({1000, 1, 8, 8}), 4);
  CHECK(tl::allclose(even.slice(2, 2, 6).slice(3, 2, 6), tl::ones({1000, 1, 4, 4})));
  CHECK(even.max().item<double>() <= 1.0001);
  CHECK(even.select(2, 0).min().item<double>() < 0.5);
}
