#include "evaluate.h"

#include <torchlight/autograd.h>

#include "text.h"

namespace command {

tl::Tensor answer(tl::nn::Module& model, const Digits& digits, const tl::Tensor& indices) {
  const tl::no_grad guard;
  model.eval();
  return model(digits.images.index_select(0, indices.to(digits.images.device()))).softmax(1);
}

void report_accuracy(Output& out, tl::nn::Module& model, const Digits& digits,
                     const tl::Tensor& indices) {
  const auto answers = answer(model, digits, indices).argmax(1).to_vector<std::int64_t>();
  const auto labels =
      digits.labels.index_select(0, indices.to(digits.labels.device())).to_vector<std::int64_t>();
  std::int64_t counts[classes][classes] = {};
  std::int64_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++counts[labels[i]][answers[i]];
    right += labels[i] == answers[i];
  }

  out.line(format("test accuracy: %.2f %% (%lld of %lld)",
                  100 * static_cast<double>(right) / static_cast<double>(labels.size()),
                  static_cast<long long>(right), static_cast<long long>(labels.size())));
  out.line("confusion matrix, a row for each digit, a column for each answer:");
  std::string header = "   ";
  for (int answered = 0; answered < classes; ++answered) header += format("%5d", answered);
  out.line(header);
  for (int digit = 0; digit < classes; ++digit) {
    std::string row = format("%3d", digit);
    for (const std::int64_t count : counts[digit])
      row += count == 0 ? "    ." : format("%5lld", static_cast<long long>(count));
    out.line(row);
  }
}

}  // namespace command
