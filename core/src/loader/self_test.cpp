#include "loader/self_test.h"

#include "loader/call.h"
#include "loader/self_test_cases.h"

namespace torchlight::loader {
namespace {

template <class T>
void test_map(OpenDevice& device, std::uint32_t fn, const char* name, double param,
              const std::vector<T>& expected, double tolerance) {
  Trial trial(device);
  auto args = filled<tl_map_args>(fn);
  args.input = trial.input<T>({-2, 1, T(0.5), -1, 3, 0}, {2, 3}, {1, 2});
  args.output = trial.output<T>({2, 3});
  args.param_count = param != 0 ? 1 : 0;
  args.params[0] = param;
  if (trial.run(TL_PRIMITIVE_MAP, args.head, of<T>(name)))
    trial.expect(args.output, expected, tolerance);
}

template <class T> void test_maps(OpenDevice& device) {
  test_map<T>(device, TL_MAP_add_scalar, "map add_scalar", 0.25,
              {T(-1.75), T(0.75), T(3.25), T(1.25), T(-0.75), T(0.25)}, 0);
  test_map<T>(device, TL_MAP_relu, "map relu", 0, {0, T(0.5), 3, 1, 0, 0}, 0);
  test_map<T>(device, TL_MAP_exp, "map exp", 0,
              {T(0.1353352832366127), T(1.6487212707001282), T(20.085536923187668),
               T(2.718281828459045), T(0.36787944117144233), 1},
              close);
}

/// fn of [[1, 2, 3], [4, 5, 6]] and the row [10, 20, 40], broadcast.
template <class T>
void test_zip(OpenDevice& device, std::uint32_t fn, const char* name, const std::vector<T>& expected) {
  Trial trial(device);
  auto args = filled<tl_zip_args>(fn);
  args.input_count = 2;
  args.inputs[0] = trial.input<T>({1, 2, 3, 4, 5, 6}, {2, 3});
  args.inputs[1] = trial.input<T>({10, 20, 40}, {2, 3}, {0, 1});
  args.output = trial.output<T>({2, 3});
  if (trial.run(TL_PRIMITIVE_ZIP, args.head, of<T>(name))) trial.expect(args.output, expected);
}

template <class T> void test_zips(OpenDevice& device) {
  test_zip<T>(device, TL_ZIP_add, "zip add", {11, 22, 43, 14, 25, 46});
  test_zip<T>(device, TL_ZIP_mul, "zip mul", {10, 40, 120, 40, 100, 240});
  test_zip<T>(device, TL_ZIP_sub, "zip sub", {-9, -18, -37, -6, -15, -34});
  test_zip<T>(device, TL_ZIP_maximum, "zip maximum", {10, 20, 40, 10, 20, 40});
}

/// fn over some axes of [[1, 2, 3], [6, 5, 4]].
template <class T>
void test_reduce(OpenDevice& device, std::uint32_t fn, const char* name, std::uint32_t axes,
                 const Trial::Extents& extent, const std::vector<T>& expected) {
  Trial trial(device);
  auto args = filled<tl_reduce_args>(fn);
  args.axis_mask = axes;
  args.input = trial.input<T>({1, 2, 3, 6, 5, 4}, {2, 3});
  args.output = trial.output<T>(extent);
  if (trial.run(TL_PRIMITIVE_REDUCE, args.head, of<T>(name))) trial.expect(args.output, expected);
}

template <class T> void test_reduces(OpenDevice& device) {
  test_reduce<T>(device, TL_REDUCE_sum, "reduce sum", 2, {2, 1}, {6, 15});
  test_reduce<T>(device, TL_REDUCE_sum, "reduce sum", 1, {1, 3}, {7, 7, 7});
  test_reduce<T>(device, TL_REDUCE_max, "reduce max", 3, {1, 1}, {6});
}

/// [[1, 2, 3], [4, 5, 6]] times a 3 × 2 matrix that lies transposed in memory.
template <class T> void test_matmul(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_matmul_args>();
  args.a = trial.input<T>({1, 2, 3, 4, 5, 6}, {2, 3});
  args.b = trial.input<T>({1, 0, -1, 2, 4, 8}, {3, 2}, {1, 3});
  args.output = trial.output<T>({2, 2});
  args.alpha = 1;
  if (trial.run(TL_PRIMITIVE_MATMUL, args.head, of<T>("matmul")))
    trial.expect<T>(args.output, {-2, 34, -2, 76});
}

template <class T> void test_attn_softmax_fw(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_attn_softmax_fw_args>();
  args.input = trial.input<T>({1, 2, 3, 1, 2, 3}, {2, 3});
  args.mask = trial.input<T>({0, 0, -inf<T>, -inf<T>, -inf<T>, -inf<T>}, {2, 3});
  args.output = trial.output<T>({2, 3});
  args.scale = 1;
  if (trial.run(TL_PRIMITIVE_ATTN_SOFTMAX_FW, args.head, of<T>("attn_softmax_fw")))
    trial.expect<T>(args.output, {T(0.2689414213699951), T(0.7310585786300049), 0, 0, 0, 0}, close);
}

template <class T> void test_attn_softmax_bw(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_attn_softmax_bw_args>();
  args.grad = trial.input<T>({1, 0, 0}, {1, 3});
  args.soft = trial.input<T>({T(0.25), T(0.25), T(0.5)}, {1, 3});
  args.output = trial.output<T>({1, 3});
  args.scale = 1;
  if (trial.run(TL_PRIMITIVE_ATTN_SOFTMAX_BW, args.head, of<T>("attn_softmax_bw")))
    trial.expect<T>(args.output, {T(0.1875), T(-0.0625), T(-0.125)}, close);
}

template <class T> void test_layernorm_fw(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_layernorm_fw_args>();
  args.input = trial.input<T>({1, 2, 3, 4}, {1, 4});
  args.gamma = trial.input<T>({1, 2, 1, 1}, {4});
  args.beta = trial.input<T>({0, 0, 0, 10}, {4});
  args.output = trial.output<T>({1, 4});
  args.eps = 1e-5;
  args.normalized = 1;
  if (trial.run(TL_PRIMITIVE_LAYERNORM_FW, args.head, of<T>("layernorm_fw")))
    trial.expect<T>(args.output,
                    {T(-1.3416354199689269), T(-0.89442361331261794), T(0.44721180665630897),
                     T(11.341635419968927)},
                    close);
}

template <class T> void test_layernorm_bw(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_layernorm_bw_args>();
  args.grad = trial.input<T>({1, 1, 1, 1}, {1, 4});
  args.input = trial.input<T>({1, 2, 3, 4}, {1, 4});
  args.gamma = trial.input<T>({1, 2, 1, 1}, {4});
  args.dinput = trial.output<T>({1, 4});
  args.dgamma = trial.output<T>({4});
  args.dbeta = trial.output<T>({4});
  args.eps = 1e-5;
  args.normalized = 1;
  if (!trial.run(TL_PRIMITIVE_LAYERNORM_BW, args.head, of<T>("layernorm_bw"))) return;
  trial.expect<T>(args.dinput, {T(-0.35776837), T(0.62609689), T(-0.17888508), T(-0.08944344)}, close);
  trial.expect<T>(args.dgamma, {T(-1.34163542), T(-0.44721181), T(0.44721181), T(1.34163542)}, close);
  trial.expect<T>(args.dbeta, {1, 1, 1, 1}, close);
}

constexpr std::uint32_t no_function = 0xfffe;

/// A function that isn't: what has none must be declined by the primitive itself.
void test_unknown(OpenDevice& device, std::uint32_t primitive) {
  Trial trial(device);
  const tl_view *input = trial.input<float>({1, 2, 3, 4}, {2, 2}),
                *output = trial.output<float>({2, 2});
  if (primitive == TL_PRIMITIVE_MAP) {
    auto args = filled<tl_map_args>(no_function);
    args.input = input, args.output = output;
    trial.expect_declined(primitive, args.head, "map of function 65534");
  } else if (primitive == TL_PRIMITIVE_ZIP) {
    auto args = filled<tl_zip_args>(no_function);
    args.input_count = 2;
    args.inputs[0] = args.inputs[1] = input, args.output = output;
    trial.expect_declined(primitive, args.head, "zip of function 65534");
  } else if (primitive == TL_PRIMITIVE_REDUCE) {
    auto args = filled<tl_reduce_args>(no_function);
    args.input = input, args.output = output;
    trial.expect_declined(primitive, args.head, "reduce of function 65534");
  } else if (primitive == primitive_optim) {
    const tl_optim_item item{output, input, {nullptr, nullptr}};
    auto args = filled<tl_optim_args>(no_function);
    args.count = 1, args.item_size = sizeof item, args.items = &item;
    trial.expect_declined(primitive, args.head, "optim of rule 65534");
  }
}

template <class T> void test_primitive(OpenDevice& device, std::uint32_t primitive) {
  switch (primitive) {
    case TL_PRIMITIVE_MAP: return test_maps<T>(device);
    case TL_PRIMITIVE_ZIP: return test_zips<T>(device);
    case TL_PRIMITIVE_REDUCE: return test_reduces<T>(device);
    case TL_PRIMITIVE_MATMUL: return test_matmul<T>(device);
    case TL_PRIMITIVE_ATTN_SOFTMAX_FW: return test_attn_softmax_fw<T>(device);
    case TL_PRIMITIVE_ATTN_SOFTMAX_BW: return test_attn_softmax_bw<T>(device);
    case TL_PRIMITIVE_LAYERNORM_FW: return test_layernorm_fw<T>(device);
    case TL_PRIMITIVE_LAYERNORM_BW: return test_layernorm_bw<T>(device);
    default: return test_extension<T>(device, primitive);
  }
}

}  // namespace

std::optional<std::string> self_test(OpenDevice& device, std::uint32_t primitive) {
  try {
    test_primitive<float>(device, primitive);
    test_primitive<double>(device, primitive);
    test_unknown(device, primitive);
    return {};
  } catch (const WrongAnswer& wrong) {
    return wrong.what();
  }
}

}  // namespace torchlight::loader
