#include <doctest/doctest.h>
#include <torchlight/scalar.h>

#include <limits>

#include "support/tensor_checks.h"

using torchlight::scalar::derivative_check, torchlight::scalar::Scalar;
using torchlight::test::error_of, torchlight::test::says;
using Scalars = std::vector<Scalar>;

TEST_CASE("scalar: every operation's derivative is that of the difference quotient") {
  derivative_check([](const Scalars& x) { return x[0] + x[1]; }, {2, 3});
  derivative_check([](const Scalars& x) { return x[0] - x[1]; }, {2, 3});
  derivative_check([](const Scalars& x) { return x[0] * x[1]; }, {2, 3});
  derivative_check([](const Scalars& x) { return x[0] / x[1]; }, {2, -3});
  derivative_check([](const Scalars& x) { return -x[0]; }, {2});
  derivative_check([](const Scalars& x) { return exp(x[0]); }, {0.5});
  derivative_check([](const Scalars& x) { return log(x[0]); }, {0.5});
  derivative_check([](const Scalars& x) { return pow(x[0], 3); }, {-2});
  derivative_check([](const Scalars& x) { return pow(x[0], 0); }, {0});
  derivative_check([](const Scalars& x) { return tanh(x[0]); }, {0.3});
  derivative_check([](const Scalars& x) { return sigmoid(x[0]); }, {-0.7});
  derivative_check([](const Scalars& x) { return relu(x[0]) + relu(x[1]); }, {2, -2});
  derivative_check([](const Scalars& x) { return x[0] * 2 + 3 / x[0] + (1 - x[0]); }, {1.5});
}

TEST_CASE("scalar: the check finds a wrong derivative, and a NaN, and names the argument") {
  // At the corner of relu the quotient is 1/2, and backward says 0.
  CHECK(says(error_of([] {
               derivative_check([](const Scalars& x) { return x[0] + relu(x[1]); }, {2, 0});
             }),
             "derivative_check", "argument 1"));
  CHECK(says(error_of([] { derivative_check([](const Scalars& x) { return log(x[0]); }, {-1}); }),
             "nan"));
}

TEST_CASE("scalar: a number that is used several times gets all the shares, and gradients add up") {
  const Scalar x = 3;
  const Scalar y = x * x + x;
  y.backward();
  CHECK(x.grad() == 7);
  y.backward();
  CHECK(x.grad() == 14);
  x.zero_grad();
  CHECK(x.grad() == 0);
  CHECK(y.grad() == 0);  // only inputs keep theirs
}

TEST_CASE("scalar: shared parts are gone through once, not once for each way to them") {
  const Scalar x = 1;
  Scalar y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 ways
  y.backward();
  CHECK(x.grad() == 1152921504606846976.0);
}

TEST_CASE(
    "scalar: a chain of a million neither overflows the stack in backward nor when it is dropped") {
  const Scalar x = 1;
  {
    Scalar y = x;
    for (int i = 0; i < 1000000; ++i) y = y * 1;
    y.backward();
  }
  CHECK(x.grad() == 1);
}

TEST_CASE("scalar: comparisons are of values") {
  CHECK(Scalar(1) < Scalar(2));
  CHECK(Scalar(2) == 2.0);
  CHECK_FALSE(Scalar(std::numeric_limits<double>::quiet_NaN()) <= 1.0);
}
