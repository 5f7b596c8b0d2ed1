#include <cstdlib>

#include "values.h"

TEST_CASE("get_backend: by name, by null, by the environment") {
  CHECK(tl::get_backend("cpu").device() == tl::Device("cpu"));
  CHECK(tl::get_backend().device() == tl::Device("cpu"));
  CHECK(tl::get_backend("").device() == tl::Device("cpu"));
  setenv("TORCHLIGHT_DEVICE", "no_such_device", 1);
  CHECK_RAISES(tl::get_backend(), "no_such_device");
  CHECK_RAISES(tl::zeros(1), "no_such_device");
  setenv("TORCHLIGHT_DEVICE", "", 1);
  CHECK(tl::get_backend().device() == tl::Device("cpu"));
  unsetenv("TORCHLIGHT_DEVICE");
}

TEST_CASE("Backend: every primitive by name") {
  const tl::Backend backend = tl::get_backend("cpu");
  const tl::Tensor x = tl::tensor({{1.0, 2.0}, {3.0, 4.0}});
  check_values(backend.map("sigmoid")(x), {2, 2}, {.7310586, .8807971, .9525741, .9820138});
  check_exact(backend.map("add_scalar", {2})(x), {2, 2}, {3, 4, 5, 6});
  check_exact(backend.zip("mul")(x, x), {2, 2}, {1, 4, 9, 16});
  check_exact(backend.reduce("sum")(x, 1), {2, 1}, {3, 7});
  check_exact(backend.matmul(x, x), {2, 2}, {7, 10, 15, 22});
  const tl::Tensor soft = backend.attn_softmax_fw(x, tl::tensor({0.0, -inf}));
  check_exact(soft, {2, 2}, {1, 0, 1, 0});
  check_exact(backend.attn_softmax_bw(x, soft), {2, 2}, {0, 0, 0, 0});
  check_values(backend.layernorm_fw(x, tl::ones(2), tl::zeros(2)), {2, 2}, {-1, 1, -1, 1}, 1e-4);
  CHECK(backend.layernorm_bw(x, x, tl::ones(2)).size() == 3);
}

TEST_CASE("Backend: unknown names list the known ones, and no history is recorded") {
  const tl::Backend backend = tl::get_backend("cpu");
  CHECK_RAISES(backend.map("sigmoids"), "sigmoids", "sigmoid, ");
  CHECK_RAISES(backend.zip("plus"), "plus", "add");
  CHECK_RAISES(backend.reduce("total"), "total", "sum");
  CHECK_RAISES(backend.map("fill"), "fill");
  CHECK_RAISES(backend.zip("where"), "where");
  CHECK_FALSE(backend.map("exp")(tl::ones(1, {.requires_grad = true})).requires_grad());
}
