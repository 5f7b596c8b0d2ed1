#include <torchlight/tensor.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>

#include "array/operations.h"
#include "tensor/impl.h"

/// Printing as PyTorch does: aligned numbers with four digits, long dims shown by their ends.
namespace torchlight {
namespace {

constexpr std::int64_t summarize_above = 1000;  // elements
constexpr std::int64_t edge = 3;                // entries shown at each end of a summarised dim

/// Any element of any dtype: an int64 has more digits than a double.
using Value = long double;
static_assert(std::numeric_limits<Value>::digits >= 63);

/// How the numbers of one tensor are written, so that they line up.
class Format {
 public:
  Format(const std::vector<Value>& shown, Dtype dtype) : dtype_(dtype) {
    if (is_floating(dtype)) choose_notation(shown);
    for (Value v : shown) width_ = std::max(width_, write(v).size());
  }
  std::string operator()(Value value) const {
    const std::string text = write(value);
    return std::string(width_ - std::min(width_, text.size()), ' ') + text;
  }

 private:
  void choose_notation(const std::vector<Value>& shown) {
    Value largest = 0, smallest = HUGE_VAL;
    for (Value v : shown) {
      if (!std::isfinite(v) || v == 0) continue;
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
      whole_ = whole_ && v == std::floor(v);
    }
    scientific_ = largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000 * 1e1);
    if (whole_ && largest < 1e8) scientific_ = false;
  }
  std::string write(Value value) const {
    std::ostringstream out;
    if (dtype_ == boolean) return value != 0 ? "true" : "false";
    if (!is_floating(dtype_)) {
      out << static_cast<std::int64_t>(value);
    } else if (!std::isfinite(value)) {
      out << (std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    } else if (scientific_) {
      out << std::scientific << std::setprecision(4) << value;
    } else if (whole_) {
      out << std::fixed << std::setprecision(0) << value << '.';
    } else {
      out << std::fixed << std::setprecision(4) << value;
    }
    return out.str();
  }

  Dtype dtype_;
  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 0;
};

/// The indices of a dim that are shown; -1 stands for the dots between.
std::vector<std::int64_t> shown_indices(std::int64_t size, bool summarize) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < size; ++i) {
    if (summarize && size > 2 * edge && i == edge) {
      indices.push_back(-1);
      i = size - edge;
    }
    indices.push_back(i);
  }
  return indices;
}

class Printer {
 public:
  Printer(const Tensor& tensor, bool summarize) : tensor_(tensor), summarize_(summarize) {
    collect(array_of(tensor), 0);
  }
  std::string str() {
    const Format format(values_, tensor_.dtype());
    std::ostringstream out;
    write(out, format, 0, std::string(7, ' '));
    return out.str();
  }

 private:
  /// The values that will be seen, in the order they are written.
  void collect(const Array& part, int depth) {
    if (part.rank() == 0) {
      const Tensor element = make_tensor(part);
      values_.push_back(is_floating(part.dtype()) ? Value{element.item<double>()}
                                                  : static_cast<Value>(element.item<std::int64_t>()));
      return;
    }
    for (std::int64_t i : shown_indices(part.shape()[0], summarize_)) {
      if (i < 0) continue;
      Shape shape = part.shape();
      Strides strides = part.strides();
      shape.erase(0);
      strides.erase(0);
      collect(part.window(shape, strides, part.offset() + i * part.strides()[0]), depth + 1);
    }
  }
  void write(std::ostream& out, const Format& format, int depth, const std::string& indent) {
    const int rank = tensor_.shape().rank();
    if (depth == rank) {
      out << format(values_[next_++]);
      return;
    }
    out << '[';
    bool is_first = true;
    for (std::int64_t i : shown_indices(tensor_.shape()[depth], summarize_)) {
      if (!is_first) {
        out << ',';
        if (depth == rank - 1)
          out << ' ';
        else
          out << std::string(static_cast<std::size_t>(rank - 1 - depth), '\n') << indent
              << std::string(static_cast<std::size_t>(depth) + 1, ' ');
      }
      is_first = false;
      if (i < 0)
        out << "...";
      else
        write(out, format, depth + 1, indent);
    }
    out << ']';
  }

  const Tensor tensor_;
  bool summarize_;
  std::vector<Value> values_;
  std::size_t next_ = 0;
};

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "tensor(undefined)";
  std::ostringstream out;
  // Values come from the host; of a large tensor elsewhere only the corners travel, one by one.
  const Tensor here = device().is_host() || numel() > summarize_above ? detach() : detach().to("cpu");
  out << "tensor(" << Printer(here, numel() > summarize_above).str();
  if (numel() == 0 && dim() != 1) out << ", shape=" << shape().str();
  const bool is_plain = dtype() == float32 || dtype() == int64 || dtype() == boolean;
  if (!is_plain || (numel() == 0 && dtype() != float32)) out << ", dtype=" << name_of(dtype());
  if (device().name() != "cpu") out << ", device=" << device().name();
  if (requires_grad())
    out << (is_leaf() ? ", requires_grad" : std::string(", grad_fn=") + node_of(*this)->name());
  out << ')';
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.str(); }

}  // namespace torchlight
