#include "projects/report.h"

#include <algorithm>

#include <torchlight/ops.h>

#include "text.h"

namespace command {
namespace {

/// How often an example of class [label] was answered with class [answer].
using Confusion = std::vector<std::vector<std::int64_t>>;

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// As wide as the name, at least three, at most twelve: longer ones are cut.
std::string cell(const std::string& name, std::size_t width) {
  const std::string cut = name.size() > width ? format("%s~", name.substr(0, width - 1).c_str()) : name;
  return format("%*s", static_cast<int>(width), cut.c_str());
}

void show_confusion(Output& out, const Confusion& counts, const std::vector<std::string>& classes) {
  std::size_t width = 5;
  for (const std::string& name : classes)
    width = std::max(width, std::min<std::size_t>(name.size(), 12));
  out.line("confusion matrix, a row for each class, a column for each answer:");
  std::string header = cell("", width);
  for (const std::string& name : classes) header.append(" ").append(cell(name, width));
  out.line(header + "  precision   recall");
  for (std::size_t label = 0; label < classes.size(); ++label) {
    std::string row = cell(classes[label], width);
    std::int64_t of_class = 0, answered = 0;
    for (std::size_t other = 0; other < classes.size(); ++other) {
      const std::int64_t count = counts[label][other];
      row.append(" ").append(cell(count == 0 ? "." : std::to_string(count), width));
      of_class += count;
      answered += counts[other][label];
    }
    const std::int64_t right = counts[label][label];
    out.line(row + format("   %6.2f %% %6.2f %%", percent(right, answered), percent(right, of_class)));
  }
}

}  // namespace

std::int64_t count_right(const tl::Tensor& scores, const tl::Tensor& labels) {
  return (scores.argmax(1) == labels).sum().item<std::int64_t>();
}

void report_classes(Output& out, const tl::Tensor& answers, const tl::Tensor& labels,
                    const std::vector<std::string>& classes) {
  const auto given = answers.to_vector<std::int64_t>(), wanted = labels.to_vector<std::int64_t>();
  Confusion counts(classes.size(), std::vector<std::int64_t>(classes.size()));
  std::int64_t right = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ++counts[static_cast<std::size_t>(wanted[i])][static_cast<std::size_t>(given[i])];
    right += wanted[i] == given[i];
  }
  const auto all = static_cast<std::int64_t>(wanted.size());
  out.line(format("test accuracy: %.2f %% (%lld of %lld)", percent(right, all),
                  static_cast<long long>(right), static_cast<long long>(all)));
  show_confusion(out, counts, classes);
}

void show_image(Output& out, const tl::Tensor& image) {
  constexpr std::string_view shades = " .:-=+*#%@";
  for (std::int64_t row = 0; row < image.size(0); ++row) {
    std::string line = "  ";
    for (const float pixel : image[row].to_vector<float>()) {
      const double shade = pixel * static_cast<double>(shades.size() - 1) + 0.5;
      line.append(2, shades[static_cast<std::size_t>(std::clamp(shade, 0.0, 9.0))]);
    }
    out.line(line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

}  // namespace command
