#pragma once

#include <torchlight/plugin.h>

#include <memory>

#include "launch.h"

namespace cuda_backend {

/// A call's views in the host's memory, for those who work there: copied from the device before, in the order of the
/// call's stream, and back afterwards. Each function is TL_OK, or has written what failed into the call's error.
class Staging {
 public:
  explicit Staging(const Call& call) noexcept : call_(call) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Puts a view of the host's memory in place of this one; NULL, and one without elements, stay. Outputs are dense.
  int32_t bring(const tl_view*& view, bool is_output) noexcept;
  /// Waits until all of it is there: whatever was enqueued before is done then.
  int32_t wait() noexcept;
  /// Copies the outputs back, and waits for that: the memory here goes.
  int32_t give_back() noexcept;

 private:
  struct Piece {
    tl_view view{};
    std::unique_ptr<char[]> memory;
    char* device = nullptr;  ///< where its first byte lies there
    std::size_t bytes = 0;
    bool is_output = false;
  };
  static constexpr int most = 8;  // of layernorm_bw

  const Call& call_;
  Piece pieces_[most];
  int count_ = 0;
};

}  // namespace cuda_backend
