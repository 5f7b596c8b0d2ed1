#include "common.h"

namespace {

tl::Tensor table() { return tl::tensor({{1., 2.}, {3., 4.}, {5., 6.}}, {.requires_grad = true}); }

}  // namespace

TEST_CASE("embedding: rows by number, of any shape of indices") {
  check_close(F::embedding(tl::tensor({{2, 0}}), table()), {1, 2, 2}, {5, 6, 1, 2});
  check_close(F::embedding(tl::tensor(1), table()), 2, {3, 4});
  CHECK(F::embedding(tl::zeros({0, 4}, {.dtype = tl::int64}), table()).shape() == tl::Shape{0, 4, 2});
}

TEST_CASE("embedding: gradients of repeated indices add up, the padding's is 0") {
  const tl::Tensor weight = table(), indices = tl::tensor({{0, 2, 0}, {0, 2, 1}});
  const tl::Tensor g = tl::arange(12).to(tl::float32).reshape({2, 3, 2});
  F::embedding(indices, weight).backward(g);
  check_close(weight.grad(), {3, 2}, {0 + 4 + 6, 1 + 5 + 7, 10, 11, 2 + 8, 3 + 9});
  const tl::Tensor padded = table();
  F::embedding(indices, padded, -3).backward(g);  // row 0, counted from the end
  check_close(padded.grad(), {3, 2}, {0, 0, 10, 11, 10, 12});
  CHECK(tl::gradcheck([&](const auto& in) { return F::embedding(indices, in[0]).square(); },
                      {tl::randn({3, 2}, f64).requires_grad_()}, {.second_order = true}));
}

TEST_CASE("embedding: the same bits of the gradient every time, for any number of threads") {
  tl::manual_seed(3);
  const tl::Tensor indices = tl::randint(0, 7, {5000}), g = tl::randn({5000, 9});
  std::vector<float> first;
  for (const int threads : {1, 2, 7, 2}) {
    tl::set_num_threads(threads);
    const tl::Tensor weight = tl::ones({7, 9}, {.requires_grad = true});
    F::embedding(indices, weight).backward(g);
    const auto bits = weight.grad().to_vector<float>();
    if (first.empty()) first = bits;
    CHECK(bits == first);
  }
}

TEST_CASE("embedding: an index outside is named, with its position and the number of rows") {
  for (const std::int64_t bad : {3, -1, 1000})
    CHECK(says(
        error_of([&] {
          F::embedding(tl::tensor(std::vector<std::int64_t>{0, 1, bad, 0}).reshape({2, 2}), table());
        }),
        "embedding", "index " + std::to_string(bad), "position (1, 0)", "3 rows"));
  CHECK(says(error_of([] { F::embedding(tl::tensor({1.}), table()); }), "embedding", "int64"));
  CHECK(says(error_of([] { F::embedding(tl::tensor({1}), tl::ones({3})); }), "(rows, dim)", "(3,)"));
  CHECK(says(error_of([] { nn::Embedding(3, 2, {.padding_idx = 3}); }), "padding_idx 3"));
}

TEST_CASE("Embedding: starts normal, its padding at 0; a given table is frozen or trained") {
  tl::manual_seed(1);
  nn::Embedding embedding(1000, 20, {.padding_idx = 1});
  CHECK(embedding.weight.std().item<double>() == doctest::Approx(1).epsilon(0.03));
  CHECK(embedding.weight[1].abs().max().item<double>() == 0);
  CHECK(embedding.weight.is_leaf());
  CHECK(embedding.str() == "Embedding(1000, 20, padding_idx=1)");
  const tl::Tensor given = tl::ones({4, 2});
  CHECK_FALSE(nn::Embedding::from_pretrained(given).weight.requires_grad());
  const nn::Embedding trained = nn::Embedding::from_pretrained(given, false);
  CHECK(trained.weight.requires_grad());
  CHECK(trained.weight.is_view_of(given));
}
