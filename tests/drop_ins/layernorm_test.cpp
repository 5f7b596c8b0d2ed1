// Layernorm and its backward through drop-ins of each form, by the ABI's rules, against float64.
#include <doctest/doctest.h>

#include "kernels.h"
#include "tensor.h"

using namespace test;

namespace {

constexpr Variant layernorms[] = {{"layernorm", ""},
                                  {"layernorm", "vars_eps"},
                                  {"layernorm", "inp_output"},
                                  {"layernorm", "inp_output vars_eps eps=1e-5"},
                                  {"layernorm", "one_pass grid=100"},
                                  {"layernorm_tutorial", ""},
                                  {"layernorm_tutorial", "eps=1e-5 columns=1024"}};

Probed probed("layernorm_kernel.so");

template <class Test> void with_each(Test test) {
  for (const Variant& variant : layernorms) {
    CAPTURE(std::string(variant.stand_in) + " " + variant.behaviour);
    test(probed.get(variant.stand_in, variant.behaviour));
  }
}

/// A layernorm over the last axis and its backward, with everything that it may be given.
struct Layernorm {
  std::int64_t rows, columns;
  double eps;
  Tensor<> x, gamma, beta, y, mean, rstd, grad, dx, dgamma, dbeta;
  tl_layernorm_fw_args forward{};
  tl_layernorm_bw_args backward{};

  Layernorm(std::int64_t rows_, std::int64_t columns_, double eps_)
      : rows(rows_),
        columns(columns_),
        eps(eps_),
        x({rows, columns}),
        gamma({columns}),
        beta({columns}),
        y({rows, columns}),
        mean({rows}),
        rstd({rows}),
        grad({rows, columns}),
        dx({rows, columns}),
        dgamma({columns}),
        dbeta({columns}) {
    x.random(1);
    gamma.random(2, 0.5, 1);
    gamma.values[0] = 0;
    gamma.values[gamma.values.size() / 2] = -1;
    beta.random(3);
    grad.random(4);
    forward.head.size = sizeof forward;
    backward.head.size = sizeof backward;
    forward.input = backward.input = &x.view;
    forward.gamma = backward.gamma = &gamma.view;
    forward.beta = &beta.view;
    forward.output = &y.view;
    forward.mean = backward.mean = &mean.view;
    forward.rstd = backward.rstd = &rstd.view;
    forward.eps = backward.eps = eps;
    forward.normalized = backward.normalized = 1;
    backward.grad = &grad.view;
    backward.dinput = &dx.view;
    backward.dgamma = &dgamma.view;
    backward.dbeta = &dbeta.view;
  }

  void run(DropIns& drop_ins) {
    std::string why, error;
    CHECK(drop_ins.takes(forward, &why));
    CHECK(drop_ins.takes(backward, &why));
    CHECK(why == "");
    CHECK(drop_ins.run(forward, error) == TL_OK);
    CHECK(drop_ins.run(backward, error) == TL_OK);
    CHECK(error == "");
  }

  /// The worst error of anything, 0 where all is within 1e-5 forward and 1e-4 backward.
  double worst() const {
    double worst = 0;
    std::vector<double> gammas(static_cast<std::size_t>(columns)), betas(gammas.size());
    const auto g = [&](std::int64_t j) { return forward.gamma ? gamma[j] : 1; };
    const auto hold = [&](double got, double wanted, double relative, double absolute) {
      worst = std::max(worst, excess(got, wanted, relative, absolute));
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = row * columns;
      double m = 0, v = 0, sum = 0, product = 0;
      for (std::int64_t j = 0; j < columns; ++j) m += x[at + j] / double(columns);
      for (std::int64_t j = 0; j < columns; ++j)
        v += (x[at + j] - m) * (x[at + j] - m) / double(columns);
      const double r = 1 / std::sqrt(v + eps);
      if (forward.mean) hold(mean[row], m, 1e-6, 1e-7);
      if (forward.rstd) hold(rstd[row], r, 1e-5, 0);
      for (std::int64_t j = 0; j < columns; ++j) {
        const double normal = (x[at + j] - m) * r;
        hold(y[at + j], normal * g(j) + (forward.beta ? beta[j] : 0), 1e-5, 2e-6);
        sum += grad[at + j] * g(j);
        product += grad[at + j] * g(j) * normal;
        gammas[std::size_t(j)] += grad[at + j] * normal;
        betas[std::size_t(j)] += grad[at + j];
      }
      for (std::int64_t j = 0; j < columns && backward.dinput; ++j) {
        const double normal = (x[at + j] - m) * r;
        hold(dx[at + j], r * (grad[at + j] * g(j) - (sum + normal * product) / double(columns)), 1e-4,
             1e-5 * r);
      }
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      if (backward.dgamma) hold(dgamma[j], gammas[std::size_t(j)], 1e-4, 1e-4);
      if (backward.dbeta) hold(dbeta[j], betas[std::size_t(j)], 1e-4, 1e-4);
    }
    return worst;
  }
};

}  // namespace

TEST_CASE("layernorm: any eps, whichever the library has") {
  with_each([](DropIns& drop_ins) {
    for (const double eps : {1e-5, 1e-8, 1e-12, 0.1})
      for (const double size : {1.0, 1e-4, 1e4}) {
        CAPTURE(eps);
        CAPTURE(size);
        Layernorm l(9, 64, eps);
        l.x.random(1, size);
        l.run(drop_ins);
        CHECK(l.worst() == 0);
      }
  });
}

TEST_CASE("layernorm: any number of rows and columns that a library does") {
  with_each([](DropIns& drop_ins) {
    for (const auto& size : {std::pair{1, 1}, {3, 5}, {4, 1024}, {1001, 33}}) {
      CAPTURE(size.first);
      CAPTURE(size.second);
      Layernorm l(size.first, size.second, 1e-5);
      l.run(drop_ins);
      CHECK(l.worst() == 0);
    }
  });
}

TEST_CASE("layernorm: rows far from 0 lose nothing, whatever variance a library computes") {
  with_each([](DropIns& drop_ins) {
    Layernorm l(6, 128, 1e-5);
    l.x.random(1, 1, 1000);
    l.backward.mean = l.backward.rstd = nullptr;  // in float32 the mean itself has lost something
    l.run(drop_ins);
    CHECK(l.worst() == 0);
  });
}

TEST_CASE("layernorm: what may be left out is") {
  with_each([](DropIns& drop_ins) {
    Layernorm l(7, 12, 1e-5);
    l.forward.gamma = l.forward.beta = l.backward.gamma = nullptr;
    l.forward.mean = l.forward.rstd = l.backward.mean = l.backward.rstd = nullptr;
    l.run(drop_ins);
    CHECK(l.worst() == 0);
    CHECK(l.mean[0] == 77);
    CHECK(l.rstd[0] == 77);
    l.backward.dinput = l.backward.dgamma = nullptr;
    l.dx.values.assign(l.dx.values.size(), 5);
    l.dgamma.values.assign(l.dgamma.values.size(), 5);
    l.run(drop_ins);
    CHECK(l.dx[3] == 5);
    CHECK(l.dgamma[3] == 5);
    CHECK(l.worst() == 0);
  });
}

TEST_CASE("layernorm over several axes, huge numbers, NaN") {
  with_each([](DropIns& drop_ins) {
    Layernorm l(6, 20, 1e-5);
    for (std::size_t j = 0; j < 20; ++j) l.x.values[j] *= 1e17f;
    for (tl_view* view : {&l.x.view, &l.y.view, &l.grad.view, &l.dx.view}) {
      view->rank = 3;
      view->extent[1] = 4, view->extent[2] = 5;
      view->stride[0] = 20, view->stride[1] = 5, view->stride[2] = 1;
    }
    for (tl_view* view : {&l.gamma.view, &l.beta.view, &l.dgamma.view, &l.dbeta.view}) {
      view->rank = 2;
      view->extent[0] = 4, view->extent[1] = 5;
      view->stride[0] = 5, view->stride[1] = 1;
    }
    l.forward.normalized = l.backward.normalized = 2;
    l.run(drop_ins);
    CHECK(l.worst() == 0);
    l.x.values[41] = NAN;
    l.run(drop_ins);
    for (std::size_t i = 0; i < 120; ++i) CHECK(std::isnan(l.y.values[i]) == (i / 20 == 2));
  });
}

TEST_CASE("layernorm: an eps of 0 is declined") {
  const Kernels kernels;
  const std::string path = kernels.put("layernorm", "layernorm_kernel.so");
  DropIns drop_ins(kernels.options());
  Layernorm l(3, 4, 0);
  std::string why;
  CHECK_FALSE(drop_ins.takes(l.forward, &why));
  CHECK(why == path + ": its eps can't be taken for the call's, which is 0.000000");
  l.forward.eps = 1e-5;
  CHECK(drop_ins.takes(l.forward));
}

TEST_CASE("layernorm: NaN for finite numbers is an error, and nothing of it is taken") {
  const Kernels kernels("at=77 fault=nan");
  const std::string path = kernels.put("layernorm", "layernorm_kernel.so");
  DropIns drop_ins(kernels.options());
  Layernorm good(3, 76, 1e-5), bad(3, 77, 1e-5);
  good.run(drop_ins);
  CHECK(good.worst() == 0);
  std::string error;
  CHECK(drop_ins.run(bad.forward, error) == TL_E_INTERNAL);
  CHECK(error == path + ": layernorm_fw: it gave NaN for finite numbers");
  CHECK(bad.y[0] == 77);
  CHECK(bad.mean[0] == 77);
  CHECK(drop_ins.run(bad.backward, error) == TL_E_INTERNAL);
  CHECK(error == path +
                     ": layernorm_bw: it gave NaN for finite numbers; it failed twice in a row, and "
                     "isn't used any "
                     "more");
  CHECK(bad.dx[0] == 77);
  CHECK(bad.dgamma[0] == 77);
}
