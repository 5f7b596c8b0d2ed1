#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "backend.h"

/// Calls as the core makes them: supports, workspace, call.
namespace cpu_simd_test {

/// Scratch memory of exactly the size that was asked for, poisoned, with a pattern behind it.
class Workspace {
 public:
  explicit Workspace(uint64_t bytes) : memory_(bytes + margin, 0xff) {
    view_ = view_of(memory_.data(), {TL_UINT, 8, 1}, {static_cast<int64_t>(bytes)});
    std::memset(memory_.data() + bytes, 0x5a, margin);
  }
  const tl_view* view() const { return view_.extent[0] ? &view_ : nullptr; }
  bool margin_untouched() const {
    for (size_t i = memory_.size() - margin; i < memory_.size(); ++i)
      if (memory_[i] != 0x5a) return false;
    return true;
  }

 private:
  static constexpr size_t margin = 256;
  std::vector<uint8_t> memory_;
  tl_view view_;
};

struct Reply {
  int32_t status;
  std::string text;
  tl_support support{sizeof(tl_support), 0, 0};
};

template <class Args> Reply ask(const Backend& backend, uint32_t primitive, Args& args) {
  Reply reply;
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  args.head.size = sizeof args;
  reply.status =
      backend.table().supports(backend.device(), primitive, &args.head, &reply.support, &error);
  reply.text = text;
  return reply;
}

/// supports, and if that accepts, the call, which then must do it.
template <class Args>
Reply call(const Backend& backend, uint32_t primitive,
           int32_t (*function)(tl_device*, tl_stream*, const Args*, tl_error*) noexcept, Args args) {
  Reply reply = ask(backend, primitive, args);
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  if (reply.status != TL_OK) {
    CHECK(function(backend.device(), nullptr, &args, &error) == reply.status);
    return reply;
  }
  const Workspace workspace(reply.support.workspace_bytes);
  args.head.workspace = workspace.view();
  reply.status = function(backend.device(), nullptr, &args, &error);
  reply.text = text;
  CHECK_MESSAGE(reply.status == TL_OK, text);
  CHECK(workspace.margin_untouched());
  return reply;
}

inline Reply matmul(const Backend& b, const tl_matmul_args& args) {
  return call(b, TL_PRIMITIVE_MATMUL, b.table().matmul, args);
}
inline Reply attn_softmax_fw(const Backend& b, const tl_attn_softmax_fw_args& args) {
  return call(b, TL_PRIMITIVE_ATTN_SOFTMAX_FW, b.table().attn_softmax_fw, args);
}
inline Reply attn_softmax_bw(const Backend& b, const tl_attn_softmax_bw_args& args) {
  return call(b, TL_PRIMITIVE_ATTN_SOFTMAX_BW, b.table().attn_softmax_bw, args);
}
inline Reply layernorm_fw(const Backend& b, const tl_layernorm_fw_args& args) {
  return call(b, TL_PRIMITIVE_LAYERNORM_FW, b.table().layernorm_fw, args);
}
inline Reply layernorm_bw(const Backend& b, const tl_layernorm_bw_args& args) {
  return call(b, TL_PRIMITIVE_LAYERNORM_BW, b.table().layernorm_bw, args);
}

/// A function of an extension's table.
template <class Args>
Reply call_extension(const Backend& backend,
                     int32_t (*function)(tl_device*, tl_stream*, const Args*, tl_error*) noexcept,
                     Args args) {
  Reply reply;
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  args.head.size = sizeof args;
  reply.status = function(backend.device(), nullptr, &args, &error);
  reply.text = text;
  return reply;
}

}  // namespace cpu_simd_test
