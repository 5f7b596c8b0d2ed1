#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "case.h"
#include "plugin.h"

namespace torchlight::test {

/// The C argument struct of a case, with room behind it to play a caller from the future.
class Arguments {
 public:
  /// `views`: one for each slot, NULL where the operand is absent. They must outlive this.
  Arguments(const Case& c, const std::vector<const tl_view*>& views);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  tl_args* head() { return reinterpret_cast<tl_args*>(memory_); }
  std::byte* bytes() { return memory_; }
  std::size_t known_size() const { return size_; }
  /// Of an optim call.
  std::vector<tl_optim_item>& items() { return items_; }
  /// Says that the struct is longer than it was when this was written, and what the last byte is.
  void lengthen(std::size_t bytes, std::byte last);

 private:
  template <class T> T& start();
  void fill(tl_optim_args& args, const Case& c, const std::vector<const tl_view*>& views);

  alignas(std::max_align_t) std::byte memory_[512] = {};
  std::size_t size_ = 0;
  std::vector<tl_optim_item> items_;
  std::vector<tl_view> parts_;
};

/// What `supports` says. TL_OK for an extension that the plug-in has, TL_DECLINED for one it hasn't.
std::int32_t ask(const Plugin& plugin, Op op, Arguments& arguments, tl_support& answer,
                 tl_error* error);
/// The call itself; TL_DECLINED where the table has no such function.
std::int32_t call(const Plugin& plugin, Op op, Arguments& arguments, tl_error* error);
/// Whether the table has such a function at all.
bool offers(const Plugin& plugin, Op op);

}  // namespace torchlight::test
