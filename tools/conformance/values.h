#pragma once

#include <cstdint>

#include "dtype.h"
#include "layout.h"

/// What the operands of a case hold, as data.
namespace torchlight::test {

enum class Fill : std::uint8_t {
  typical,        ///< floats in [-4, 4), integers -9 … 9, bool at random
  unit,           ///< [-1, 1)
  positive,       ///< (0, 8]; integers 1 … 9
  probability,    ///< [0, 1)
  integers,       ///< -4 … 4: sums and products of some are exact
  near_one,       ///< ±[0.75, 1.25), integers ±1 and ±3: products of many
  moderate,       ///< both signs, 2^-12 … 2^12; integers of all sizes
  bits,           ///< any bit pattern: every magnitude, NaN, inf; integers of all sizes
  special,        ///< every third one of ±0, ±inf, NaN, denormals, the largest, …; else typical
  tame,           ///< likewise, without numbers whose sums and products overflow
  convertible,    ///< whole and broken numbers that every dtype can hold after truncation
  constant,       ///< `a` everywhere
  one_nan,        ///< typical, with one NaN at a random place
  large_mean,     ///< `a` + [-1, 1)
  cancelling,     ///< pairs of huge numbers that cancel, and small ones
  mask,           ///< rows of the last axis in turn: 0 and -inf at random, all -inf, [-2, 2)
  ascending,      ///< the position among all, as a whole number
  index,          ///< whole numbers 0 … a-1
  mean_of_input,  ///< layernorm_bw: what the forward would have saved
  rstd_of_input,
};

struct Values {
  Fill fill = Fill::typical;
  Real a = 0;
};

const char* name(Fill fill);

/// The value at the row-major position `position` of `shape`, rounded to the dtype. The same arguments
/// give the same value. Not for mean_of_input and rstd_of_input.
Real value_at(const Values& values, Dtype dtype, const Shape& shape, std::int64_t position,
              std::uint64_t seed);

}  // namespace torchlight::test
