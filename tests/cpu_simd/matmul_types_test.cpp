#include <array>
#include <bit>

#include "matmul_reference.h"

namespace cpu_simd_test {
template <> constexpr tl_dtype dtype_of<int16_t>() { return {TL_INT, 16, 1}; }
}  // namespace cpu_simd_test

using namespace cpu_simd_test;

/// Other types than float32 and float64, activations, and what is declined.
namespace {

uint16_t to_bfloat16(float x) {
  const uint32_t u = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
float from_bfloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

/// For small whole numbers and halves of them: enough for a test of exact sums.
uint16_t to_float16(float x) {
  if (x == 0) return 0;
  const uint32_t u = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((u >> 31 << 15) | ((u >> 23 & 255) - 112) << 10 | (u >> 13 & 1023));
}
float from_float16(uint16_t x) {
  const float magnitude = std::bit_cast<float>((uint32_t{x} & 0x7fff) << 13) * 0x1p112f;
  return x & 0x8000 ? -magnitude : magnitude;
}

constexpr tl_dtype float16{TL_FLOAT, 16, 1}, bfloat16{TL_BFLOAT, 16, 1};

tl_view typed(tl_view view, tl_dtype dtype) {
  view.dtype = dtype;
  return view;
}

/// Halves of whole numbers, whose products and sums are exact in float32 and mostly in 16 bits.
void check_sixteen_bits(const Backend& backend, tl_dtype dtype, uint16_t (*narrow)(float),
                        float (*widen)(uint16_t), bool wide_output, std::mt19937& random) {
  const int64_t m = 1 + random() % 40, n = 1 + random() % 40, k = 1 + random() % 60;
  const auto layout = [&] { return random_layout(2, random); };
  Strided<int16_t> a({m, k}, layout()), b({k, n}, layout()), out({m, n}, layout()),
      bias({1, n}, layout());
  Strided<float> wide({m, n}, layout()), wide_bias({1, n}, layout());
  const auto half = [&] { return (static_cast<float>(random() % 9) - 4) / 2; };
  const auto fill = [&](Strided<int16_t>& x) {
    x.fill([&](int64_t) { return std::bit_cast<int16_t>(narrow(half())); });
  };
  fill(a), fill(b), fill(out), fill(bias);
  wide.fill([&](int64_t) { return half(); }), wide_bias.fill([&](int64_t) { return half(); });
  const auto number = [&](int16_t x) { return widen(std::bit_cast<uint16_t>(x)); };
  std::vector<float> expected;
  for (int64_t i = 0; i < m * n; ++i) {
    float sum = 0;
    for (int64_t l = 0; l < k; ++l) sum += number(a[i / n * k + l]) * number(b[l * n + i % n]);
    const float before = wide_output ? wide[i] : number(out[i]);
    const float add = wide_output ? wide_bias[i % n] : number(bias[i % n]);
    expected.push_back(0.5f * sum + 2 * before + add);
  }
  const tl_view av = typed(a.view(), dtype), bv = typed(b.view(), dtype);
  const tl_view ov = wide_output ? wide.view() : typed(out.view(), dtype);
  tl_view biasv = wide_output ? wide_bias.view() : typed(bias.view(), dtype);
  biasv.extent[0] = m, biasv.stride[0] = 0;
  tl_matmul_args args{};
  args.a = &av, args.b = &bv, args.output = &ov, args.bias = &biasv, args.alpha = 0.5, args.beta = 2;
  matmul(backend, args);
  bool right = out.gaps_untouched() && wide.gaps_untouched();
  for (int64_t i = 0; i < m * n; ++i)
    right &= wide_output ? wide[i] == expected[static_cast<size_t>(i)]
                         : std::bit_cast<uint16_t>(out[i]) == narrow(expected[static_cast<size_t>(i)]);
  CHECK(right);
}

}  // namespace

TEST_CASE("matmul: float16 and bfloat16 are summed in float32, into their own type or float32") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    std::mt19937 random(16);
    for (int i = 0; i < 30; ++i)
      for (bool wide : {false, true}) {
        check_sixteen_bits(backend, bfloat16, to_bfloat16, from_bfloat16, wide, random);
        check_sixteen_bits(backend, float16, to_float16, from_float16, wide, random);
      }
  }
}

TEST_CASE("matmul: sums of float16 beyond its range and precision are kept until the end") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    Strided<int16_t> a({1, 4000}), b({4000, 1}), out({1, 1});
    a.fill([&](int64_t i) { return std::bit_cast<int16_t>(to_float16(i < 2000 ? 64.0f : -64.0f)); });
    b.fill([&](int64_t i) { return std::bit_cast<int16_t>(to_float16(i == 3999 ? 63.5f : 64.0f)); });
    const tl_view av = typed(a.view(), float16), bv = typed(b.view(), float16),
                  ov = typed(out.view(), float16);
    tl_matmul_args args{};
    args.a = &av, args.b = &bv, args.output = &ov, args.alpha = 1;
    matmul(backend, args);  // 2000 * 4096 is far beyond 65504; what is left is 64 * 0.5
    CHECK(from_float16(std::bit_cast<uint16_t>(out[0])) == 32.0f);
  }
}

TEST_CASE("matmul: int64 in any layout, modulo 2^64") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set, 2);
    std::mt19937_64 wide(17);
    std::mt19937 random(18);
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{3, 4, 5}, {1, 70, 9}, {120, 90, 80}, {4, 3, 0}}) {
      Strided<int64_t> a({m, k}, random_layout(2, random)), b({k, n}, random_layout(2, random)),
          out({m, n}, random_layout(2, random));
      const auto any = [&](int64_t) { return static_cast<int64_t>(wide()); };
      a.fill(any), b.fill(any), out.fill(any);
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < m * n; ++i) {
        uint64_t sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += static_cast<uint64_t>(a[i / n * k + l]) * static_cast<uint64_t>(b[l * n + i % n]);
        expected.push_back(static_cast<int64_t>(3 * sum - 2 * static_cast<uint64_t>(out[i])));
      }
      const tl_view av = a.view(), bv = b.view(), ov = out.view();
      tl_matmul_args args{};
      args.a = &av, args.b = &bv, args.output = &ov, args.alpha = 3, args.beta = -2;
      matmul(backend, args);
      CHECK(out.values() == expected);
      CHECK(out.gaps_untouched());
    }
  }
}

TEST_CASE("matmul: an activation gives the bits of the map applied afterwards") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    Backend backend(set);
    std::mt19937 random(19);
    for (int64_t n : {5, 40, 200})
      for (uint32_t fn :
           {TL_MAP_relu, TL_MAP_gelu, TL_MAP_gelu_tanh, TL_MAP_sigmoid, TL_MAP_tanh, TL_MAP_silu}) {
        Strided<float> a({n, 30}), b({30, n}), plain({n, n}), active({n, n}),
            columns({n, n}, {{1, 0}, {2, 1}});
        a.randomise(random), b.randomise(random);
        const auto run = [&](Strided<float>& out, uint32_t activation) {
          const tl_view av = a.view(), bv = b.view(), ov = out.view();
          tl_matmul_args args{};
          args.a = &av, args.b = &bv, args.output = &ov, args.alpha = 1, args.activation = activation;
          CHECK(matmul(backend, args).status == TL_OK);
        };
        run(plain, TL_FN_NONE), run(active, fn), run(columns, fn);
        const tl_view in = plain.view(), out = plain.view();
        REQUIRE(backend.map(fn, &in, out) == TL_OK);
        CHECK(active.values() == plain.values());
        CHECK(columns.gaps_untouched());
      }
  }
}

TEST_CASE("matmul: what isn't offered is declined with a reason, what can't be is an error") {
  const Backend backend(supported_sets().back());
  Strided<float> x({2, 3}), y({3, 4}), out({2, 4}), wrong({2, 5});
  Strided<double> other({3, 4});
  Strided<int64_t> i({2, 3}), j({3, 4}), whole({2, 4});
  tl_view a = x.view(), b = y.view(), o = out.view();
  tl_matmul_args args{};
  args.a = &a, args.b = &b, args.output = &o, args.alpha = 1;
  const auto status = [&] {
    const Reply reply = ask(backend, TL_PRIMITIVE_MATMUL, args);
    CHECK((reply.status == TL_OK) == reply.text.empty());
    return reply.status;
  };
  CHECK(status() == TL_OK);
  b = other.view();
  CHECK(status() == TL_DECLINED);
  b = y.view(), o = wrong.view();
  CHECK(status() == TL_E_ARGUMENT);
  o = out.view(), args.head.flags = 1;
  CHECK(status() == TL_DECLINED);
  args.head.flags = 0, args.activation = TL_MAP_leaky_relu;  // has a parameter
  CHECK(status() == TL_DECLINED);
  args.activation = TL_MAP_isnan;  // gives bool
  CHECK(status() == TL_DECLINED);
  args.activation = 9999;
  CHECK(status() == TL_DECLINED);
  args.activation = TL_FN_NONE, args.reserved = 1;
  CHECK(status() == TL_DECLINED);
  args.reserved = 0, a.flags = 256;
  CHECK(status() == TL_DECLINED);
  a = i.view(), b = j.view(), o = whole.view();
  CHECK(status() == TL_OK);
  args.alpha = 0.5;
  CHECK(status() == TL_DECLINED);
}

TEST_CASE("matmul: without the workspace it asked for it says so and writes nothing") {
  const Backend backend(supported_sets().back());
  Strided<float> a({200, 300}), b({300, 200}), out({200, 200});
  const tl_view av = a.view(), bv = b.view(), ov = out.view();
  tl_matmul_args args{};
  args.a = &av, args.b = &bv, args.output = &ov, args.alpha = 1;
  const Reply reply = ask(backend, TL_PRIMITIVE_MATMUL, args);
  REQUIRE(reply.support.workspace_bytes > 0);
  out.fill([](int64_t) { return 7; });
  const Workspace small(reply.support.workspace_bytes - 1);
  for (const tl_view* workspace : {static_cast<const tl_view*>(nullptr), small.view()}) {
    args.head.workspace = workspace;
    CHECK(call_extension(backend, backend.table().matmul, args).status == TL_E_ARGUMENT);
    CHECK(out[0] == 7.0f);
  }
}
