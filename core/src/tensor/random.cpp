#include <torchlight/ops.h>
#include <torchlight/random.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"
#include "tensor/impl.h"

namespace torchlight {
namespace {

/// Philox blocks that this many elements use: four 32-bit or two 64-bit numbers in each.
std::uint64_t blocks_of(std::int64_t count, Dtype dtype) {
  const std::int64_t in_block = dtype == float64 || dtype == int64 ? 2 : 4;
  return static_cast<std::uint64_t>((count + in_block - 1) / in_block);
}

Tensor draw(const char* operation, std::uint32_t distribution, const Shape& shape, Dtype natural,
            double a, double b, const Options& options, Generator* generator) {
  require_extents(operation, shape);
  const Dtype wanted = options.dtype.value_or(natural);
  if (distribution != TL_RANDOM_BERNOULLI && natural == float32 && !is_floating(wanted))
    throw Error(text(operation, ": the dtype must be one of real numbers, not ", name_of(wanted)));
  OpenDevice& device = options.device ? options.device->handle() : Device().handle();
  // Drawn in a dtype that the generator knows, then converted.
  Dtype drawn = natural == float32 ? (wanted == float64 ? float64 : float32) : natural;
  if (distribution == TL_RANDOM_BERNOULLI)
    drawn = wanted == float64 ? float64 : wanted == float32 ? float32 : boolean;
  Array array = empty(shape, drawn, device);
  Generator& source = generator ? *generator : default_generator();
  if (array.numel() > 0) {
    const tl_view view = array.view();
    tl_random_args args{{sizeof(tl_random_args), 0, nullptr},
                        distribution,
                        0,
                        &view,
                        source.seed,
                        source.offset,
                        {a, b}};
    dispatch::run(device, {dispatch::Primitive::random, operation, &args.head});
  }
  source.offset += blocks_of(array.numel(), drawn);
  Tensor result = make_tensor(cast(array, wanted));
  if (options.requires_grad) result.requires_grad_();
  return result;
}

}  // namespace

Generator& default_generator() {
  static Generator generator{};
  return generator;
}

void manual_seed(std::uint64_t seed) { default_generator() = {seed, 0}; }

Tensor uniform(const Shape& shape, double low, double high, const Options& options,
               Generator* generator) {
  if (!(low <= high)) throw Error(text("uniform: low ", low, " must not be above high ", high));
  if (!std::isfinite(high - low))
    throw Error(text("uniform: low ", low, " and high ", high, " must be finite, their distance too"));
  return draw("uniform", TL_RANDOM_UNIFORM, shape, float32, low, high, options, generator);
}
Tensor rand(const Shape& shape, const Options& options, Generator* generator) {
  return draw("rand", TL_RANDOM_UNIFORM, shape, float32, 0, 1, options, generator);
}
Tensor normal(const Shape& shape, double mean, double std, const Options& options,
              Generator* generator) {
  if (!(std >= 0)) throw Error(text("normal: the standard deviation is ", std, "; must be at least 0"));
  if (!std::isfinite(mean) || !std::isfinite(std))
    throw Error(text("normal: mean ", mean, " and standard deviation ", std, " must be finite"));
  return draw("normal", TL_RANDOM_NORMAL, shape, float32, mean, std, options, generator);
}
Tensor randn(const Shape& shape, const Options& options, Generator* generator) {
  return draw("randn", TL_RANDOM_NORMAL, shape, float32, 0, 1, options, generator);
}
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, const Options& options,
               Generator* generator) {
  if (low >= high) throw Error(text("randint: low ", low, " must be below high ", high));
  if (options.dtype.value_or(int64) != int64)
    for (const std::int64_t value : {low, high - 1})
      require_in_range("randint", static_cast<double>(value), *options.dtype);
  // The generator's parameters are float64, which has every integer up to here.
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (low >= -exact && high <= exact)
    return draw("randint", TL_RANDOM_INTEGER, shape, int64, static_cast<double>(low),
                static_cast<double>(high), options, generator);
  const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (count > static_cast<std::uint64_t>(exact))
    throw Error(text("randint: from ", low, " to below ", high, " there are ", count,
                     " numbers; at most 2^53 can be drawn from. Combine two draws"));
  const Options whole{int64, options.device, false};
  const Tensor above =
      draw("randint", TL_RANDOM_INTEGER, shape, int64, 0, static_cast<double>(count), whole, generator);
  Tensor result = (above + tensor(low, {.device = options.device})).to(options.dtype.value_or(int64));
  if (options.requires_grad) result.requires_grad_();
  return result;
}
Tensor bernoulli(const Shape& shape, double p, const Options& options, Generator* generator) {
  if (!(p >= 0 && p <= 1)) throw Error(text("bernoulli: p is ", p, "; must be between 0 and 1"));
  return draw("bernoulli", TL_RANDOM_BERNOULLI, shape, float32, p, 0, options, generator);
}

Tensor rand_like(const Tensor& like, const Options& options) {
  return rand(like.shape(), {options.dtype ? options.dtype : like.dtype(),
                             options.device ? options.device : like.device(), options.requires_grad});
}
Tensor randn_like(const Tensor& like, const Options& options) {
  return randn(like.shape(), {options.dtype ? options.dtype : like.dtype(),
                              options.device ? options.device : like.device(), options.requires_grad});
}

Tensor randperm(std::int64_t n, const Options& options, Generator* generator) {
  if (n < 0) throw Error(text("randperm: n is ", n, "; must be at least 0"));
  // Fisher and Yates from the top, each place drawn with a 53-bit fraction: the same everywhere.
  const std::vector<double> fractions =
      uniform(n, 0, 1, {.dtype = float64, .device = "cpu"}, generator).to_vector<double>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto j =
        static_cast<std::int64_t>(fractions[static_cast<std::size_t>(i)] * static_cast<double>(i + 1));
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(std::min(j, i))]);
  }
  return tensor(order, options);
}

}  // namespace torchlight
