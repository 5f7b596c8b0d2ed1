#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "backend.h"
#include "ulp.h"

using namespace cpu_simd_test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float tiny = std::numeric_limits<float>::denorm_min();
constexpr float top = std::numeric_limits<float>::max();

template <class T>
std::vector<T> map_of(Backend& backend, uint32_t fn, std::vector<T> x,
                      std::vector<double> params = {}) {
  std::vector<T> y(x.size());
  const tl_view in = view_of(x), out = view_of(y);
  REQUIRE(backend.map(fn, &in, out, std::move(params)) == TL_OK);
  return y;
}

struct Edge {
  const char* name;
  uint32_t fn;
  float x, y;
};

const Edge edges[] = {
    {"exp", TL_MAP_exp, 0, 1},
    {"exp", TL_MAP_exp, -0.0f, 1},
    {"exp", TL_MAP_exp, inf, inf},
    {"exp", TL_MAP_exp, -inf, 0},
    {"exp", TL_MAP_exp, 88.72283f, 3.40279852e38f},  // the last one before infinity
    {"exp", TL_MAP_exp, 88.72284f, inf},
    {"exp", TL_MAP_exp, -103.972f, tiny},  // the last one above zero
    {"exp", TL_MAP_exp, -103.973f, 0},
    {"log", TL_MAP_log, 0, -inf},
    {"log", TL_MAP_log, -0.0f, -inf},
    {"log", TL_MAP_log, 1, 0},
    {"log", TL_MAP_log, -1, not_a_number},
    {"log", TL_MAP_log, inf, inf},
    {"log", TL_MAP_log, tiny, -103.27893f},
    {"sin", TL_MAP_sin, -0.0f, -0.0f},
    {"sin", TL_MAP_sin, inf, not_a_number},
    {"cos", TL_MAP_cos, 0, 1},
    {"cos", TL_MAP_cos, -inf, not_a_number},
    {"erf", TL_MAP_erf, -0.0f, -0.0f},
    {"erf", TL_MAP_erf, tiny, tiny},
    {"erf", TL_MAP_erf, inf, 1},
    {"erf", TL_MAP_erf, -inf, -1},
    {"tanh", TL_MAP_tanh, -0.0f, -0.0f},
    {"tanh", TL_MAP_tanh, tiny, tiny},
    {"tanh", TL_MAP_tanh, inf, 1},
    {"tanh", TL_MAP_tanh, -inf, -1},
    {"sigmoid", TL_MAP_sigmoid, 0, 0.5f},
    {"sigmoid", TL_MAP_sigmoid, inf, 1},
    {"sigmoid", TL_MAP_sigmoid, -inf, 0},
    {"sigmoid", TL_MAP_sigmoid, -103.9f, tiny},
    {"relu", TL_MAP_relu, -1, 0},
    {"relu", TL_MAP_relu, -inf, 0},
    {"gelu", TL_MAP_gelu, -inf, 0},
    {"gelu", TL_MAP_gelu, inf, inf},
    {"gelu", TL_MAP_gelu, top, top},
    {"gelu_tanh", TL_MAP_gelu_tanh, -inf, 0},
    {"gelu_tanh", TL_MAP_gelu_tanh, inf, inf},
    {"gelu_tanh", TL_MAP_gelu_tanh, -top, 0},
    {"silu", TL_MAP_silu, -inf, 0},
    {"silu", TL_MAP_silu, inf, inf},
    {"sqrt", TL_MAP_sqrt, -0.0f, -0.0f},
    {"sqrt", TL_MAP_sqrt, -1, not_a_number},
    {"rsqrt", TL_MAP_rsqrt, 0, inf},
    {"neg", TL_MAP_neg, 0, -0.0f},
    {"abs", TL_MAP_abs, -0.0f, 0},
    {"sign", TL_MAP_sign, -tiny, -1},
    {"floor", TL_MAP_floor, -0.5f, -1},
    {"ceil", TL_MAP_ceil, -0.5f, -0.0f},
    {"round", TL_MAP_round, 2.5f, 2},
    {"round", TL_MAP_round, -0.5f, -0.0f},
    {"round", TL_MAP_round, 8388609, 8388609},
};

/// Every map function of real numbers and every zip function of two, with parameters that suit it.
struct Row {
  const char* name;
  uint32_t fn, params;
};
const Row maps[] = {
#define TL_MAP(id, name, domain, params, meaning) {#name, id, params},
#include <torchlight/ops.def>
};
const Row zips[] = {
#define TL_ZIP(id, name, domain, inputs, params, meaning) {#name, inputs == 2 ? id : 0, params},
#include <torchlight/ops.def>
};

bool creates(uint32_t fn) { return fn == TL_MAP_fill || fn == TL_MAP_arange || fn == TL_MAP_eye; }
bool gives_bool(uint32_t fn) { return fn >= TL_MAP_eq_scalar; }

template <class T> std::vector<T> mixed_values(size_t n) {
  std::mt19937 random(3);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(std::normal_distribution<double>(0, 4)(random));
  for (size_t i = 0; i < n; i += 11) x[i] = static_cast<T>(i % 3 ? not_a_number : i % 2 ? inf : -inf);
  for (size_t i = 5; i < n; i += 17) x[i] = static_cast<T>(i % 2 ? tiny : -0.0f);
  return x;
}

/// Each element by itself, in pieces of every length, and all at once: the same bits.
template <class T> void check_tails(Backend& backend) {
  const std::vector<T> x = mixed_values<T>(71);
  const std::vector<double> params{0.75, 1.5};
  for (const Row& row : maps) {
    if (creates(row.fn) || gives_bool(row.fn)) continue;
    const std::vector<double> some(params.begin(), params.begin() + row.params);
    const std::vector<T> whole = map_of(backend, row.fn, x, some);
    bool equal = true;
    for (size_t n = 1; n < x.size(); ++n) {
      const std::vector<T> part =
          map_of<T>(backend, row.fn, {x.end() - static_cast<int64_t>(n), x.end()}, some);
      equal = equal && std::memcmp(part.data(), &whole[x.size() - n], n * sizeof(T)) == 0;
    }
    INFO(row.name);
    CHECK(equal);
  }
}

}  // namespace

TEST_CASE("functions are right at zeros, infinities and the ends of their ranges") {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    for (const Edge& e : edges) {
      const float y = map_of<float>(backend, e.fn, {e.x})[0];
      INFO(set, " ", e.name, "(", e.x, ") = ", y, ", not ", e.y);
      CHECK(places_apart(y, e.y) <= (std::isfinite(e.y) && e.fn == TL_MAP_exp ? 1 : 0));
      if (std::signbit(e.y)) CHECK(std::signbit(y));
    }
  }
}

TEST_CASE("every function gives NaN for NaN") {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    for (const Row& row : maps) {
      if (creates(row.fn) || gives_bool(row.fn)) continue;
      INFO(set, " ", row.name);
      CHECK(std::isnan(
          map_of<float>(backend, row.fn, {not_a_number}, std::vector<double>(row.params, 0.5))[0]));
      CHECK(std::isnan(
          map_of<double>(backend, row.fn, {not_a_number}, std::vector<double>(row.params, 0.5))[0]));
    }
  }
}

TEST_CASE("an element's bits don't depend on where it stands") {
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set);
    check_tails<float>(backend);
    check_tails<double>(backend);
  }
}

TEST_CASE("in place gives the same bits, also for two inputs that are one") {
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set);
    const std::vector<float> x = mixed_values<float>(1000);
    const std::vector<float> y(x.rbegin(), x.rend());
    for (const Row& row : zips) {
      if (row.fn == 0 || (row.fn >= TL_ZIP_eq && row.fn <= TL_ZIP_logical_xor)) continue;
      std::vector<float> apart(x.size()), placed = x;
      const tl_view a = view_of(x), b = view_of(y), out = view_of(apart), same = view_of(placed);
      const std::vector<double> params(row.params, 0.5);
      REQUIRE(backend.zip(row.fn, {&a, &b}, out, params) == TL_OK);
      REQUIRE(backend.zip(row.fn, {&same, &b}, same, params) == TL_OK);
      INFO(row.name);
      CHECK(std::memcmp(apart.data(), placed.data(), x.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("A07: maximum and minimum are NaN on whichever side it stands") {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    const std::vector<float> x{not_a_number, 1, 2, -0.0f}, y{1, not_a_number, 3, 0};
    std::vector<float> z(4);
    const tl_view a = view_of(x), b = view_of(y), out = view_of(z);
    for (uint32_t fn : {TL_ZIP_maximum, TL_ZIP_minimum}) {
      REQUIRE(backend.zip(fn, {&a, &b}, out) == TL_OK);
      CHECK(std::isnan(z[0]));
      CHECK(std::isnan(z[1]));
      CHECK(z[2] == (fn == TL_ZIP_maximum ? 3 : 2));
    }
  }
}
