#include "call.h"

#include <algorithm>
#include <cstring>

namespace torchlight::drop_ins {
namespace {

constexpr std::size_t margin = 64;  // floats
constexpr std::uint32_t mark = 0xffa5c3d1;

void fill(float* begin, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(begin + i, &mark, sizeof mark);
}

bool is_mark(const float& value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word == mark;
}

bool all_marks(const float* begin, std::size_t count) {
  return std::all_of(begin, begin + count, is_mark);
}

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

class Maker {
 public:
  explicit Maker(Layout& layout) : layout_(layout) { layout_.floats = margin; }
  void rows(std::size_t rows, std::size_t columns, bool output) {
    add(rows * columns, round_up(rows, 4) * columns, output);
  }
  void flat(std::size_t elements, bool output) { add(elements, elements, output); }

 private:
  void add(std::size_t elements, std::size_t room, bool output) {
    layout_.buffers[layout_.count++] = {layout_.floats, elements, room, output};
    layout_.floats += round_up(room, 64) + margin;
  }
  Layout& layout_;
};

}  // namespace

bool is_sound(const Call& call) {
  if (static_cast<std::uint32_t>(call.op) >= op_count) return false;
  const int used = call.op == Op::matmul ? 4 : call.op == Op::map || call.op == Op::zip ? 1 : 2;
  for (int i = 0; i < used; ++i)
    if (call.dims[i] < 1) return false;
  const std::int64_t a = call.dims[0], b = call.dims[1], c = call.dims[2], d = call.dims[3];
  const auto fits = [](std::int64_t x, std::int64_t y) { return x <= most_elements / y; };
  if (used == 1) return a <= most_elements;
  if (used == 2) return fits(a, b);
  return fits(a, b) && fits(a * b, c) && fits(a, c) && fits(a * c, d) && fits(a * b, d);
}

Layout layout_of(const Call& call) {
  Layout layout;
  Maker make(layout);
  const auto dim = [&](int i) { return static_cast<std::size_t>(call.dims[i]); };
  switch (call.op) {
    case Op::softmax_bw: make.rows(dim(0), dim(1), false); [[fallthrough]];
    case Op::softmax_fw:
      make.rows(dim(0), dim(1), false);
      make.rows(dim(0), dim(1), true);
      break;
    case Op::layernorm_fw:
      make.rows(dim(0), dim(1), false);
      make.flat(dim(1), false);
      make.flat(dim(1), false);
      make.rows(dim(0), dim(1), true);
      break;
    case Op::layernorm_bw:
      make.rows(dim(0), dim(1), false);
      make.rows(dim(0), dim(1), false);
      make.flat(dim(1), false);
      make.rows(dim(0), dim(1), true);
      make.flat(dim(1), true);
      make.flat(dim(1), true);
      break;
    case Op::zip: make.flat(dim(0), false); [[fallthrough]];
    case Op::map:
      make.flat(dim(0), false);
      make.flat(dim(0), true);
      break;
    case Op::reduce:
      make.rows(dim(0), dim(1), false);
      make.flat(dim(0), true);
      break;
    case Op::matmul:
      make.flat(dim(0) * dim(1) * dim(2), false);
      make.flat(dim(0) * dim(2) * dim(3), false);
      make.flat(dim(0) * dim(1) * dim(3), true);
      break;
  }
  return layout;
}

void arm(float* region, const Layout& layout) {
  fill(region, margin);
  for (int i = 0; i < layout.count; ++i) {
    const Buffer& buffer = layout.buffers[i];
    const std::size_t end = i + 1 < layout.count ? layout.buffers[i + 1].begin : layout.floats;
    fill(region + buffer.begin + buffer.room, end - buffer.begin - buffer.room);
    if (buffer.output)
      fill(region + buffer.begin, buffer.room);
    else
      std::fill_n(region + buffer.begin + buffer.elements, buffer.room - buffer.elements, 0.0f);
  }
}

std::string damage(const float* region, const Layout& layout) {
  bool intact = all_marks(region, margin);
  for (int i = 0; i < layout.count; ++i) {
    const Buffer& buffer = layout.buffers[i];
    const std::size_t end = i + 1 < layout.count ? layout.buffers[i + 1].begin : layout.floats;
    intact &= all_marks(region + buffer.begin + buffer.room, end - buffer.begin - buffer.room);
  }
  if (!intact) return "it wrote outside of its buffers";
  for (int i = 0; i < layout.count; ++i) {
    const Buffer& buffer = layout.buffers[i];
    if (!buffer.output) continue;
    const float* begin = region + buffer.begin;
    const float* left = std::find_if(begin, begin + buffer.elements, is_mark);
    if (left != begin + buffer.elements)
      return "it returned and left its output untouched from element " + std::to_string(left - begin) +
             " on";
  }
  return {};
}

bool wrote_rows_behind(const float* region, const Layout& layout) {
  for (int i = 0; i < layout.count; ++i) {
    const Buffer& buffer = layout.buffers[i];
    if (buffer.output &&
        !all_marks(region + buffer.begin + buffer.elements, buffer.room - buffer.elements))
      return true;
  }
  return false;
}

}  // namespace torchlight::drop_ins
