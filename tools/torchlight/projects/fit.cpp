#include "projects/fit.h"

#include "text.h"

namespace command {
namespace {

void require_finite(bool finite, const std::string& what, const Progress& progress) {
  if (finite) return;
  throw BadInput(
      format("%s at step %lld of epoch %lld: training stopped, and no weights were saved; try a "
             "smaller --lr",
             what.c_str(), static_cast<long long>(progress.step_in_epoch()),
             static_cast<long long>(progress.epoch())));
}

}  // namespace

void require_finite_loss(double loss, const Progress& progress) {
  require_finite(std::isfinite(loss), format("the loss is %g", loss), progress);
}

void require_finite(const tl::nn::Module& model, const Progress& progress) {
  for (const auto& [name, tensor] : model.state_dict())
    require_finite(tensor.isfinite().all().item<bool>(), name + " is not finite any more", progress);
}

}  // namespace command
