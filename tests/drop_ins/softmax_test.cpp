// Softmax and its backward through drop-ins of each form, by the ABI's rules, against float64.
#include <doctest/doctest.h>

#include "kernels.h"
#include "tensor.h"

using namespace test;

namespace {

struct Forward {
  Tensor<> x, y;
  tl_attn_softmax_fw_args args{};
  explicit Forward(const std::vector<std::int64_t>& extents) : x(extents), y(extents) {
    x.random(3, 4);
    args.head.size = sizeof args;
    args.input = &x.view;
    args.output = &y.view;
    args.scale = 1;
  }
  std::int64_t columns() const { return x.view.extent[x.view.rank - 1]; }
  std::int64_t queries() const { return x.view.rank > 1 ? x.view.extent[x.view.rank - 2] : 1; }
  std::int64_t rows() const { return std::int64_t(x.values.size()) / columns(); }

  /// How far the worst element is off. `mask` gives what is added to element (row, column).
  template <class Mask> double worst(Mask mask) const {
    double worst = 0;
    for (std::int64_t row = 0; row < rows(); ++row) {
      const auto counts = [&](std::int64_t j) {
        return !args.causal || j <= row % queries() + args.causal_offset;
      };
      const auto at = [&](std::int64_t j) {
        return args.scale * x[row * columns() + j] + mask(row, j);
      };
      double largest = -INFINITY, sum = 0;
      for (std::int64_t j = 0; j < columns(); ++j)
        if (counts(j)) largest = std::isnan(at(j)) ? NAN : std::max(largest, at(j));
      for (std::int64_t j = 0; j < columns(); ++j)
        if (counts(j)) sum += std::exp(at(j) - largest);
      for (std::int64_t j = 0; j < columns(); ++j) {
        const bool nothing = largest == -INFINITY || !counts(j);
        const double wanted = nothing ? 0 : std::exp(at(j) - largest) / sum;
        worst = std::max(worst, excess(y[row * columns() + j], wanted, 1e-5, 1e-7));
      }
    }
    return worst;
  }
};

double none(std::int64_t, std::int64_t) { return 0; }

constexpr Variant softmaxes[] = {{"softmax", ""},
                                 {"softmax", "no_mask"},
                                 {"softmax", "rounds columns=1024"},
                                 {"softmax", "grid=100"},
                                 {"softmax_tutorial", ""}};

Probed probed("softmax_kernel.so");

template <class Test> void with_each(Test test) {
  for (const Variant& variant : softmaxes) {
    CAPTURE(std::string(variant.stand_in) + " " + variant.behaviour);
    test(probed.get(variant.stand_in, variant.behaviour));
  }
}

template <class Args> void done(DropIns& drop_ins, const Args& args) {
  std::string why;
  CHECK(drop_ins.takes(args, &why));
  CHECK(why == "");
  std::string error;
  CHECK(drop_ins.run(args, error) == TL_OK);
  CHECK(error == "");
}

}  // namespace

TEST_CASE("softmax: any number of rows, of dimensions, a scale") {
  with_each([](DropIns& drop_ins) {
    for (const auto& extents :
         {std::vector<std::int64_t>{7}, {5, 1}, {3, 33}, {2, 3, 5, 17}, {1001, 1024}}) {
      Forward f(extents);
      f.args.scale = 0.125;
      done(drop_ins, f.args);
      CHECK(f.worst(none) == 0);
    }
  });
}

TEST_CASE("softmax: masks of every shape, causal too, and rows with nothing left") {
  with_each([](DropIns& drop_ins) {
    Forward f({2, 3, 4, 5});
    Tensor<> mask({2, 1, 1, 5});
    mask.random(9);
    mask.values[3] = -INFINITY;
    for (int j = 5; j < 10; ++j) mask.values[std::size_t(j)] = -INFINITY;
    for (int d = 0; d < 4; ++d) mask.view.extent[d] = f.x.view.extent[d];
    mask.view.stride[1] = mask.view.stride[2] = 0;
    f.args.mask = &mask.view;
    const auto added = [&](std::int64_t row, std::int64_t j) { return mask[row / 12 * 5 + j]; };
    done(drop_ins, f.args);
    CHECK(f.worst(added) == 0);
    f.args.causal = 1;
    for (const std::int64_t offset : {0, -2, 1, 100, -100}) {
      f.args.causal_offset = offset;
      done(drop_ins, f.args);
      CHECK(f.worst(added) == 0);
    }
  });
}

TEST_CASE("softmax: NaN spoils what a causal row looks at, and no hidden column") {
  with_each([](DropIns& drop_ins) {
    Forward f({4, 6});
    f.x.values[0] = NAN;
    f.x.values[7] = INFINITY;
    f.x.values[17] = NAN;  // hidden
    f.args.causal = 1;
    done(drop_ins, f.args);
    CHECK(std::isnan(f.y.values[0]));
    CHECK(std::isnan(f.y.values[7]));
    CHECK(f.worst(none) == 0);
  });
}

TEST_CASE("softmax: huge, tiny, infinite numbers and NaN, as the ABI has them") {
  with_each([](DropIns& drop_ins) {
    Forward f({8, 6});
    for (std::size_t j = 0; j < 6; ++j) {
      f.x.values[j] = -1e30f * float(j + 1);
      f.x.values[6 + j] = 1e30f * float(j + 1);
      f.x.values[12 + j] = -INFINITY;
      f.x.values[18 + j] = 1e8f + float(8 * j);
    }
    f.x.values[24] = NAN;
    f.x.values[30] = INFINITY;
    f.x.values[36] = -INFINITY;
    done(drop_ins, f.args);
    for (std::size_t j = 24; j < 36; ++j) {  // NaN and inf spoil the row that they are in, and no other
      CHECK(std::isnan(f.y.values[j]));
      f.y.values[j] = f.x.values[j] = 0;
    }
    std::fill_n(f.y.values.begin() + 24, 12, 1.0f / 6);
    CHECK(f.worst(none) == 0);
  });
}

TEST_CASE("softmax: an input of any strides, the output's neighbours left alone") {
  with_each([](DropIns& drop_ins) {
    Forward f({4, 6});
    Tensor<> turned({6, 4});
    turned.random(5);
    for (std::size_t i = 0; i < 24; ++i) f.x.values[i] = turned.values[i % 6 * 4 + i / 6];
    turned.view.extent[0] = 4, turned.view.extent[1] = 6;
    turned.view.stride[0] = 1, turned.view.stride[1] = 4;
    f.args.input = &turned.view;
    f.y.values.resize(30, 77);
    f.y.view.base = f.y.values.data() + 3;
    done(drop_ins, f.args);
    for (const std::size_t i : {0, 1, 2, 27, 28, 29}) CHECK(f.y.values[i] == 77);
    f.y.values.erase(f.y.values.begin(), f.y.values.begin() + 3);
    CHECK(f.worst(none) == 0);
  });
}

TEST_CASE("softmax backward, with a scale") {
  with_each([](DropIns& drop_ins) {
    for (const auto& extents :
         {std::vector<std::int64_t>{7}, {5, 1}, {3, 33}, {257, 100}, {2, 3, 4, 1024}}) {
      Forward f(extents);
      done(drop_ins, f.args);
      Tensor<> grad(extents), out(extents);
      grad.random(11);
      tl_attn_softmax_bw_args args{};
      args.head.size = sizeof args;
      args.grad = &grad.view;
      args.soft = &f.y.view;
      args.output = &out.view;
      args.scale = 0.5;
      done(drop_ins, args);
      double worst = 0;
      for (std::int64_t row = 0; row < f.rows(); ++row) {
        double sum = 0;
        const std::int64_t begin = row * f.columns(), end = begin + f.columns();
        for (std::int64_t i = begin; i < end; ++i) sum += grad[i] * f.y[i];
        for (std::int64_t i = begin; i < end; ++i)
          worst = std::max(worst, excess(out[i], 0.5 * f.y[i] * (grad[i] - sum), 1e-4, 1e-7));
      }
      CHECK(worst == 0);
    }
  });
}

TEST_CASE("softmax: what a drop-in doesn't do is declined with the reason") {
  const Kernels kernels("columns=1024 step=4");
  const std::string path = kernels.put("softmax", "softmax_kernel.so") + ": ";
  DropIns drop_ins(kernels.options());
  const auto why = [&](const tl_attn_softmax_fw_args& args) {
    std::string reason;
    CHECK_FALSE(drop_ins.takes(args, &reason));
    return reason;
  };
  Forward good({3, 1024});
  CHECK(drop_ins.takes(good.args));
  CHECK(why(Forward({3, 1028}).args) == path + "it does up to 1024 columns, not 1028");
  CHECK(why(Forward({3, 1022}).args) == path + "it does multiples of 4 columns, not 1022");
  CHECK(why(Forward({0, 1024}).args) == path + "there are no elements");
  CHECK(why(Forward(std::vector<std::int64_t>{}).args) == path + "a number alone isn't for a drop-in");
  Forward huge({3, 1024});
  huge.x.view.extent[0] = std::int64_t{1} << 40;
  CHECK(why(huge.args) == path + "too large for a drop-in: launchers count in int");
  huge.x.view.extent[0] = std::int64_t{1} << 20;
  CHECK(why(huge.args) == path + "too large for a drop-in");
  Forward strided({4, 4});
  std::swap(strided.y.view.stride[0], strided.y.view.stride[1]);
  CHECK(why(strided.args) == path + "drop-ins write dense outputs only");
  Forward wide({4, 4});
  wide.x.view.dtype.bits = 64;
  CHECK(why(wide.args) == path + "drop-ins compute in float32 only");
}
