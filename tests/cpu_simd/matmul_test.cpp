#include "matmul_reference.h"

using namespace cpu_simd_test;

namespace {

constexpr int64_t extents[] = {1, 2, 3, 5, 8, 13, 14, 15, 16, 17, 31, 32, 33, 64, 65, 100, 129};

int64_t pick(std::mt19937& random) { return extents[random() % std::size(extents)]; }

template <class T> void check_error(double error) { CHECK(error < (sizeof(T) == 4 ? 2e-6 : 4e-15)); }

MatmulOptions random_options(std::mt19937& random) {
  MatmulOptions o;
  if (random() % 3 == 0) o.alpha = 0.75;
  if (random() % 3 == 0) o.beta = random() % 2 ? 1 : -0.5;
  o.bias_rows = static_cast<int>(random() % 4) - 1;
  if (o.bias_rows == 2) o.bias_rows = -1;
  o.relu = random() % 4 == 0;
  return o;
}

template <class T> void check_random_shapes(const Backend& backend, int cases) {
  std::mt19937 random(7);
  for (int i = 0; i < cases; ++i) {
    MatmulShape s{{}, {}, {}, pick(random), pick(random), pick(random)};
    if (i % 10 == 0) s.k = 500 + static_cast<int64_t>(random() % 700);  // several pieces of k
    if (i % 12 == 0) (random() % 2 ? s.m : s.n) = 300;
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    check_error<T>(matmul_error<T>(backend, s, random_options(random), random));
  }
}

template <class T>
Strided<T> product(const Backend& backend, const Strided<T>& a, const Strided<T>& b,
                   const Extents& out_extents, Extents a_as = {}, Extents b_as = {}) {
  Strided<T> out(out_extents);
  const tl_view a_view = a.view_as(a_as.empty() ? a.extents() : a_as),
                b_view = b.view_as(b_as.empty() ? b.extents() : b_as), out_view = out.view();
  tl_matmul_args args{};
  args.a = &a_view;
  args.b = &b_view;
  args.output = &out_view;
  args.alpha = 1;
  matmul(backend, args);
  return out;
}

}  // namespace

TEST_CASE("matmul: any shape, layout, scale, bias and activation agrees with sums in double") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    check_random_shapes<float>(backend, 300);
    check_random_shapes<double>(backend, 150);
  }
}

TEST_CASE("matmul: the comparison above sees a wrong element") {
  // The control: another k on one side only must show as an error.
  std::mt19937 random(1);
  const Backend backend(supported_sets().back());
  MatmulOptions shifted;
  shifted.beta = 1;  // out's old values count, and the reference below is told they don't
  Strided<float> a({3, 4}), b({4, 5}), out({3, 5});
  a.randomise(random), b.randomise(random), out.fill([](int64_t) { return 1; });
  const tl_view a_view = a.view(), b_view = b.view(), out_view = out.view();
  tl_matmul_args args{};
  args.a = &a_view, args.b = &b_view, args.output = &out_view;
  args.alpha = 1, args.beta = 1;
  matmul(backend, args);
  const Strided<float> without = product(backend, a, b, {3, 5});
  CHECK(std::abs(out[7] - without[7]) > 0.5f);
}

TEST_CASE("C06: matmul with two batch dimensions that don't collapse") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    Strided<float> q({2, 2, 2, 2});
    q.fill([](int64_t i) { return i; });
    tl_view p = q.view();  // (b, t, h, d) as (b, h, t, d)
    std::swap(p.stride[1], p.stride[2]);
    tl_view transposed = p;
    std::swap(transposed.stride[2], transposed.stride[3]);
    Strided<float> out({2, 2, 2, 2});
    const tl_view out_view = out.view();
    tl_matmul_args args{};
    args.a = &p, args.b = &transposed, args.output = &out_view, args.alpha = 1;
    matmul(backend, args);
    CHECK(out.values() ==
          std::vector<float>{1, 5, 5, 41, 13, 33, 33, 85, 145, 213, 213, 313, 221, 305, 305, 421});
  }
}

TEST_CASE("matmul: batches, broadcast on either side, of any layout") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    std::mt19937 random(11);
    const MatmulShape shapes[] = {{{3}, {3}, {3}, 5, 6, 7},
                                  {{3}, {1}, {3}, 5, 6, 7},
                                  {{3}, {3}, {1}, 5, 6, 7},
                                  {{2, 3}, {2, 3}, {2, 3}, 33, 20, 17},
                                  {{2, 3}, {1, 3}, {2, 1}, 9, 40, 8},
                                  {{4, 5}, {4, 1}, {1, 1}, 1, 12, 30},
                                  {{2, 2}, {2, 2}, {1, 1}, 70, 80, 90},
                                  {{2, 1, 3}, {1, 1, 3}, {2, 1, 1}, 4, 1, 25},
                                  {{5}, {5}, {1}, 1, 70, 64},
                                  {{2}, {2}, {2}, 150, 160, 170}};
    for (const MatmulShape& shape : shapes)
      for (int i = 0; i < 6; ++i) {
        CAPTURE(shape.m);
        check_error<float>(matmul_error<float>(backend, shape, random_options(random), random));
        check_error<double>(matmul_error<double>(backend, shape, random_options(random), random));
      }
  }
}

TEST_CASE("C03: matmul with K = 0 stores zeros, empty outputs are fine") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    const Strided<float> none({2, 0}), rows({0, 3});
    CHECK(product(backend, none, rows, {2, 3}).values() == std::vector<float>(6, 0.0f));
    CHECK(product(backend, Strided<float>({3, 2, 0}), Strided<float>({3, 0, 3}), {3, 2, 3}).values() ==
          std::vector<float>(18, 0.0f));
    CHECK(product(backend, Strided<float>({0, 4}), Strided<float>({4, 2}), {0, 2}).count() == 0);
    CHECK(product(backend, Strided<float>({2, 4}), Strided<float>({4, 0}), {2, 0}).count() == 0);
    CHECK(product(backend, Strided<double>({1, 0}), Strided<double>({0, 1}), {1, 1})[0] == 0.0);
    std::mt19937 random(3);
    MatmulOptions all;
    all.beta = 0.5, all.bias_rows = 0, all.alpha = std::numeric_limits<double>::infinity();
    CHECK(matmul_error<float>(backend, {{}, {}, {}, 4, 7, 0}, all, random) < 1e-6);
  }
}

TEST_CASE("matmul: the same bits with any number of threads") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    std::mt19937 random(5);
    const int64_t shapes[][3] = {
        {150, 170, 600}, {1, 900, 700}, {1, 5000, 130}, {33, 1000, 64}, {700, 1, 700}};
    for (const auto& s : shapes) {
      Strided<float> a({s[0], s[2]}), b({s[2], s[1]});
      a.randomise(random), b.randomise(random);
      const auto one = product(Backend(set, 1), a, b, {s[0], s[1]}).values();
      for (unsigned threads : {2u, 3u, 7u})
        CHECK(product(Backend(set, threads), a, b, {s[0], s[1]}).values() == one);
    }
  }
}

TEST_CASE("matmul: errors of long sums don't grow with their length") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    constexpr int64_t k = 1000000;
    Strided<float> a({1, k}), b({k, 1});
    a.fill([](int64_t) { return 0.1f; });
    b.fill([](int64_t) { return 1; });
    const double exact = 0.1f * static_cast<double>(k);
    CHECK(std::abs(product(backend, a, b, {1, 1})[0] / exact - 1) < 2e-5);
    Strided<float> rows({2, k}), columns({k, 2});
    rows.fill([](int64_t) { return 0.1f; });
    columns.fill([](int64_t) { return 1; });
    CHECK(std::abs(product(backend, rows, columns, {2, 2})[3] / exact - 1) < 2e-5);
  }
}
