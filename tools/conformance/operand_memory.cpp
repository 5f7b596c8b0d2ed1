#include "operand_memory.h"

#include <algorithm>
#include <cstring>

namespace torchlight::test {
namespace {

constexpr std::size_t device_margin = 256;

/// A signalling NaN with a payload of its own, or a byte that is no bool.
std::uint64_t poison(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16: return 0x7d25;
    case Dtype::bfloat16: return 0x7fa5;
    case Dtype::float32: return 0x7fa5a5a5;
    case Dtype::float64: return 0x7ff4a5a5a5a5a5a5;
    default: return 0xa5a5a5a5a5a5a5a5;
  }
}

/// Fills memory with one pattern, in ever larger pieces.
void fill(std::span<std::byte> memory, std::uint64_t pattern, std::size_t size) {
  if (memory.empty()) return;
  std::memcpy(memory.data(), &pattern, std::min(size, memory.size()));
  for (std::size_t done = size; done < memory.size(); done *= 2) {
    std::memcpy(&memory[done], memory.data(), std::min(done, memory.size() - done));
  }
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// Without gaps and in order: nothing but a shortcut for long rows.
bool is_row_major(const Layout& layout) {
  return layout.stride == arrange(layout.extent).stride && layout.span == count(layout.extent);
}

void check(std::int32_t status, const char* what, const ErrorText& error) {
  if (status != TL_OK) throw PluginError(std::string(what) + " failed: " + error.text());
}

}  // namespace

void OperandMemory::find_elements() {
  const Layout& layout = operand_.layout;
  const std::size_t size = size_of(operand_.dtype);
  places_.clear();
  if (layout.span == 0) return;
  places_.reserve(static_cast<std::size_t>(count(layout.extent)));
  Shape index(layout.extent.size(), 0);
  do {
    places_.push_back(margin_ + static_cast<std::size_t>(layout.offset(index)) * size);
  } while (advance(index, layout.extent));
}

bool OperandMemory::is_poison(Dtype dtype, const std::byte* element) {
  const std::uint64_t pattern = poison(dtype);
  return std::memcmp(element, &pattern, size_of(dtype)) == 0;
}

void OperandMemory::prepare(const Operand& operand, const reference::Array* values, Stand stand) {
  release();
  const bool stands_alike = operand.dtype == operand_.dtype && operand.layout == operand_.layout;
  operand_ = operand;
  margin_ = plugin_.is_host() ? 0 : device_margin;
  if (!stands_alike) find_elements();
  const std::size_t size = size_of(operand.dtype);
  const std::size_t bytes = static_cast<std::size_t>(operand.layout.span) * size;
  image_ = pages_.place(bytes + 2 * margin_, stand.placement, stand.shift);
  fill(image_, poison(operand.dtype), size);
  if (values) {
    for (std::size_t i = 0; i < places_.size(); ++i)
      store(operand.dtype, values->at[i], &image_[places_[i]]);
  }
  before_.assign(image_.begin(), image_.end());
  noted_.clear();
  glimpses_ = {};
  if (!plugin_.is_host()) upload();
  make_view(operand, stand);
}

void OperandMemory::make_view(const Operand& operand, Stand stand) {
  const std::size_t rank = operand.layout.extent.size();
  view_ = {};
  view_.size = sizeof(tl_view);
  view_.dtype = info(operand.dtype).code;
  view_.rank = static_cast<std::uint32_t>(rank);
  std::fill_n(view_.extent, TL_MAX_RANK, std::int64_t{-1} << 40);  // undefined beyond the rank
  std::fill_n(view_.stride, TL_MAX_RANK, std::int64_t{1} << 50);
  std::copy_n(operand.layout.extent.begin(), rank, view_.extent);
  std::copy_n(operand.layout.stride.begin(), rank, view_.stride);
  if (operand.layout.span == 0) return;  // base may be NULL

  const std::size_t first =
      static_cast<std::size_t>(operand.layout.first) * size_of(operand.dtype) + margin_;
  if (plugin_.is_host()) {
    // The base of a slice lies before it.
    const std::size_t gap = stand.placement == Placement::at_end ? 64 : 0;
    view_.base = image_.data() - gap;
    view_.byte_offset = first + gap;
  } else {
    view_.base = device_memory_.base;
    view_.block = device_memory_.block;
    view_.byte_offset = device_memory_.byte_offset + first;
  }
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(view_.base) + view_.byte_offset;
  if (address % plugin_.alignment() == 0) view_.flags = TL_VIEW_ALIGNED;
}

void OperandMemory::upload() {
  ErrorText error;
  const tl_backend& t = plugin_.table();
  check(t.allocate(plugin_.device(), nullptr, image_.size(), &device_memory_, error.get()), "allocate",
        error);
  copy_up();
}

void OperandMemory::copy_up() {
  ErrorText error;
  const tl_copy_args args = {
      sizeof args, 0, {image_.data(), nullptr, 0}, device_memory_, image_.size()};
  check(plugin_.table().copy(plugin_.device(), nullptr, &args, error.get()), "copy", error);
}

void OperandMemory::overwrite() {
  if (image_.empty()) return;
  const std::uint64_t pattern = poison(operand_.dtype);
  for (const std::size_t at : places_) std::memcpy(&image_[at], &pattern, size_of(operand_.dtype));
  before_.assign(image_.begin(), image_.end());
  copy_up();
}

void OperandMemory::fetch() {
  if (plugin_.is_host()) return;
  ErrorText error;
  begin_download(device_memory_, image_.data(), image_.size());
  check(plugin_.table().stream_sync(plugin_.device(), nullptr, error.get()), "stream_sync", error);
}

void OperandMemory::begin_glimpse(std::uint64_t number) {
  const Layout& layout = operand_.layout;
  if (layout.span == 0) return;
  Shape index(layout.extent.size(), 0), last = index;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const auto extent = static_cast<std::uint64_t>(layout.extent[k]);
    index[k] = static_cast<std::int64_t>(number % extent);
    number /= extent;
    last[k] = layout.extent[k] - 1;
  }
  const std::size_t size = size_of(operand_.dtype);
  const std::int64_t element[] = {layout.offset(index), layout.offset(last)};
  for (std::size_t k = 0; k < glimpses_.size(); ++k) {
    Glimpse& glimpse = glimpses_[k];
    glimpse.at = margin_ + static_cast<std::size_t>(element[k]) * size;
    glimpse.size = size;
    tl_memory place = device_memory_;
    place.byte_offset += glimpse.at;
    begin_download(place, glimpse.bytes.data(), size);
  }
}

void OperandMemory::begin_download(const tl_memory& from, std::byte* to, std::size_t bytes) {
  ErrorText error;
  const tl_copy_args args = {sizeof args, 0, from, {to, nullptr, 0}, bytes};
  check(plugin_.table().copy(plugin_.device(), nullptr, &args, error.get()), "copy", error);
}

void OperandMemory::release() {
  if (!device_memory_.block) return;
  ErrorText error;
  plugin_.table().release(plugin_.device(), nullptr, &device_memory_, error.get());
  device_memory_ = {};
}

std::string OperandMemory::fault(bool may_change) const {
  if (!pages_.intact()) return std::string("wrote outside ") + name_;
  if (!noted_.empty() && !same_bytes(image_, noted_))
    return std::string("still wrote to ") + name_ + " when the call had returned";
  for (const Glimpse& glimpse : glimpses_)
    if (glimpse.size &&
        !same_bytes({glimpse.bytes.data(), glimpse.size}, image_.subspan(glimpse.at, glimpse.size)))
      return std::string("an element of ") + name_ + " was another one when stream_sync had returned";
  if (!may_change) {
    return same_bytes(image_, before_) ? "" : std::string("changed ") + name_;
  }
  if (margin_ == 0 && is_row_major(operand_.layout)) return {};
  std::vector<std::byte> allowed = before_;
  const std::size_t size = size_of(operand_.dtype);
  for (const std::size_t at : places_) std::memcpy(&allowed[at], &image_[at], size);
  return same_bytes(image_, allowed) ? "" : std::string("wrote between the elements of ") + name_;
}

std::vector<std::byte> OperandMemory::elements() const {
  const std::size_t size = size_of(operand_.dtype);
  std::vector<std::byte> dense(static_cast<std::size_t>(count(operand_.layout.extent)) * size);
  if (is_row_major(operand_.layout))
    std::copy_n(image_.data() + margin_, dense.size(), dense.data());
  else
    for (std::size_t i = 0; i < places_.size(); ++i)
      std::memcpy(&dense[i * size], &image_[places_[i]], size);
  return dense;
}

}  // namespace torchlight::test
