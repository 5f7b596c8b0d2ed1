#pragma once

#include <string>
#include <vector>

#include <torchlight/tensor.h>

#include "output.h"

namespace command {

namespace tl = torchlight;

/// In how many rows of scores (n, classes) the label's is the highest.
std::int64_t count_right(const tl::Tensor& scores, const tl::Tensor& labels);

/// Prints the accuracy of answers (n) to examples with these labels (n), which were taken for which, and of each
/// class precision and recall. `classes` are their names.
void report_classes(Output& out, const tl::Tensor& answers, const tl::Tensor& labels,
                    const std::vector<std::string>& classes);

/// Prints an image (side, side) of 0 to 1 in characters.
void show_image(Output& out, const tl::Tensor& image);

}  // namespace command
