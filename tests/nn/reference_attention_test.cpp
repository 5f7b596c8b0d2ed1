#include <doctest/doctest.h>

#include "reference.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
namespace F = torchlight::nn::functional;
using tl::test::one, tl::test::ReferenceCase, tl::test::ReferenceRun;

namespace {

ReferenceRun dot_product(std::optional<double> scale = {}, bool causal = false) {
  return one([=](ReferenceCase& c) {
    return F::scaled_dot_product_attention(
        c.in("query"), c.in("key"), c.in("value"),
        {.attn_mask = c.maybe("mask").defined() ? c.in("mask").detach() : tl::Tensor(),
         .is_causal = causal,
         .scale = scale});
  });
}

tl::Tensor without_history(const tl::Tensor& mask) { return mask.defined() ? mask.detach() : mask; }

ReferenceRun heads(nn::MultiheadAttentionOptions options = {}, bool average = true,
                   bool causal = false) {
  return [=](ReferenceCase& c) {
    nn::MultiheadAttention attention(6, 2, options);
    c.load(attention);
    nn::AttentionMasks masks{.key_padding_mask = c.maybe("padding"),
                             .attn_mask = causal ? tl::Tensor() : without_history(c.maybe("mask")),
                             .average_attn_weights = average,
                             .is_causal = causal};
    const auto [y, weights] = attention(c.in("query"), c.in("key"), c.in("value"), masks);
    // Without the weights it takes another way to the same output.
    masks.need_weights = false;
    const auto [same, none] = attention(c.in("query"), c.in("key"), c.in("value"), masks);
    CHECK(tl::allclose(same, y, 1e-6, 1e-6));
    CHECK_FALSE(none.defined());
    return tl::StateDict{{"y", y}, {"weights", weights}};
  };
}

nn::TransformerLayerOptions small(const std::string& kind) {
  nn::TransformerLayerOptions options{.dim_feedforward = 5, .dropout = 0};
  if (kind == "pre") {
    options.norm_first = true;
    options.activation = [](const tl::Tensor& x) { return tl::gelu(x); };
    options.layer_norm_eps = 1e-3;
  }
  options.batch_first = kind == "batch_first";
  return options;
}

}  // namespace

TEST_CASE("reference: attention with each kind of mask is PyTorch's") {
  tl::test::check_reference("attention", {{"sdpa", dot_product()},
                                          {"sdpa_scale", dot_product(0.7)},
                                          {"sdpa_bool", dot_product()},
                                          {"sdpa_float", dot_product()},
                                          {"sdpa_causal", dot_product({}, true)},
                                          {"mha", heads()},
                                          {"mha_no_bias", heads({.bias = false}, false)},
                                          {"mha_cross", heads({.kdim = 5, .vdim = 3})},
                                          {"mha_bool", heads()},
                                          {"mha_float", heads()},
                                          {"mha_each_head", heads({}, false)},
                                          {"mha_padding", heads()},
                                          {"mha_padding_and_bool", heads()},
                                          {"mha_causal", heads({}, true, true)},
                                          {"mha_no_batch", heads()},
                                          {"mha_batch_first", heads({.batch_first = true})}});
}

TEST_CASE("reference: transformer layers, pre- and post-norm, are PyTorch's") {
  std::map<std::string, ReferenceRun> runs;
  for (const std::string kind : {"post", "pre", "batch_first"}) {
    runs["encoder_" + kind] = one([kind](ReferenceCase& c) {
      nn::TransformerEncoderLayer layer(4, 2, small(kind));
      return c.load(layer)(c.in("x"),
                           {.src_mask = c.in("mask"), .src_key_padding_mask = c.in("padding")});
    });
    runs["decoder_" + kind] = one([kind](ReferenceCase& c) {
      nn::TransformerDecoderLayer layer(4, 2, small(kind));
      return c.load(layer)(c.in("x"), c.in("memory"),
                           {.tgt_mask = c.in("mask"), .memory_key_padding_mask = c.in("padding")});
    });
  }
  tl::test::check_reference("transformer", runs);
}
