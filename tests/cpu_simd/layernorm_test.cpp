#include <cmath>
#include <optional>

#include "call.h"
#include "strided.h"

using namespace cpu_simd_test;

namespace {

/// Views of arrays that may be absent.
struct Views {
  std::vector<tl_view> memory;
  Views() { memory.reserve(16); }
  template <class T> const tl_view* of(const Strided<T>* array) {
    if (!array) return nullptr;
    memory.push_back(array->view());
    return &memory.back();
  }
};

template <class T> struct Forward {
  const Strided<T>* input = nullptr;
  const Strided<T>* gamma = nullptr;
  const Strided<T>* beta = nullptr;
  Strided<T>* output = nullptr;
  Strided<T>* mean = nullptr;
  Strided<T>* rstd = nullptr;
  double eps = 1e-5;
  uint32_t normalized = 1;

  void run(const Backend& backend) const {
    Views views;
    tl_layernorm_fw_args args{};
    args.input = views.of(input), args.gamma = views.of(gamma), args.beta = views.of(beta);
    args.output = views.of(output), args.mean = views.of(mean), args.rstd = views.of(rstd);
    args.eps = eps, args.normalized = normalized;
    layernorm_fw(backend, args);
    for (const Strided<T>* out : {output, mean, rstd}) CHECK((!out || out->gaps_untouched()));
  }
};

template <class T> struct Backward {
  const Strided<T>* grad = nullptr;
  const Strided<T>* input = nullptr;
  const Strided<T>* gamma = nullptr;
  const Strided<T>* mean = nullptr;
  const Strided<T>* rstd = nullptr;
  Strided<T>* dinput = nullptr;
  Strided<T>* dgamma = nullptr;
  Strided<T>* dbeta = nullptr;
  double eps = 1e-5;
  uint32_t normalized = 1;

  void run(const Backend& backend) const {
    Views views;
    tl_layernorm_bw_args args{};
    args.grad = views.of(grad), args.input = views.of(input), args.gamma = views.of(gamma);
    args.mean = views.of(mean), args.rstd = views.of(rstd), args.dinput = views.of(dinput);
    args.dgamma = views.of(dgamma), args.dbeta = views.of(dbeta);
    args.eps = eps, args.normalized = normalized;
    layernorm_bw(backend, args);
    for (const Strided<T>* out : {dinput, dgamma, dbeta}) CHECK((!out || out->gaps_untouched()));
  }
};

/// Everything by the formulas, in double, for `columns` normalised elements in each row.
struct Reference {
  std::vector<double> mean, rstd, output, dinput, dgamma, dbeta;

  template <class T>
  Reference(const Strided<T>& x, const Strided<T>* gamma, const Strided<T>* beta,
            const Strided<T>* grad, int64_t columns, double eps) {
    const int64_t rows = x.count() / std::max<int64_t>(columns, 1);
    const double n = static_cast<double>(columns);
    dgamma.assign(static_cast<size_t>(columns), 0), dbeta = dgamma;
    const auto weight = [&](int64_t j) { return gamma ? static_cast<double>((*gamma)[j]) : 1.0; };
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0, squares = 0;
      for (int64_t j = 0; j < columns; ++j) sum += static_cast<double>(x[r * columns + j]);
      const double m = sum / n;
      for (int64_t j = 0; j < columns; ++j)
        squares += std::pow(static_cast<double>(x[r * columns + j]) - m, 2);
      const double s = 1 / std::sqrt(squares / n + eps);
      mean.push_back(m), rstd.push_back(s);
      const auto hat = [&](int64_t j) { return (static_cast<double>(x[r * columns + j]) - m) * s; };
      const auto g = [&](int64_t j) {
        return grad ? static_cast<double>((*grad)[r * columns + j]) : 0.0;
      };
      double h = 0, hx = 0;
      for (int64_t j = 0; j < columns; ++j) {
        output.push_back(hat(j) * weight(j) + (beta ? static_cast<double>((*beta)[j]) : 0));
        h += g(j) * weight(j), hx += g(j) * weight(j) * hat(j);
        dgamma[static_cast<size_t>(j)] += g(j) * hat(j), dbeta[static_cast<size_t>(j)] += g(j);
      }
      for (int64_t j = 0; j < columns; ++j)
        dinput.push_back(s * (g(j) * weight(j) - h / n - hat(j) * hx / n));
    }
  }
};

template <class T>
double largest_difference(const Strided<T>& got, const std::vector<double>& expected) {
  double worst = got.count() == static_cast<int64_t>(expected.size()) ? 0 : 1e30;
  for (int64_t i = 0; i < got.count(); ++i) {
    const double e = expected[static_cast<size_t>(i)];
    const double error = std::abs(static_cast<double>(got[i]) - e) / (1 + std::abs(e));
    worst = error <= worst ? worst : std::isnan(error) ? 1e30 : error;
  }
  return worst;
}

template <class T>
void check_both_ways(const Backend& backend, const Extents& extents, uint32_t normalized, bool affine,
                     bool saved, double centre, std::mt19937& random) {
  const Extents lead(extents.begin(), extents.end() - normalized),
      last(extents.end() - normalized, extents.end());
  const auto layout = [&](const Extents& e) { return random_layout(e.size(), random); };
  Strided<T> x(extents, layout(extents)), grad(extents, layout(extents)), y(extents, layout(extents)),
      dx(extents, layout(extents)), gamma(last, layout(last)), beta(last, layout(last)),
      dgamma(last, layout(last)), dbeta(last, layout(last)), mean(lead, layout(lead)),
      rstd(lead, layout(lead));
  x.randomise(random, centre - 1, centre + 1), grad.randomise(random), gamma.randomise(random),
      beta.randomise(random);

  Forward<T> forward{&x, affine ? &gamma : nullptr, affine ? &beta : nullptr, &y};
  if (saved) forward.mean = &mean, forward.rstd = &rstd;
  forward.normalized = normalized;
  forward.run(backend);
  Backward<T> backward{&grad, &x, affine ? &gamma : nullptr};
  if (saved) backward.mean = &mean, backward.rstd = &rstd;
  backward.dinput = &dx, backward.dgamma = &dgamma, backward.dbeta = &dbeta,
  backward.normalized = normalized;
  backward.run(backend);

  const Reference expected(x, affine ? &gamma : nullptr, affine ? &beta : nullptr, &grad,
                           count_of(last), 1e-5);
  const double bound = sizeof(T) == 4 ? 2e-6 : 1e-12;
  CHECK(largest_difference(y, expected.output) < bound);
  CHECK(largest_difference(dx, expected.dinput) < bound);
  CHECK(largest_difference(dgamma, expected.dgamma) < 2 * bound);
  CHECK(largest_difference(dbeta, expected.dbeta) < bound);
  if (!saved) return;
  CHECK(largest_difference(mean, expected.mean) < bound);
  CHECK(largest_difference(rstd, expected.rstd) < bound);
}

}  // namespace

TEST_CASE("layernorm: any shape and layout agrees with the formulas in double, forward and backward") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set, 2);
    std::mt19937 random(9);
    const Extents shapes[] = {{6},          {3, 5},    {2, 3, 16}, {9, 33},   {17, 64},
                              {2, 5, 4, 7}, {3, 1100}, {40, 1},    {300, 257}};
    for (const Extents& extents : shapes)
      for (uint32_t normalized = 1; normalized <= extents.size(); ++normalized)
        for (bool affine : {false, true})
          for (bool saved : {false, true}) {
            CAPTURE(extents.size());
            CAPTURE(normalized);
            CAPTURE(extents.back());
            check_both_ways<float>(backend, extents, normalized, affine, saved, 0, random);
            check_both_ways<double>(backend, extents, normalized, affine, saved, 3, random);
          }
  }
}

TEST_CASE("layernorm: values that are large and close together keep their accuracy") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    std::mt19937 random(10);
    for (bool saved : {false, true})
      check_both_ways<float>(backend, {4, 300}, 1, true, saved, 30000, random);
  }
}

TEST_CASE("B07: layernorm of a constant row") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    const auto constant = [](int64_t) { return 1234.0f; };
    Strided<float> x({256}), gamma({256}), beta({256}), y({256});
    x.fill(constant), gamma.fill([](int64_t) { return 1; }), beta.fill([](int64_t) { return 0.5f; });
    Forward<float> forward{&x, &gamma, &beta, &y};
    forward.run(backend);
    CHECK(y.values() == std::vector<float>(256, 0.5f));
    forward.eps = 0;
    forward.run(backend);  // may give NaN, must not trap

    Strided<float> row({4}), grad({4}), dx({4});
    row.fill(constant), grad.assign({1, 0, 0, 0});
    Backward<float> backward{&grad, &row};
    backward.dinput = &dx;
    backward.run(backend);
    const float expected[] = {237.17082f, -79.056942f, -79.056942f, -79.056942f};
    for (int64_t i = 0; i < 4; ++i) CHECK(dx[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    backward.eps = 0;
    backward.run(backend);
  }
}

TEST_CASE("B09: layernorm's three gradients where gamma isn't 1") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    Strided<float> x({1, 4}), gamma({4}), grad({1, 4}), dx({1, 4}), dgamma({4}), dbeta({4});
    x.assign({1, 2, 3, 4}), gamma.assign({1, 2, 1, 1}), grad.fill([](int64_t) { return 1; });
    Backward<float> backward{&grad, &x, &gamma};
    backward.dinput = &dx, backward.dgamma = &dgamma, backward.dbeta = &dbeta;
    backward.run(backend);
    const float dx_expected[] = {-0.35776837f, 0.62609689f, -0.17888508f, -0.08944344f},
                dgamma_expected[] = {-1.3416354f, -0.4472118f, 0.4472118f, 1.3416354f};
    for (int64_t i = 0; i < 4; ++i) {
      CHECK(dx[i] == doctest::Approx(dx_expected[i]).epsilon(1e-5));
      CHECK(dgamma[i] == doctest::Approx(dgamma_expected[i]).epsilon(1e-5));
      CHECK(dbeta[i] == 1.0f);
    }
  }
}

TEST_CASE("layernorm backward: each output is optional and the others keep their bits") {
  const Backend backend(supported_sets().back());
  std::mt19937 random(12);
  Strided<float> x({50, 70}), gamma({70}), grad({50, 70});
  x.randomise(random), gamma.randomise(random), grad.randomise(random);
  std::vector<std::vector<float>> all;
  for (int wanted = 7; wanted > 0; --wanted) {
    Strided<float> dx({50, 70}), dgamma({70}), dbeta({70});
    Backward<float> backward{&grad, &x, &gamma};
    if (wanted & 1) backward.dinput = &dx;
    if (wanted & 2) backward.dgamma = &dgamma;
    if (wanted & 4) backward.dbeta = &dbeta;
    backward.run(backend);
    if (wanted == 7) all = {dx.values(), dgamma.values(), dbeta.values()};
    if (wanted & 1) CHECK(dx.values() == all[0]);
    if (wanted & 2) CHECK(dgamma.values() == all[1]);
    if (wanted & 4) CHECK(dbeta.values() == all[2]);
  }
}

TEST_CASE("layernorm backward: a million rows add up") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    constexpr int64_t rows = 1000000;
    Strided<float> x({rows, 2}), grad({rows, 2});
    x.fill([](int64_t i) { return i % 2 ? 1.0f : -1.0f; });
    grad.fill([](int64_t) { return 0.1f; });
    std::vector<std::vector<float>> results;
    for (unsigned threads : {1u, 3u}) {
      Strided<float> dgamma({2}), dbeta({2});
      Backward<float> backward{&grad, &x};
      backward.dgamma = &dgamma, backward.dbeta = &dbeta;
      backward.run(Backend(set, threads));
      CHECK(dbeta[0] == doctest::Approx(100000.0).epsilon(1e-6));
      CHECK(dbeta[1] == doctest::Approx(100000.0).epsilon(1e-6));
      CHECK(dgamma[1] == doctest::Approx(0.1f * 1e6 / std::sqrt(1 + 1e-5)).epsilon(1e-6));
      results.push_back(dgamma.values()), results.push_back(dbeta.values());
    }
    CHECK(results[0] == results[2]);  // whatever the number of threads
    CHECK(results[1] == results[3]);
  }
}

TEST_CASE("layernorm: in place, no rows, no columns, infinities") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    std::mt19937 random(13);
    Strided<float> x({7, 600}), y({7, 600});
    x.randomise(random);
    Forward<float>{&x, nullptr, nullptr, &y}.run(backend);
    Strided<float> same = x;
    Forward<float>{&same, nullptr, nullptr, &same}.run(backend);
    CHECK(same.values() == y.values());

    Strided<float> no_rows({0, 3}), dgamma({3}), dbeta({3});
    Backward<float> backward{&no_rows, &no_rows};
    backward.dgamma = &dgamma, backward.dbeta = &dbeta;
    backward.run(backend);
    CHECK(dgamma.values() == std::vector<float>(3, 0.0f));
    CHECK(dbeta.values() == std::vector<float>(3, 0.0f));
    Strided<float> no_columns({3, 0}), mean({3});
    Forward<float>{&no_columns, nullptr, nullptr, &no_columns, &mean}.run(backend);
    CHECK(std::isnan(mean[0]));

    Strided<float> grad({20, 1}), values({20, 1}), sum({1});
    grad.fill([](int64_t i) { return i == 3 ? INFINITY : 1.0f; }),
        values.fill([](int64_t i) { return i; });
    Backward<float> of_infinity{&grad, &values};
    of_infinity.dbeta = &sum;
    of_infinity.run(backend);
    CHECK(sum[0] == INFINITY);
  }
}

TEST_CASE("layernorm: what is one number for a row or for a column never lies in an input") {
  const Backend backend(supported_sets().back());
  std::vector<float> memory(100, 1);
  const auto view = [&](int64_t at, std::vector<int64_t> extents) {
    return view_of(memory.data() + at, {TL_FLOAT, 32, 1}, std::move(extents));
  };
  const auto refusal = [&](auto function, auto& args) {
    char text[256] = "";
    tl_error error{sizeof error, sizeof text, text};
    args.head.size = sizeof args;
    const int32_t status = function(backend.device(), nullptr, &args, &error);
    return status == TL_OK ? std::string() : std::to_string(status) + ": " + text;
  };
  const tl_view x = view(0, {3, 3}), gamma = view(9, {3}), saved = view(12, {3}), y = view(20, {3, 3}),
                free = view(40, {3}), over = view(8, {3}), behind = view(10, {3});
  tl_layernorm_fw_args forward{};
  forward.input = &x, forward.gamma = &gamma, forward.output = &y, forward.normalized = 1;
  const auto fw = backend.table().layernorm_fw;
  for (const tl_view* shared : {&gamma, &behind}) {
    forward.mean = shared;
    CHECK(refusal(fw, forward) == "-1: mean shares memory with gamma");
  }
  forward.mean = &free, forward.rstd = &over;
  CHECK(refusal(fw, forward) == "-1: rstd shares memory with input");
  forward.rstd = &saved, forward.output = &x;
  CHECK(refusal(fw, forward) == "");

  tl_layernorm_bw_args backward{};
  backward.grad = &y, backward.input = &x, backward.gamma = &gamma, backward.mean = &saved;
  backward.dgamma = &gamma, backward.normalized = 1;
  std::vector<uint8_t> scratch(100'000);
  const tl_view workspace = view_of(scratch.data(), {TL_UINT, 8, 1}, {100'000});
  backward.head.workspace = &workspace;
  const auto bw = backend.table().layernorm_bw;
  CHECK(refusal(bw, backward) == "-1: dgamma shares memory with gamma");
  CHECK(ask(backend, TL_PRIMITIVE_LAYERNORM_BW, backward).status == TL_OK);  // memory isn't looked at
  backward.dgamma = nullptr, backward.dbeta = &saved;
  CHECK(refusal(bw, backward) == "-1: dbeta shares memory with mean");
  // In the gaps of an input is beside it.
  tl_view columns = view(50, {3, 3}), between = view(51, {3});
  columns.stride[0] = 6, columns.stride[1] = 2, between.stride[0] = 2;
  backward.grad = &columns, backward.dbeta = &between;
  CHECK(refusal(bw, backward) == "");
  between.byte_offset -= 4;
  CHECK(refusal(bw, backward) == "-1: dbeta shares memory with grad");
  backward.dbeta = &free, backward.dinput = &columns;
  CHECK(refusal(bw, backward) == "");
}
