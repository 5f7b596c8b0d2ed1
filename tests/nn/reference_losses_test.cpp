#include <doctest/doctest.h>

#include "reference.h"

namespace tl = torchlight;
namespace F = torchlight::nn::functional;
using F::Reduction;
using tl::test::one, tl::test::ReferenceCase, tl::test::ReferenceRun;

namespace {

const std::map<std::string, Reduction> reductions{{"none", Reduction::none},
                                                  {"mean", Reduction::mean},
                                                  {"sum", Reduction::sum},
                                                  {"batchmean", Reduction::batchmean}};

void add_numbers(std::map<std::string, ReferenceRun>& runs) {
  for (const auto& [name, reduction] : reductions) {
    const Reduction r = reduction;
    runs["kl_div_" + name] =
        one([r](ReferenceCase& c) { return F::kl_div(c.in("x"), c.in("y"), {.reduction = r}); });
    if (r == Reduction::batchmean) continue;
    runs["mse_" + name] = one([r](ReferenceCase& c) { return F::mse_loss(c.in("x"), c.in("y"), {r}); });
    runs["l1_" + name] = one([r](ReferenceCase& c) { return F::l1_loss(c.in("x"), c.in("y"), {r}); });
  }
  for (const double beta : {1.0, 0.25})
    runs[beta == 1 ? "smooth_l1_1.0" : "smooth_l1_0.25"] = one(
        [beta](ReferenceCase& c) { return F::smooth_l1_loss(c.in("x"), c.in("y"), {.beta = beta}); });
  runs["kl_div_log_target"] = one([](ReferenceCase& c) {
    return F::kl_div(c.in("x"), c.in("y"), {.reduction = Reduction::batchmean, .log_target = true});
  });
  runs["kl_div_zero"] = one(
      [](ReferenceCase& c) { return F::kl_div(c.in("x"), c.in("y"), {.reduction = Reduction::sum}); });
}

void add_classes(std::map<std::string, ReferenceRun>& runs) {
  for (const auto& [name, reduction] : reductions) {
    const Reduction r = reduction;
    if (r == Reduction::batchmean) continue;
    for (const double smoothing : {0.0, 0.3}) {
      const std::string end = name + (smoothing == 0 ? "_0.0" : "_0.3");
      runs["cross_entropy_" + end] = one([=](ReferenceCase& c) {
        return F::cross_entropy(c.in("x"), c.in("target"),
                                {.reduction = r, .label_smoothing = smoothing});
      });
      runs["cross_entropy_weight_" + end] = one([=](ReferenceCase& c) {
        return F::cross_entropy(c.in("x"), c.in("target"),
                                {.weight = c.in("weight").detach(),
                                 .ignore_index = 2,
                                 .reduction = r,
                                 .label_smoothing = smoothing});
      });
      runs["cross_entropy_probabilities_" + end] = one([=](ReferenceCase& c) {
        return F::cross_entropy(
            c.in("x"), c.in("target"),
            {.weight = c.in("weight").detach(), .reduction = r, .label_smoothing = smoothing});
      });
    }
    runs["nll_" + name] = one([r](ReferenceCase& c) {
      return F::nll_loss(c.in("x"), c.in("target"),
                         {.weight = c.in("weight").detach(), .ignore_index = 4, .reduction = r});
    });
  }
  runs["cross_entropy_images"] = one([](ReferenceCase& c) {
    return F::cross_entropy(c.in("x"), c.in("target"),
                            {.weight = c.in("weight").detach(), .label_smoothing = 0.1});
  });
}

void add_binary(std::map<std::string, ReferenceRun>& runs) {
  runs["bce"] = one([](ReferenceCase& c) {
    return F::binary_cross_entropy(c.in("x"), c.in("y"), {.weight = c.in("weight").detach()});
  });
  runs["bce_edges"] = one([](ReferenceCase& c) {
    return F::binary_cross_entropy(c.in("x"), c.in("y").detach(), {.reduction = Reduction::none});
  });
  runs["bce_with_logits"] =
      one([](ReferenceCase& c) { return F::binary_cross_entropy_with_logits(c.in("x"), c.in("y")); });
  runs["bce_with_logits_pos_weight"] = one([](ReferenceCase& c) {
    return F::binary_cross_entropy_with_logits(c.in("x"), c.in("y"),
                                               {.weight = c.in("weight").detach(),
                                                .reduction = Reduction::sum,
                                                .pos_weight = c.in("pos_weight").detach()});
  });
}

}  // namespace

TEST_CASE("reference: losses and their gradients are PyTorch's") {
  std::map<std::string, ReferenceRun> runs;
  add_numbers(runs);
  add_classes(runs);
  add_binary(runs);
  tl::test::check_reference("losses", runs);
}

TEST_CASE("reference: control: a loss or gradient that is a little off is noticed") {
  const tl::StateDict file = tl::test::reference_file("losses");
  const auto found = [&](double factor, double slope) {
    return tl::test::reference_differences(file, "mse_none", one([=](ReferenceCase& c) {
                                             const tl::Tensor y =
                                                 F::mse_loss(c.in("x"), c.in("y"), {Reduction::none});
                                             return y * (factor * slope) + (1 - slope) * y.detach();
                                           }));
  };
  CHECK(found(1, 1) == "");
  CHECK(found(1.00003, 1).find("out.y") != std::string::npos);
  CHECK(found(1, 1.0003).find("grad.x") != std::string::npos);
}
