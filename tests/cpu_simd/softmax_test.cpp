#include <cmath>
#include <limits>

#include "call.h"
#include "strided.h"

using namespace cpu_simd_test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

struct SoftmaxOptions {
  double scale = 1;
  bool causal = false;
  int64_t causal_offset = 0;
};

template <class T>
void softmax_into(const Backend& backend, const Strided<T>& x, const Strided<T>* mask, Strided<T>& out,
                  const SoftmaxOptions& o = {}) {
  const tl_view x_view = x.view(), out_view = out.view();
  const tl_view mask_view = mask ? mask->view_as(x.extents()) : tl_view{};
  tl_attn_softmax_fw_args args{};
  args.input = &x_view;
  args.mask = mask ? &mask_view : nullptr;
  args.output = &out_view;
  args.scale = o.scale;
  args.causal = o.causal;
  args.causal_offset = o.causal_offset;
  attn_softmax_fw(backend, args);
}

template <class T>
Strided<T> softmax(const Backend& backend, const Strided<T>& x, const Strided<T>* mask = nullptr,
                   const SoftmaxOptions& o = {}) {
  Strided<T> out(x.extents());
  softmax_into(backend, x, mask, out, o);
  return out;
}

template <class T>
Strided<T> softmax_gradient(const Backend& backend, const Strided<T>& grad, const Strided<T>& soft,
                            double scale = 1, const Layout& layout = {}) {
  Strided<T> out(soft.extents(), layout);
  const tl_view grad_view = grad.view(), soft_view = soft.view(), out_view = out.view();
  tl_attn_softmax_bw_args args{};
  args.grad = &grad_view;
  args.soft = &soft_view;
  args.output = &out_view;
  args.scale = scale;
  attn_softmax_bw(backend, args);
  CHECK(out.gaps_untouched());
  return out;
}

/// Row by row in double.
template <class T>
std::vector<double> reference(const Strided<T>& x, const Strided<T>* mask, const SoftmaxOptions& o) {
  const int64_t columns = x.extents().back(), count = x.count();
  const int64_t queries = x.extents().size() > 1 ? x.extents()[x.extents().size() - 2] : 1;
  std::vector<double> result(static_cast<size_t>(count), 0.0);
  for (int64_t row = 0; row < count / columns; ++row) {
    std::vector<double> score(static_cast<size_t>(columns), -INFINITY);
    double top = -INFINITY, total = 0;
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t i = row * columns + j;
      if (o.causal && j > row % queries + o.causal_offset) continue;
      double& s = score[static_cast<size_t>(j)];
      s = o.scale * static_cast<double>(x[i]);
      if (mask) s += static_cast<double>((*mask)[broadcast_index(i, x.extents(), mask->extents())]);
      top = std::max(top, s);
    }
    if (top == -INFINITY) continue;
    for (double s : score) total += std::exp(s - top);
    for (int64_t j = 0; j < columns; ++j)
      result[static_cast<size_t>(row * columns + j)] =
          std::exp(score[static_cast<size_t>(j)] - top) / total;
  }
  return result;
}

template <class T>
void check_forward(const Backend& backend, const Extents& extents, const Extents& mask_extents,
                   const SoftmaxOptions& o, std::mt19937& random) {
  Strided<T> x(extents, random_layout(extents.size(), random));
  Strided<T> mask(mask_extents, random_layout(extents.size(), random));
  Strided<T> out(extents, random_layout(extents.size(), random));
  x.randomise(random, -8, 8);
  mask.fill([&](int64_t) { return random() % 4 == 0 ? -INFINITY : 0.5; });
  softmax_into(backend, x, &mask, out, o);
  const std::vector<double> expected = reference(x, &mask, o);
  double worst = out.gaps_untouched() ? 0 : 1;
  for (int64_t i = 0; i < out.count(); ++i) {
    const double error = std::abs(static_cast<double>(out[i]) - expected[static_cast<size_t>(i)]);
    worst = error <= worst ? worst : std::isnan(error) ? 1 : error;
  }
  CHECK(worst < (sizeof(T) == 4 ? 1e-6 : 1e-14));
}

}  // namespace

TEST_CASE("softmax: any shape, layout, mask, scale and causal offset agrees with rows in double") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set, 2);
    std::mt19937 random(4);
    const Extents shapes[] = {{1},          {7},           {3, 5},    {4, 16},    {2, 3, 33},
                              {2, 2, 5, 9}, {1, 1, 3, 64}, {5, 1100}, {700, 130}, {2, 1, 2, 1, 40}};
    for (const Extents& extents : shapes)
      for (int i = 0; i < 8; ++i) {
        Extents mask = extents;
        for (int64_t& n : mask)
          if (random() % 3 == 0) n = 1;
        const SoftmaxOptions o{i % 2 ? 0.3 : 1, i % 4 == 3, static_cast<int64_t>(random() % 5) - 2};
        check_forward<float>(backend, extents, mask, o, random);
        check_forward<double>(backend, extents, mask, o, random);
      }
  }
}

TEST_CASE("B01: rows that the mask empties give zeros, forward and backward") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    Strided<float> x({2, 3}), mask({2, 3}), grad({2, 3});
    x.assign({1, 2, 3, 1, 2, 3});
    mask.assign({0, 0, -infinity, -infinity, -infinity, -infinity});
    grad.assign({1, 0, 0, 1, 1, 1});
    const Strided<float> y = softmax(backend, x, &mask);
    const std::vector<float> expected{0.26894142f, 0.73105858f, 0, 0, 0, 0};
    for (int64_t i = 0; i < 6; ++i)
      CHECK(y[i] == doctest::Approx(expected[static_cast<size_t>(i)]).epsilon(1e-6));
    const Strided<float> dx = softmax_gradient(backend, grad, y);
    const std::vector<float> gradient{0.19661193f, -0.19661193f, 0, 0, 0, 0};
    for (int64_t i = 0; i < 6; ++i)
      CHECK(dx[i] == doctest::Approx(gradient[static_cast<size_t>(i)]).epsilon(1e-5));
    CHECK(softmax(backend, Strided<float>({1, 3}).assign({-infinity, -infinity, -infinity})).values() ==
          std::vector<float>{0, 0, 0});
  }
}

TEST_CASE("B04: one column and values at the end of the range") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    for (const std::vector<float>& row : {std::vector<float>{88.72284f}, std::vector<float>{-3e38f},
                                          std::vector<float>{3e38f, -3e38f}}) {
      const int64_t n = static_cast<int64_t>(row.size());
      Strided<float> x({1, n}), grad({1, n});
      x.assign(row), grad.fill([](int64_t) { return 1; });
      const Strided<float> y = softmax(backend, x);
      CHECK(y[0] == 1.0f);
      if (n == 2) CHECK(y[1] == 0.0f);
      for (float value : softmax_gradient(backend, grad, y).values()) CHECK(value == 0.0f);
    }
  }
}

TEST_CASE("B06: a broadcast mask gives the bits of the mask expanded by hand") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    constexpr float n = -infinity;
    const Extents shape{2, 2, 2, 3};
    struct Case {
      Extents mask;
      std::vector<float> values;
      std::vector<float> row;  ///< expected in the first and the last row
      std::vector<float> last;
    };
    constexpr float third = 1.0f / 3;
    const Case cases[] = {
        {{1, 1, 1, 3}, {0, n, 0}, {.5f, 0, .5f}, {.5f, 0, .5f}},
        {{2, 1, 1, 3}, {0, 0, n, n, 0, 0}, {.5f, .5f, 0}, {0, .5f, .5f}},
        {{1, 1, 2, 3}, {0, n, n, 0, 0, n}, {1, 0, 0}, {.5f, .5f, 0}},
        {{2, 2, 2, 3}, std::vector<float>(24, 0.0f), {third, third, third}, {third, third, third}}};
    std::mt19937 random(2);
    for (const Case& c : cases) {
      Strided<float> mask(c.mask), expanded(shape), zeros(shape), noise(shape), grad(shape);
      mask.assign(c.values);
      expanded.fill([&](int64_t i) { return mask[broadcast_index(i, shape, c.mask)]; });
      zeros.fill([](int64_t) { return 0; }), noise.randomise(random), grad.randomise(random);
      const std::vector<float> y = softmax(backend, zeros, &mask).values();
      CHECK(std::vector<float>(y.begin(), y.begin() + 3) == c.row);
      CHECK(std::vector<float>(y.end() - 3, y.end()) == c.last);
      const Strided<float> broadcast = softmax(backend, noise, &mask),
                           by_hand = softmax(backend, noise, &expanded);
      CHECK(broadcast.values() == by_hand.values());
      CHECK(softmax_gradient(backend, grad, broadcast).values() ==
            softmax_gradient(backend, grad, by_hand).values());
    }
    const tl_view x_view = Strided<float>(shape).view(), out_view = x_view;
    for (const Extents& bad : {Extents{1, 1, 1, 2}, Extents{1, 1, 4, 3}, Extents{2, 3, 1, 3}}) {
      const tl_view mask_view = Strided<float>(bad).view();
      tl_attn_softmax_fw_args args{};
      args.input = &x_view, args.mask = &mask_view, args.output = &out_view, args.scale = 1;
      CHECK(ask(backend, TL_PRIMITIVE_ATTN_SOFTMAX_FW, args).status == TL_E_ARGUMENT);
    }
  }
}

TEST_CASE("softmax: NaN fills its row and no other, wherever it stands") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    for (int64_t n : {1, 3, 8, 17, 40})
      for (int64_t p = 0; p < n; ++p)
        for (float rest : {0.0f, -infinity}) {
          Strided<float> x({2, n});
          x.fill([&](int64_t i) { return i == p ? nan_value : i < n ? rest : 1.0f; });
          const Strided<float> y = softmax(backend, x);
          for (int64_t i = 0; i < 2 * n; ++i) CHECK(std::isnan(y[i]) == (i < n));
        }
  }
}

TEST_CASE("softmax: in place gives the same bits, as do all layouts and thread counts") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    std::mt19937 random(8);
    Strided<float> x({300, 523}), columns({300, 523}, {{1, 0}, {1, 2}});
    x.randomise(random), columns.assign(x.values());
    const std::vector<float> y = softmax(backend, x).values();
    CHECK(softmax(backend, columns).values() == y);
    CHECK(softmax(Backend(set, 4), x).values() == y);
    Strided<float> in_place = x;
    softmax_into<float>(backend, in_place, nullptr, in_place);
    CHECK(in_place.values() == y);
  }
}

TEST_CASE("softmax backward: any layout agrees with rows in double, in place as well") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set, 2);
    std::mt19937 random(6);
    for (const Extents& extents : {Extents{1}, Extents{3, 7}, Extents{2, 3, 40}, Extents{400, 600}}) {
      Strided<double> grad(extents, random_layout(extents.size(), random));
      Strided<double> soft(extents, random_layout(extents.size(), random));
      grad.randomise(random), soft.randomise(random, 0, 1);
      const Strided<double> out =
          softmax_gradient(backend, grad, soft, 0.7, random_layout(extents.size(), random));
      const int64_t columns = extents.back();
      double worst = 0;
      for (int64_t i = 0; i < out.count(); ++i) {
        double dot = 0;
        for (int64_t j = 0; j < columns; ++j)
          dot += grad[i / columns * columns + j] * soft[i / columns * columns + j];
        worst =
            std::max(worst, std::abs(out[i] - 0.7 * soft[i] * (grad[i] - dot)) / (1 + std::abs(dot)));
      }
      CHECK(worst < 1e-14);
    }
  }
}

TEST_CASE("softmax: no rows or no columns is fine, unknown things are declined") {
  const Backend backend(supported_sets().back());
  CHECK(softmax(backend, Strided<float>({0, 4})).count() == 0);
  CHECK(softmax(backend, Strided<float>({4, 0})).count() == 0);
  const Strided<int64_t> whole({2, 2});
  const tl_view view = whole.view();
  tl_attn_softmax_fw_args args{};
  args.input = &view, args.output = &view;
  CHECK(ask(backend, TL_PRIMITIVE_ATTN_SOFTMAX_FW, args).status == TL_DECLINED);
  const Strided<float> x({2, 2});
  const tl_view real = x.view();
  args.input = args.output = &real;
  CHECK(ask(backend, TL_PRIMITIVE_ATTN_SOFTMAX_FW, args).status == TL_OK);
  args.head.flags = 4;
  CHECK(ask(backend, TL_PRIMITIVE_ATTN_SOFTMAX_FW, args).status == TL_DECLINED);
}
