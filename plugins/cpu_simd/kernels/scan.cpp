#include "kernels/registers.h"
#include "kernels/views.h"
#include "parallel.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

/// Running values. float32 is carried in float64; a float64 sum carries its rounding errors along.
struct FloatSum {
  double sum = 0;
  float next(float x) noexcept { return static_cast<float>(sum += static_cast<double>(x)); }
};
struct DoubleSum {
  double sum = 0, errors = 0;
  double next(double x) noexcept {
    const double after = sum + x, added = after - sum;
    const double error = (sum - (after - added)) + (x - added);
    sum = after;
    if (error == error) errors += error;  // not where the sum is infinite
    return sum + errors;
  }
};
struct FloatProduct {
  double product = 1;
  float next(float x) noexcept { return static_cast<float>(product *= static_cast<double>(x)); }
};
struct DoubleProduct {
  double product = 1;
  double next(double x) noexcept { return product *= x; }
};
struct IntSum {
  uint64_t sum = 0;
  int64_t next(int64_t x) noexcept { return static_cast<int64_t>(sum += static_cast<uint64_t>(x)); }
};
struct IntProduct {
  uint64_t product = 1;
  int64_t next(int64_t x) noexcept { return static_cast<int64_t>(product *= static_cast<uint64_t>(x)); }
};

/// NaN, once met, stays. (x != x is never true of an integer.)
template <class T, bool largest> struct Extreme {
  T value{};
  bool started = false;
  T next(T x) noexcept {
    const bool better = largest ? x > value : x < value;
    if (!started || (value == value && (better || x != x))) value = x;
    started = true;
    return value;
  }
};

/// Lines along the axis that are worked on side by side, so that they needn't wait for their own sums.
constexpr int64_t width = 16;

template <class T> struct Lines {
  const T* input;
  T* output;
  int64_t length, input_step, output_step;  ///< along a line
  int64_t input_pitch, output_pitch;        ///< from line to line

  template <class Running> void scan(int64_t count) const noexcept {
    Running running[width];
    for (int64_t i = 0; i < length; ++i) {
      const T* const from = input + i * input_step;
      T* const to = output + i * output_step;
      for (int64_t line = 0; line < count; ++line)
        to[line * output_pitch] = running[line].next(from[line * input_pitch]);
    }
  }
};

/// All axes but the scanned one; the last of them is where lines stand side by side.
template <class T> class Scan {
 public:
  explicit Scan(const tl_scan_args& args) noexcept {
    const tl_view &in = *args.input, &out = *args.output;
    first_.input = data_of<const T>(in);
    first_.output = data_of<T>(out);
    first_.length = in.extent[args.axis];
    first_.input_step = in.stride[args.axis];
    first_.output_step = out.stride[args.axis];
    if (args.reverse) turn_round();
    for (uint32_t d = 0; d < in.rank; ++d)
      if (d != args.axis) add(in.extent[d], in.stride[d], out.stride[d]);
    if (rank_ == 0) add(1, 0, 0);
    first_.input_pitch = input_stride_[rank_ - 1];
    first_.output_pitch = output_stride_[rank_ - 1];
  }

  template <class Running> void run() const noexcept {
    const int64_t side_by_side = extent_[rank_ - 1], groups = ceil_div(side_by_side, width);
    const int64_t total = lines_ / side_by_side * groups;
    parallel_ranges(total, 1 + 32768 / (first_.length * width),
                    [&](int64_t begin, int64_t end) noexcept {
                      for (int64_t i = begin; i < end; ++i) {
                        const int64_t line = i % groups * width;
                        at(i / groups, line).template scan<Running>(least(width, side_by_side - line));
                      }
                    });
  }

 private:
  void turn_round() noexcept {
    first_.input += (first_.length - 1) * first_.input_step;
    first_.output += (first_.length - 1) * first_.output_step;
    first_.input_step = -first_.input_step;
    first_.output_step = -first_.output_step;
  }

  void add(int64_t extent, int64_t input_stride, int64_t output_stride) noexcept {
    extent_[rank_] = extent;
    input_stride_[rank_] = input_stride;
    output_stride_[rank_++] = output_stride;
    lines_ *= extent;
  }

  Lines<T> at(int64_t outer, int64_t line) const noexcept {
    Lines<T> lines = first_;
    lines.input += line * first_.input_pitch;
    lines.output += line * first_.output_pitch;
    for (int d = rank_ - 2; d >= 0; --d) {
      lines.input += outer % extent_[d] * input_stride_[d];
      lines.output += outer % extent_[d] * output_stride_[d];
      outer /= extent_[d];
    }
    return lines;
  }

  Lines<T> first_;
  int64_t lines_ = 1;
  int rank_ = 0;
  int64_t extent_[TL_MAX_RANK], input_stride_[TL_MAX_RANK], output_stride_[TL_MAX_RANK];
};

template <class T, class Sum, class Product> void scan_as(const tl_scan_args& args) noexcept {
  const Scan<T> scan(args);
  switch (args.fn) {
    case TL_REDUCE_sum: return scan.template run<Sum>();
    case TL_REDUCE_prod: return scan.template run<Product>();
    case TL_REDUCE_max: return scan.template run<Extreme<T, true>>();
    default: return scan.template run<Extreme<T, false>>();
  }
}

int32_t scan(const tl_scan_args& args, tl_error*) noexcept {
  if (is_empty(*args.output)) return TL_OK;
  switch (dtype_key(args.input->dtype)) {
    case key_float32: scan_as<float, FloatSum, FloatProduct>(args); break;
    case key_float64: scan_as<double, DoubleSum, DoubleProduct>(args); break;
    default: scan_as<int64_t, IntSum, IntProduct>(args); break;
  }
  return TL_OK;
}

}  // namespace

void add_scan(KernelSet& set) noexcept { set.scan = scan; }

}  // namespace cpu_simd::TL_ISA
