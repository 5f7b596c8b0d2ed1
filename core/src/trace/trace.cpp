#include <torchlight/error.h>

#include "support/text.h"
#include "trace/recorder.h"

namespace torchlight {
namespace {

void require_defined(const char* what, const std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].defined()) throw Error(text("trace: ", what, " ", i, " is an undefined tensor"));
}

}  // namespace

Tape trace(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fn,
           const std::vector<Tensor>& inputs) {
  require_defined("input", inputs);
  trace_detail::Recorder recorder(inputs);
  std::vector<Tensor> outputs = fn(inputs);
  require_defined("output", outputs);
  return trace_detail::TapeData::tape(recorder.finish(std::move(outputs)));
}

Tape trace(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
           const std::vector<Tensor>& inputs) {
  return trace([&](const std::vector<Tensor>& given) { return std::vector<Tensor>{fn(given)}; },
               inputs);
}

Tape trace(const std::function<Tensor(const Tensor&)>& fn, const Tensor& input) {
  return trace([&](const std::vector<Tensor>& given) { return std::vector<Tensor>{fn(given[0])}; },
               std::vector<Tensor>{input});
}

}  // namespace torchlight
