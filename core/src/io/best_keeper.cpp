#include <cmath>

#include <torchlight/io.h>

namespace torchlight {

bool BestKeeper::update(double metric, const StateDict& state) {
  if (!std::isfinite(metric) || (best_ && metric >= *best_)) return false;
  save(state, path_);
  best_ = metric;
  return true;
}

}  // namespace torchlight
