#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "form.h"

/// A call to a helper and the memory it works on: buffers of float32, one behind the other in one region,
/// margins around each, room for up to three rows behind each.
namespace torchlight::drop_ins {

/// What is computed. Everything is dense and row-major.
///
///   op            dims            buffers, in order                        meaning
///   softmax_fw    rows, columns   x | y                                    the largest x of a row is 0
///   softmax_bw    rows, columns   grad, soft | out                         soft (grad - sum(grad soft))
///   layernorm_fw  rows, columns   x, gamma, beta | y                       with the library's own eps
///   layernorm_bw  rows, columns   grad, x, gamma | dinput, dgamma, dbeta   see below
///   map           n               x | y                                    fn: row of functions.h
///   zip           n               a, b | y
///   reduce        rows, columns   x | y                                    over the columns
///   matmul        batch, m, k, n  a, b | y
///
/// layernorm_bw: in the launch spelling x is normalised already and its deviation 1, in the tutorial's it
/// is as in layernorm_fw.
struct Call {
  Op op = Op::softmax_fw;
  std::uint32_t fn = 0;
  std::int32_t dims[4] = {};
};

struct Buffer {
  std::size_t begin = 0;     ///< from the region's start, in floats
  std::size_t elements = 0;  ///< that count
  std::size_t room = 0;      ///< elements and the rows behind them
  bool output = false;
};

struct Layout {
  int count = 0;
  Buffer buffers[6];
  std::size_t floats = 0;  ///< of the whole region
};

/// More than this many floats in one buffer are not for a drop-in: launchers count in int.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 28;

/// Whether the dims make sense. A helper asks, too: it takes nothing on trust.
bool is_sound(const Call& call);
/// REQUIRES: is_sound(call).
Layout layout_of(const Call& call);

/// Fills margins and outputs with a NaN that no computation gives, and the rows behind inputs with zeros.
void arm(float* region, const Layout& layout);
/// What a call did that it must not, or nothing: wrote into a margin, left (a part of) an output as it
/// was.
std::string damage(const float* region, const Layout& layout);
/// Whether anything in the rows behind an output was written.
bool wrote_rows_behind(const float* region, const Layout& layout);

}  // namespace torchlight::drop_ins
