#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "case.h"
#include "guarded.h"
#include "plugin.h"
#include "reference.h"

namespace torchlight::test {

/// Where an operand's memory stands this time.
struct Stand {
  Placement placement = Placement::at_end;
  std::size_t shift = 0;  ///< bytes; a multiple of every dtype's size
};

/// The memory of one operand: guarded, poisoned between its elements, copied to and from devices that
/// the host can't see into.
class OperandMemory {
 public:
  OperandMemory(const Plugin& plugin, const char* name) : plugin_(plugin), name_(name), pages_(name) {}
  ~OperandMemory() { release(); }
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  /// Elements get `values`; where that is NULL they stay poisoned.
  void prepare(const Operand& operand, const reference::Array* values, Stand stand);
  const tl_view& view() const { return view_; }

  /// Puts other values into the elements, as one may when the work on them is done.
  void overwrite();
  /// Begins to read an element, drawn by `number`, and the last one from the device. When the stream is done, so must the
  /// work on them be; that the whole has the same there, fault() looks.
  void begin_glimpse(std::uint64_t number);
  /// Remembers what is there on return from the call: nothing may be written later.
  void note() { noted_.assign(image_.begin(), image_.end()); }
  /// To be called after the work is done: brings the memory back from the device.
  void fetch();
  /// What is wrong with it; empty if nothing is. `may_change`: the elements, but nothing else.
  std::string fault(bool may_change) const;
  /// The elements in row-major order, without gaps.
  std::vector<std::byte> elements() const;
  /// Whether the element's bytes, from `elements`, are still the poison.
  static bool is_poison(Dtype dtype, const std::byte* element);

 private:
  /// An element as it was read by itself.
  struct Glimpse {
    std::size_t at = 0, size = 0;
    std::array<std::byte, 8> bytes{};
  };

  void make_view(const Operand& operand, Stand stand);
  void upload();
  void copy_up();
  void begin_download(const tl_memory& from, std::byte* to, std::size_t bytes);
  void release();
  void find_elements();

  const Plugin& plugin_;
  const char* name_;
  GuardedPages pages_;
  Operand operand_;
  std::span<std::byte> image_;  ///< the window, on devices with margins around it
  std::size_t margin_ = 0;
  std::vector<std::size_t> places_;  ///< where in the image the elements stand, in row-major order
  std::vector<std::byte> before_;    ///< the image as it was before the call
  std::vector<std::byte> noted_;     ///< and on return from it
  std::array<Glimpse, 2> glimpses_{};
  tl_memory device_memory_{};
  tl_view view_{};
};

}  // namespace torchlight::test
