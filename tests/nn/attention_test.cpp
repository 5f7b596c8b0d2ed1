#include <cmath>
#include <limits>

#include "common.h"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Adds -inf where a query would see a later key.
tl::Tensor causal_mask(std::int64_t queries, std::int64_t keys) {
  const tl::Tensor row = tl::arange(static_cast<double>(queries)).unsqueeze(1);
  const tl::Tensor column = tl::arange(static_cast<double>(keys)).unsqueeze(0);
  return tl::zeros({queries, keys}, f64).masked_fill(column > row, -inf);
}

bool close(const tl::Tensor& a, const tl::Tensor& b) { return tl::allclose(a, b, 1e-9, 1e-12); }

}  // namespace

TEST_CASE("attention: gradients agree with finite differences, with each kind of mask") {
  tl::manual_seed(7);
  const tl::Tensor seen = tl::tensor({{true, false, true, true}, {false, true, true, false}});
  const auto with = [](const F::AttentionOptions& options) {
    return tl::gradcheck(
        [&](const auto& in) { return F::scaled_dot_product_attention(in[0], in[1], in[2], options); },
        {input({2, 2, 3}), input({2, 4, 3}), input({2, 4, 2})});
  };
  CHECK(with({}));
  CHECK(with({.attn_mask = seen}));
  CHECK(with({.attn_mask = tl::randn({2, 1, 4}, f64)}));
  CHECK(with({.attn_mask = seen, .is_causal = true, .scale = 0.3}));
}

TEST_CASE("attention: a learned mask gets its gradient, a second derivative exists") {
  const auto fn = [](const auto& in) {
    return F::scaled_dot_product_attention(in[0], in[1], in[2], {.attn_mask = in[3]});
  };
  CHECK(tl::gradcheck(fn, {input({2, 3}), input({3, 3}), input({3, 2}), input({2, 3})},
                      {.second_order = true}));
}

TEST_CASE("B01: a query that sees no key gives 0, and gradients stay finite") {
  const tl::Tensor q = input({2, 3}), k = input({4, 3}), v = input({4, 3});
  tl::Tensor seen = tl::ones({2, 4}, {.dtype = tl::boolean});
  seen[1].fill_(0);
  const tl::Tensor y = F::scaled_dot_product_attention(q, k, v, {.attn_mask = seen});
  CHECK(y[1].abs().max().item<double>() == 0);
  CHECK(y[0].abs().max().item<double>() > 0);
  y.sum().backward();
  for (const tl::Tensor& x : {q, k, v}) CHECK(x.grad().isfinite().all().item<bool>());
  CHECK(q.grad()[1].abs().max().item<double>() == 0);

  nn::MultiheadAttention attention(4, 2, {.batch_first = true});
  const tl::Tensor x = tl::randn({2, 3, 4});
  const tl::Tensor padding = tl::tensor({{true, true, true}, {false, false, true}});
  for (const bool need_weights : {true, false}) {
    const tl::Tensor all =
        attention(x, x, x, {.key_padding_mask = padding, .need_weights = need_weights}).output;
    CHECK(all.isfinite().all().item<bool>());
    CHECK(tl::allclose(all[0], attention.out_proj.bias.expand({3, 4})));
  }
}

TEST_CASE("B06: masks broadcast over batch and heads as if expanded by hand") {
  const double n = -inf;
  const tl::Tensor q = tl::zeros({2, 2, 2, 4}), k = tl::randn({2, 2, 3, 4}),
                   v = tl::eye(3).expand({2, 2, 3, 3});
  const tl::Tensor masks[] = {tl::tensor({0., n, 0.}), tl::tensor({{{{0., 0., n}}}, {{{n, 0., 0.}}}}),
                              tl::tensor({{{{0., n, n}, {0., 0., n}}}}), tl::zeros({2, 2, 2, 3})};
  const std::vector<double> first[] = {{.5, 0, .5}, {.5, .5, 0}, {1, 0, 0}, {1. / 3, 1. / 3, 1. / 3}};
  for (int i = 0; i < 4; ++i) {
    const tl::Tensor y = F::scaled_dot_product_attention(q, k, v, {.attn_mask = masks[i]});
    check_close(y[0][0][0], 3, first[i]);
    const tl::Tensor wide = masks[i].expand({2, 2, 2, 3}).contiguous();
    CHECK(y.to_vector<float>() ==
          F::scaled_dot_product_attention(q, k, v, {.attn_mask = wide}).to_vector<float>());
  }
  for (const tl::Shape& bad : {tl::Shape{2}, tl::Shape{4, 3}, tl::Shape{2, 3, 1, 3}})
    CHECK(
        says(error_of([&] { F::scaled_dot_product_attention(q, k, v, {.attn_mask = tl::zeros(bad)}); }),
             bad.str()));
}

TEST_CASE("attention: causal over long sequences, in blocks, is what the mask gives") {
  tl::manual_seed(9);
  const std::pair<int, int> sizes[] = {{255, 255}, {256, 256}, {300, 300}, {300, 170}, {260, 400}};
  for (const auto& [queries, keys] : sizes) {
    const tl::Tensor q = input({2, queries, 4}), k = input({2, keys, 4}), v = input({2, keys, 3});
    const tl::Tensor more = tl::randn({queries, keys}, f64), g = tl::randn({2, queries, 3}, f64);
    for (const tl::Tensor& mask : {tl::Tensor(), more, more.slice(0, 0, 1)}) {
      const tl::Tensor hides = causal_mask(queries, keys);
      const std::vector<tl::Tensor> in{q, k, v};
      const auto y = F::scaled_dot_product_attention(q, k, v, {.attn_mask = mask, .is_causal = true});
      const auto wanted = F::scaled_dot_product_attention(
          q, k, v, {.attn_mask = mask.defined() ? mask + hides : hides});
      CHECK(close(y, wanted));
      const auto grads = tl::grad({y}, in, {g}), wanted_grads = tl::grad({wanted}, in, {g});
      for (std::size_t i = 0; i < 3; ++i) CHECK(close(grads[i], wanted_grads[i]));
    }
  }
}

TEST_CASE("attention: a mask of the wrong size is refused, cut into blocks or not") {
  for (const std::int64_t length : {8, 256}) {
    const tl::Tensor q = tl::randn({length, 4});
    const tl::Shape masks[] = {{length + 44, length}, {length, length + 44}, {length / 2 + 1, length}};
    for (const tl::Shape& shape : masks)
      for (const bool causal : {false, true})
        CHECK(says(error_of([&] {
                     F::scaled_dot_product_attention(
                         q, q, q, {.attn_mask = tl::zeros(shape), .is_causal = causal});
                   }),
                   "scaled_dot_product_attention", shape.str()));
  }
}

TEST_CASE("attention: keys behind a causal block are not even read") {
  const tl::Tensor q = tl::randn({300, 4}), k = tl::randn({300, 4}), v = tl::randn({300, 2});
  const auto at = [&](std::int64_t row) {
    return F::scaled_dot_product_attention(q, k, v, {.is_causal = true})[row].to_vector<float>();
  };
  const auto before = at(127);
  k.slice(0, 128).fill_(std::nan(""));
  v.slice(0, 128).fill_(std::nan(""));
  CHECK(at(127) == before);
}

TEST_CASE("attention: dropout of the weights, in training only") {
  tl::manual_seed(2);
  nn::MultiheadAttention attention(4, 1, {.dropout = 0.5});
  const tl::Tensor x = tl::randn({8, 3, 4});
  const auto weights = [&] { return attention(x, x, x).weights; };
  CHECK((weights() == 0).any().item<bool>());
  attention.eval();
  CHECK_FALSE((weights() == 0).any().item<bool>());
  check_close(weights().sum(-1), {3, 8}, std::vector<double>(24, 1));
}

TEST_CASE("attention: what doesn't fit is named") {
  const auto dot = [](const tl::Tensor& q, const tl::Tensor& k, const tl::Tensor& v) {
    return error_of([&] { F::scaled_dot_product_attention(q, k, v); });
  };
  CHECK(
      says(dot(tl::ones({2, 3}), tl::ones({2, 4}), tl::ones({2, 3})), "(2, 3)", "(2, 4)", "features"));
  CHECK(says(dot(tl::ones({2, 3}), tl::ones({2, 3}), tl::ones({3, 3})), "(3, 3)", "length"));
  CHECK(says(dot(tl::ones({3}), tl::ones({2, 3}), tl::ones({2, 3})), "(3,)"));
  CHECK(says(error_of([] { nn::MultiheadAttention(6, 4); }), "embed_dim 6", "4 heads"));

  nn::MultiheadAttention attention(4, 2);
  const tl::Tensor x = tl::ones({3, 2, 4});
  const auto masked = [&](const nn::AttentionMasks& masks) {
    return error_of([&] { attention(x, x, x, masks); });
  };
  CHECK(says(masked({.attn_mask = tl::zeros({2, 3})}), "attn_mask", "(2, 3)", "(3, 3)", "(4, 3, 3)"));
  CHECK(says(masked({.key_padding_mask = tl::zeros({3, 2})}), "key_padding_mask", "(2, 3)"));
  CHECK(says(masked({.attn_mask = tl::ones({3, 3}, {.dtype = tl::int64})}), "int64", "bool"));
  CHECK(says(error_of([&] { attention(x, x.slice(0, 0, 2), x); }), "(2, 2, 4)", "lengths"));
  CHECK(says(error_of([&] { attention(x, x[0], x[0]); }), "(2, 4)"));
}

TEST_CASE("MultiheadAttention: parameters have PyTorch's names, packed or not") {
  const auto names = [](const nn::Module& module) {
    std::string all;
    for (const auto& [name, parameter] : module.named_parameters()) all += name + " ";
    return all;
  };
  CHECK(names(nn::MultiheadAttention(4, 2)) ==
        "in_proj_weight in_proj_bias out_proj.weight out_proj.bias ");
  CHECK(names(nn::MultiheadAttention(4, 2, {.bias = false, .kdim = 3})) ==
        "q_proj_weight k_proj_weight v_proj_weight out_proj.weight ");
  CHECK(nn::MultiheadAttention(4, 2).in_proj_bias.abs().max().item<double>() == 0);
}

TEST_CASE("transformer layers: a sequence fits nn::Sequential, and each trains") {
  tl::manual_seed(3);
  const nn::TransformerLayerOptions options{.dim_feedforward = 8, .batch_first = true};
  nn::Sequential model(nn::TransformerEncoderLayer(4, 2, options),
                       nn::TransformerEncoderLayer(4, 2, options));
  const tl::Tensor x = tl::randn({2, 3, 4});
  model(x).square().sum().backward();
  for (const tl::Tensor& parameter : model.parameters()) CHECK(parameter.grad().defined());
  const auto first = model(x).to_vector<float>();
  CHECK(model(x).to_vector<float>() != first);  // dropout
  model.eval();
  CHECK(model(x).to_vector<float>() == model(x).to_vector<float>());
  CHECK(says(error_of([] {
               nn::TransformerDecoderLayer(4, 2).forward(tl::ones({1, 1, 4}));
             }),
             "forward"));
}
