#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::check_close, tl::test::error_of, tl::test::says;

namespace {

nn::Sequential make() { return nn::Sequential(nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1)); }

std::vector<float> values(const nn::Module& module) {
  std::vector<float> all;
  for (const auto& [name, tensor] : module.state_dict())
    for (const float value : tensor.to_vector<float>()) all.push_back(value);
  return all;
}

// Loading `dict` is an error saying `parts`, and leaves the model as it was.
template <class... Parts> void check_refused(const tl::StateDict& dict, const Parts&... parts) {
  nn::Sequential model = make();
  const std::vector<float> before = values(model);
  const std::string error = error_of([&] { model.load_state_dict(dict); });
  CAPTURE(error);
  CHECK(says(error, "load_state_dict", parts...));
  CHECK(values(model) == before);
}

}  // namespace

TEST_CASE("state dict: makes another model the same") {
  nn::Sequential a = make(), b = make();
  CHECK(values(a) != values(b));
  b.load_state_dict(a.state_dict());
  CHECK(values(a) == values(b));
  CHECK_FALSE(a.parameters()[0].is_view_of(b.parameters()[0]));
  CHECK(b.parameters()[0].requires_grad());
}

TEST_CASE("state dict: shares storage with the module, without history") {
  nn::Linear linear(2, 2);
  const tl::StateDict dict = linear.state_dict();
  CHECK(dict[0].tensor.is_view_of(linear.weight));
  CHECK_FALSE(dict[0].tensor.requires_grad());
}

TEST_CASE("state dict: values are converted to the model's dtype") {
  nn::Linear linear(1, 1);
  linear.load_state_dict(
      {{"weight", tl::tensor({{0.5}}, {.dtype = tl::float64})}, {"bias", tl::tensor({7})}});
  CHECK(linear.weight.dtype() == tl::float32);
  check_close(linear(tl::ones({1, 1})), {1, 1}, {7.5});
}

TEST_CASE("state dict: everything that doesn't fit is named, and nothing is changed") {
  const tl::StateDict good = make().state_dict();
  nn::Sequential fine = make();
  CHECK(error_of([&] { fine.load_state_dict(good); }) == "");

  tl::StateDict several = good;
  several[0].tensor = tl::zeros({3, 3});
  several[1].name = "other";
  check_refused(several, "Sequential", "missing: 0.bias", "unexpected: other", "0.weight", "(3, 2)",
                "(3, 3)");
  check_refused({}, "0.weight", "0.bias", "2.weight", "2.bias");
  tl::StateDict twice = good;
  twice.push_back(good[0]);
  check_refused(twice, "duplicate name 0.weight");
  tl::StateDict undefined = good;
  undefined[3].tensor = {};
  check_refused(undefined, "2.bias", "undefined");
}

TEST_CASE("state dict: not strict passes over names, but not over shapes") {
  nn::Linear linear(1, 2);
  linear.load_state_dict({{"bias", tl::ones({2})}, {"more", tl::ones({1})}}, {.strict = false});
  check_close(linear.bias, 2, {1, 1});
  CHECK(says(error_of([&] {
               linear.load_state_dict({{"bias", tl::ones({3})}}, {.strict = false});
             }),
             "bias"));
}
