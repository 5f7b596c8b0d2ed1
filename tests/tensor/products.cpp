#include "values.h"

TEST_CASE("matmul: dtypes") {
  const tl::Tensor i = tl::tensor({{1, 2}, {3, 4}});
  check_exact(i.matmul(i), {2, 2}, {7, 10, 15, 22});
  CHECK(i.matmul(i).dtype() == tl::int64);
  CHECK(i.matmul(i.to(tl::float64)).dtype() == tl::float64);
  const tl::Tensor h = i.to(tl::float16);
  CHECK(h.matmul(h).dtype() == tl::float16);
  check_exact(h.matmul(h), {2, 2}, {7, 10, 15, 22});
  const tl::Tensor b = i.to(tl::bfloat16);
  check_exact(b.matmul(b), {2, 2}, {7, 10, 15, 22});
}

TEST_CASE("matmul: views without copies agree with copies") {
  tl::Generator generator{3, 0};
  const tl::Tensor a = tl::randn({3, 5, 7}, {}, &generator), b = tl::randn({3, 7, 4}, {}, &generator);
  const tl::Tensor expected = a.to(tl::float64).matmul(b.to(tl::float64)).to(tl::float32);
  CHECK(tl::allclose(a.matmul(b), expected, 1e-5, 1e-5));
  CHECK(tl::allclose(a.flip(2).matmul(b.flip(1)), expected, 1e-5, 1e-5));
  const tl::Tensor at = a.transpose().contiguous().transpose(),
                   bt = b.transpose().contiguous().transpose();
  CHECK(tl::allclose(at.matmul(bt), expected, 1e-5, 1e-5));
  CHECK(tl::allclose(a.matmul(b[0]), a.matmul(b[0].expand({3, 7, 4})), 1e-5, 1e-5));
}

TEST_CASE("layer_norm and attn_softmax: wrong arguments are named") {
  const tl::Tensor x = tl::ones({2, 3});
  CHECK_RAISES(tl::layer_norm(x, 4), "layer_norm", "(4,)", "(2, 3)");
  CHECK_RAISES(tl::layer_norm(x, 3, tl::ones(2)), "gamma", "(2,)");
  CHECK_RAISES(tl::layer_norm(x.to(tl::int64), 3), "int64");
  CHECK_RAISES(tl::attn_softmax(x.to(tl::int64)), "int64");
  CHECK_RAISES(tl::attn_softmax(tl::tensor(1.0)), "()");
}

TEST_CASE("attn_softmax: causal hides what comes later") {
  const tl::Tensor y = tl::attn_softmax(tl::zeros({2, 3}), {}, {.causal = true});
  check_values(y, {2, 3}, {1, 0, 0, .5, .5, 0});
  const tl::Tensor z = tl::attn_softmax(tl::zeros({2, 3}), {}, {.causal = true, .causal_offset = -1});
  check_values(z, {2, 3}, {0, 0, 0, 1, 0, 0});
}

TEST_CASE("attn_softmax, layer_norm: a mask that isn't added and a negative eps are refused") {
  const tl::Tensor x = tl::zeros({1, 3}), hidden = tl::tensor({{true, false, false}});
  CHECK_RAISES(tl::attn_softmax(x, hidden), "attn_softmax", "mask", "bool");
  CHECK_RAISES(tl::attn_softmax(x, tl::tensor({{1, 0, 0}})), "attn_softmax", "mask", "int64");
  CHECK_RAISES(tl::layer_norm(x, {3}, {}, {}, -1), "layer_norm", "eps", "-1");
}
