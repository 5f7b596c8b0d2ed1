#include <limits>

#include "kernels/math.h"
#include "kernels/rows.h"
#include "parallel.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

/// One call of attn_softmax_fw in the type T.
template <class T> class Softmax {
 public:
  explicit Softmax(const tl_attn_softmax_fw_args& args) noexcept
      : input_(args.input, 1),
        mask_(args.mask, 1),
        output_(args.output, 1),
        scale_(static_cast<T>(args.scale)),
        causal_(args.causal != 0),
        offset_(args.causal_offset) {
    const uint32_t rank = args.output->rank;
    queries_ = rank > 1 ? args.output->extent[rank - 2] : 1;
  }

  void run() const noexcept {
    const int64_t columns = output_.columns.count;
    if (columns == 0) return;
    parallel_ranges(output_.rows.count, row_grain(columns), [&](int64_t begin, int64_t end) noexcept {
      for (int64_t i = begin; i < end; ++i) row(i);
    });
  }

 private:
  static constexpr T lowest = -std::numeric_limits<T>::infinity();

  /// The columns of row i that count.
  int64_t visible(int64_t i) const noexcept {
    const int64_t columns = output_.columns.count;
    if (!causal_) return columns;
    const int64_t query = i % queries_;
    if (offset_ >= columns - query) return columns;
    return query + offset_ < 0 ? 0 : least(columns, query + offset_ + 1);
  }

  CPU_SIMD_APART void row(int64_t i) const noexcept {
    const T* const x = input_.row(i);
    const T* const mask = mask_ ? mask_.row(i) : nullptr;
    T* const out = output_.row(i);
    const int64_t count = visible(i);
    const T top = maximum_of(x, mask, count);
    if (top == lowest) {  // nothing to share: 0 by definition, unless a NaN wants to be seen
      fill(out, 0, count, any_nan(x, mask, count) ? std::numeric_limits<T>::quiet_NaN() : T(0));
    } else {
      const double total = exponentials(x, mask, out, count, top);
      multiply(out, count, static_cast<T>(1 / total));
    }
    fill(out, count, output_.columns.count, T(0));
  }

  /// f(first, n, values) for each chunk, values(i, part) being scale * x + mask in registers.
  template <class F>
  CPU_SIMD_INLINE void for_scores(const T* x, const T* mask, int64_t count, const F& f) const noexcept {
    alignas(64) T x_buffer[chunk<T>], mask_buffer[chunk<T>];
    const Vec<T> scale = splat(scale_);
    for_chunks<T>(count, [&](int64_t first, int64_t n) {
      const T* const from = input_.read(x, first, n, x_buffer);
      if (!mask) return f(first, n, [&](int64_t i, auto part) { return load(from + i, part) * scale; });
      const T* const add = mask_.read(mask, first, n, mask_buffer);
      f(first, n,
        [&](int64_t i, auto part) { return fma(load(from + i, part), scale, load(add + i, part)); });
    });
  }

  /// Ignores NaN, which shows in the sum later.
  CPU_SIMD_APART T maximum_of(const T* x, const T* mask, int64_t count) const noexcept {
    Vec<T> top = splat(lowest);
    for_scores(x, mask, count, [&](int64_t, int64_t n, const auto& score) {
      const auto larger = [](const Vec<T>& a, const Vec<T>& b) { return at_least(a, b); };
      const auto step = [&](const Vec<T>& so_far, int64_t i, auto part) {
        return at_least(only(score(i, part), splat(lowest), part), so_far);
      };
      top = larger(top, fold_registers<T>(n, splat(lowest), step, larger));
    });
    alignas(64) T lane[lanes<T>];
    top.store_aligned(lane);
    T result = lane[0];
    for (int64_t i = 1; i < lanes<T>; ++i)
      result = lane[i] > result || result != result ? lane[i] : result;
    return result;
  }

  CPU_SIMD_APART bool any_nan(const T* x, const T* mask, int64_t count) const noexcept {
    bool any = false;
    for_scores(x, mask, count, [&](int64_t, int64_t n, const auto& score) {
      for_registers<T>(n, [&](int64_t i, auto part) {
        any |= xsimd::any(is_nan<T>(only(score(i, part), splat(T(0)), part)));
      });
    });
    return any;
  }

  /// out = exp(score - top); returns the sum. Subtracting the maximum keeps exp within 0 … 1.
  CPU_SIMD_APART double exponentials(const T* x, const T* mask, T* out, int64_t count,
                                     T top) const noexcept {
    double total = 0;
    alignas(64) T buffer[chunk<T>];
    for_scores(x, mask, count, [&](int64_t first, int64_t n, const auto& score) {
      T* const to = output_.place(out, first, buffer);
      Vec<T> sum = splat(T(0));
      for_registers<T>(n, [&](int64_t i, auto part) {
        const Vec<T> e = exp_of(score(i, part) - splat(top));
        store(to + i, e, part);
        sum = sum + only(e, splat(T(0)), part);
      });
      output_.written(out, first, n, to);
      total += static_cast<double>(sum_lanes(sum));
    });
    return total;
  }

  CPU_SIMD_APART void multiply(T* out, int64_t count, T factor) const noexcept {
    alignas(64) T buffer[chunk<T>];
    for_chunks<T>(count, [&](int64_t first, int64_t n) {
      const T* const from = output_.read(out, first, n, buffer);
      T* const to = output_.place(out, first, buffer);
      for_registers<T>(
          n, [&](int64_t i, auto part) { store(to + i, load(from + i, part) * splat(factor), part); });
      output_.written(out, first, n, to);
    });
  }

  void fill(T* out, int64_t from, int64_t end, T value) const noexcept {
    for (int64_t j = from; j < end; ++j) out[output_.columns.offset(j)] = value;
  }

  const RowView<const T> input_, mask_;
  const RowView<T> output_;
  const T scale_;
  const bool causal_;
  const int64_t offset_;
  int64_t queries_;
};

/// output = scale * soft * (grad - Σ grad * soft)
template <class T> class SoftmaxGradient {
 public:
  explicit SoftmaxGradient(const tl_attn_softmax_bw_args& args) noexcept
      : grad_(args.grad, 1),
        soft_(args.soft, 1),
        output_(args.output, 1),
        scale_(static_cast<T>(args.scale)) {}

  void run() const noexcept {
    if (output_.columns.count == 0) return;
    parallel_ranges(output_.rows.count, row_grain(output_.columns.count),
                    [&](int64_t begin, int64_t end) noexcept {
                      for (int64_t i = begin; i < end; ++i) row(i);
                    });
  }

 private:
  CPU_SIMD_APART void row(int64_t i) const noexcept {
    const T* const grad = grad_.row(i);
    const T* const soft = soft_.row(i);
    T* const out = output_.row(i);
    alignas(64) T grad_buffer[chunk<T>], soft_buffer[chunk<T>], out_buffer[chunk<T>];
    double dot = 0;
    for_chunks<T>(output_.columns.count, [&](int64_t first, int64_t n) {
      const T* const g = grad_.read(grad, first, n, grad_buffer);
      const T* const s = soft_.read(soft, first, n, soft_buffer);
      const auto step = [&](const Vec<T>& sum, int64_t j, auto part) {
        return fma(load(g + j, part), load(s + j, part), sum);
      };
      const auto add = [](const Vec<T>& a, const Vec<T>& b) { return a + b; };
      dot += static_cast<double>(sum_lanes(fold_registers<T>(n, splat(T(0)), step, add)));
    });
    const Vec<T> mean = splat(static_cast<T>(dot)), scale = splat(scale_);
    for_chunks<T>(output_.columns.count, [&](int64_t first, int64_t n) {
      const T* const g = grad_.read(grad, first, n, grad_buffer);
      const T* const s = soft_.read(soft, first, n, soft_buffer);
      T* const to = output_.place(out, first, out_buffer);
      for_registers<T>(n, [&](int64_t j, auto part) {
        store(to + j, scale * load(s + j, part) * (load(g + j, part) - mean), part);
      });
      output_.written(out, first, n, to);
    });
  }

  const RowView<const T> grad_, soft_;
  const RowView<T> output_;
  const T scale_;
};

int32_t attn_softmax_fw(const tl_attn_softmax_fw_args& args, tl_error*) noexcept {
  if (dtype_key(args.output->dtype) == key_float32)
    Softmax<float>(args).run();
  else
    Softmax<double>(args).run();
  return TL_OK;
}

int32_t attn_softmax_bw(const tl_attn_softmax_bw_args& args, tl_error*) noexcept {
  if (dtype_key(args.output->dtype) == key_float32)
    SoftmaxGradient<float>(args).run();
  else
    SoftmaxGradient<double>(args).run();
  return TL_OK;
}

}  // namespace

void add_softmax(KernelSet& set) noexcept {
  set.attn_softmax_fw = attn_softmax_fw;
  set.attn_softmax_bw = attn_softmax_bw;
}

}  // namespace cpu_simd::TL_ISA
