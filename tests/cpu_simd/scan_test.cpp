#include <cmath>

#include "extension_tables.h"

using namespace cpu_simd_test;

namespace {

template <class T>
Reply scan(const Backend& backend, uint32_t fn, const Strided<T>& in, Strided<T>& out, uint32_t axis,
           bool reverse = false) {
  const tl_view in_view = in.view(), out_view = out.view();
  tl_scan_args args{};
  args.fn = fn, args.axis = axis, args.reverse = reverse, args.input = &in_view,
  args.output = &out_view;
  return call_extension(backend, scan_table(backend).scan, args);
}

template <class T> long double step(uint32_t fn, long double so_far, T x) {
  switch (fn) {
    case TL_REDUCE_sum: return so_far + x;
    case TL_REDUCE_prod: return so_far * x;
    case TL_REDUCE_max: return std::max<long double>(so_far, x);
    default: return std::min<long double>(so_far, x);
  }
}

template <class T>
void check_scan(const Backend& backend, const Extents& extents, uint32_t axis, uint32_t fn,
                bool reverse, std::mt19937& random) {
  Strided<T> in(extents, random_layout(extents.size(), random)),
      out(extents, random_layout(extents.size(), random));
  in.fill(
      [&](int64_t) { return static_cast<T>(random() % 7) - 3 + (std::is_integral_v<T> ? 0 : T(0.5)); });
  CHECK(scan(backend, fn, in, out, axis, reverse).status == TL_OK);
  const int64_t n = extents[axis], inner = count_of(Extents(extents.begin() + axis + 1, extents.end()));
  bool right = out.gaps_untouched();
  for (int64_t line = 0; line < in.count() / std::max<int64_t>(n, 1); ++line) {
    const int64_t first = line / inner * inner * n + line % inner;
    long double value = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = first + (reverse ? n - 1 - i : i) * inner;
      value = i == 0 ? in[at] : step(fn, value, in[at]);
      const long double error = std::abs(static_cast<long double>(out[at]) - value);
      right &= error <=
               std::abs(value) * (sizeof(T) == 4 ? 1e-7L : 1e-15L) * (std::is_integral_v<T> ? 0 : 1);
    }
  }
  CHECK(right);
}

}  // namespace

TEST_CASE("scan: sum, prod, max and min along any axis, both ways, in any layout") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set, 2);
    std::mt19937 random(15);
    for (const Extents& extents :
         {Extents{20}, Extents{3, 17}, Extents{4, 5, 6}, Extents{1, 9, 1, 40}, Extents{0, 3}})
      for (uint32_t axis = 0; axis < extents.size(); ++axis)
        for (uint32_t fn : {TL_REDUCE_sum, TL_REDUCE_prod, TL_REDUCE_max, TL_REDUCE_min})
          for (bool reverse : {false, true}) {
            check_scan<float>(backend, extents, axis, fn, reverse, random);
            check_scan<double>(backend, extents, axis, fn, reverse, random);
            if (fn != TL_REDUCE_prod) check_scan<int64_t>(backend, extents, axis, fn, reverse, random);
          }
  }
}

TEST_CASE("scan: the error of a running sum doesn't grow with its length") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    constexpr int64_t n = 1000000;
    Strided<float> x({n}), sums({n});
    x.fill([](int64_t) { return 0.1f; });
    scan(backend, TL_REDUCE_sum, x, sums, 0);
    CHECK(std::abs(sums[n - 1] / (0.1f * double{n}) - 1) < 1e-7);
    Strided<double> y({n}), precise({n});
    y.fill([](int64_t) { return 0.1; });
    scan(backend, TL_REDUCE_sum, y, precise, 0);
    CHECK(std::abs(static_cast<double>(precise[n - 1] - 0.1L * n)) < 2e-11);
  }
}

TEST_CASE("scan: NaN stays once met, infinite sums stay infinite, int64 wraps") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    Strided<double> x({4}), y({4});
    x.assign({1, NAN, 5, -5});
    for (uint32_t fn : {TL_REDUCE_max, TL_REDUCE_min, TL_REDUCE_sum, TL_REDUCE_prod}) {
      scan(backend, fn, x, y, 0);
      CHECK(y[0] == 1.0);
      for (int64_t i = 1; i < 4; ++i) CHECK(std::isnan(y[i]));
    }
    x.assign({1, INFINITY, 5, -5});
    scan(backend, TL_REDUCE_sum, x, y, 0);
    CHECK(y.values() == std::vector<double>{1, INFINITY, INFINITY, INFINITY});
    Strided<int64_t> big({2}), sum({2});
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    big.assign({most, 1});
    scan(backend, TL_REDUCE_sum, big, sum, 0);
    CHECK(sum[1] == std::numeric_limits<int64_t>::min());
    CHECK(scan(backend, TL_REDUCE_argmax, big, sum, 0).status == TL_DECLINED);
    CHECK(scan(backend, TL_REDUCE_sum, big, sum, 1).status == TL_E_ARGUMENT);
  }
}
