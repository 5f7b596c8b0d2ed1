#pragma once

#include <torchlight/plugin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// The functions of combine.so that mean what one of the ABI's means. What isn't here is never asked
/// for: LOG is that of x + 1e-6, and LOG_BACK, INV_BACK and IS_CLOSE are no functions of the ABI.
namespace torchlight::drop_ins {

struct Function {
  int id;  ///< in combine.so
  const char* name;
  std::uint32_t tl;                 ///< TL_MAP_…, TL_ZIP_… or TL_REDUCE_…
  double (*apply)(double, double);  ///< what the library should compute of its first and second operand
  bool swapped = false;             ///< the library's operands are the ABI's, exchanged
  bool mend_nan = false;   ///< the ABI passes NaN on, most libraries don't: done on the way back
  bool predicate = false;  ///< gives 0 or 1, the ABI wants bool
  double start = 0;        ///< reduce
};

namespace functions {

inline double first(double a, double) { return a; }
inline double larger(double a, double b) { return std::max(a, b); }
inline double smaller(double a, double b) { return std::min(a, b); }
inline double sigmoid(double a, double) {
  return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a));
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace functions

inline constexpr Function map_functions[] = {
    {3, "ID", TL_MAP_copy, functions::first},
    {4, "NEG", TL_MAP_neg, [](double a, double) { return -a; }},
    {7, "SIGMOID", TL_MAP_sigmoid, functions::sigmoid},
    {8, "RELU", TL_MAP_relu, [](double a, double) { return a > 0 ? a : 0; }, false, true},
    {12, "EXP", TL_MAP_exp, [](double a, double) { return std::exp(a); }},
    {13, "INV", TL_MAP_reciprocal, [](double a, double) { return 1 / a; }},
    {18, "TANH", TL_MAP_tanh, [](double a, double) { return std::tanh(a); }},
    {19, "SQRT", TL_MAP_sqrt, [](double a, double) { return std::sqrt(a); }},
    {20, "ABS", TL_MAP_abs, [](double a, double) { return std::abs(a); }},
};

/// Some libraries take the derivatives' operands in one order, some in the other: the probe tells.
inline constexpr Function zip_functions[] = {
    {1, "ADD", TL_ZIP_add, [](double a, double b) { return a + b; }},
    {2, "MUL", TL_ZIP_mul, [](double a, double b) { return a * b; }},
    {5, "LT", TL_ZIP_lt, [](double a, double b) { return double(a < b); }, false, false, true},
    {6, "EQ", TL_ZIP_eq, [](double a, double b) { return double(a == b); }, false, false, true},
    {9, "RELU_BACK", TL_ZIP_relu_bw, [](double a, double b) { return a > 0 ? b : 0; }, true},
    {9, "RELU_BACK", TL_ZIP_relu_bw, [](double a, double b) { return b > 0 ? a : 0; }},
    {16, "MAX", TL_ZIP_maximum, functions::larger, false, true},
    {17, "POW", TL_ZIP_pow, [](double a, double b) { return std::pow(a, b); }},
    {21, "SUB", TL_ZIP_sub, [](double a, double b) { return a - b; }},
    {22, "GT", TL_ZIP_gt, [](double a, double b) { return double(a > b); }, false, false, true},
    {23, "SIGMOID_BACK", TL_ZIP_sigmoid_bw, [](double a, double b) { return b * a * (1 - a); }, true},
    {23, "SIGMOID_BACK", TL_ZIP_sigmoid_bw, [](double a, double b) { return a * b * (1 - b); }},
    {24, "MIN", TL_ZIP_minimum, functions::smaller, false, true},
    {25, "DIV", TL_ZIP_div, [](double a, double b) { return a / b; }},
};

inline constexpr Function reduce_functions[] = {
    {1, "ADD", TL_REDUCE_sum, [](double a, double b) { return a + b; }},
    {2, "MUL", TL_REDUCE_prod, [](double a, double b) { return a * b; }, false, false, false, 1},
    {16, "MAX", TL_REDUCE_max, functions::larger, false, true, false, -functions::infinity},
    {24, "MIN", TL_REDUCE_min, functions::smaller, false, true, false, functions::infinity},
};

}  // namespace torchlight::drop_ins
