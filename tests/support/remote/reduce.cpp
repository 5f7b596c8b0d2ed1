#include "failure.h"
#include "kernels.h"

namespace remote {
namespace {

/// One result after the other, each over all of its elements in row-major order.
class Reduction {
 public:
  Reduction(std::uint32_t axes, const Operand& input, const Operand& output)
      : input_(input), output_(output), in_(input.data()), out_(output.data()) {
    for (std::uint32_t d = 0; d < input.rank; ++d) inner_[d] = (axes >> d & 1) ? input.extent[d] : 1;
  }

  /// result(fold), where fold(f) calls f(element) for each.
  template <class In, class Out, class Result> void run(Result&& result) const {
    for_each_index(output_.rank, output_.extent, [&](const Index& at) {
      const std::int64_t start = offset_of(input_, at);
      const auto fold = [&](auto&& f) {
        for_each_index(input_.rank, inner_,
                       [&](const Index& i) { f(load<In>(in_ + start + offset_of(input_, i))); });
      };
      store<Out>(out_ + offset_of(output_, at), result(fold));
    });
  }

 private:
  const Operand& input_;
  const Operand& output_;
  const char* in_;
  char* out_;
  Index inner_{};
};

/// Neumaier's sum: the scratch memory holds the sum and what was lost of it.
template <class T> T real_sum(auto&& fold, double* scratch) {
  double& sum = scratch[0] = 0;
  double& lost = scratch[1] = 0;
  fold([&](T x) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(double(x)) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  });
  return static_cast<T>(std::isfinite(sum) ? sum + lost : sum);
}

template <class T> T integer_sum(auto&& fold) {
  std::uint64_t sum = 0;
  fold([&](T x) { sum += static_cast<std::uint64_t>(x); });
  return static_cast<T>(sum);
}

template <class T> bool is_nan(T x) { return x != x; }

template <class T> T largest(auto&& fold, bool smallest) {
  T best{};
  bool first = true;
  fold([&](T x) {
    if (first || (!is_nan(best) && (is_nan(x) || (smallest ? x < best : x > best)))) best = x;
    first = false;
  });
  return best;
}

template <class T> std::int64_t position_of_largest(auto&& fold) {
  T best{};
  std::int64_t position = 0, winner = 0;
  fold([&](T x) {
    if (position == 0 || (!is_nan(best) && (is_nan(x) || x > best))) {
      best = x;
      winner = position;
    }
    ++position;
  });
  return winner;
}

template <class T> bool any_or_all(auto&& fold, bool all) {
  bool answer = all;
  fold([&](T x) { answer = all ? answer && x != T(0) : answer || x != T(0); });
  return answer;
}

}  // namespace

void run_reduce(std::uint32_t fn, std::uint32_t axes, const Operand& input, const Operand& output,
                double* scratch) {
  const Reduction reduction(axes, input, output);
  with_type(input.kind, [&]<class T>(T) {
    switch (fn) {
      case TL_REDUCE_sum:
        if constexpr (std::is_floating_point_v<T>)
          return reduction.run<T, T>([&](auto&& fold) { return real_sum<T>(fold, scratch); });
        else
          return reduction.run<T, T>([](auto&& fold) { return integer_sum<T>(fold); });
      case TL_REDUCE_max:
        return reduction.run<T, T>([](auto&& fold) { return largest<T>(fold, false); });
      case TL_REDUCE_min:
        return reduction.run<T, T>([](auto&& fold) { return largest<T>(fold, true); });
      case TL_REDUCE_argmax:
        return reduction.run<T, std::int64_t>([](auto&& fold) { return position_of_largest<T>(fold); });
      case TL_REDUCE_any:
        return reduction.run<T, bool>([](auto&& fold) { return any_or_all<T>(fold, false); });
      case TL_REDUCE_all:
        return reduction.run<T, bool>([](auto&& fold) { return any_or_all<T>(fold, true); });
      default: throw Failure(TL_E_INTERNAL, "a reduction without a body");
    }
  });
}

}  // namespace remote
