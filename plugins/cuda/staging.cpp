#include "staging.h"

#include <new>

#include "common/errors.h"
#include "memory.h"

namespace cuda_backend {

int32_t Staging::bring(const tl_view*& view, bool is_output) noexcept {
  if (!view || is_empty(*view)) return TL_OK;
  const int64_t item = view->dtype.bits / 8;
  int64_t low = 0, high = 0;
  for (uint32_t d = 0; d < view->rank; ++d) {
    const int64_t reach = (view->extent[d] - 1) * view->stride[d];
    (reach < 0 ? low : high) += reach;
  }
  Piece& piece = pieces_[count_++];
  piece.bytes = static_cast<std::size_t>((high - low + 1) * item);
  piece.device = address_of(*view) + low * item;
  piece.is_output = is_output;
  piece.memory.reset(new (std::nothrow) char[piece.bytes]);
  if (!piece.memory)
    return plugins::fail(TL_E_MEMORY, call_.error(),
                         "no memory for a copy of %zu bytes that a drop-in sees", piece.bytes);
  piece.view = *view;
  piece.view.base = piece.memory.get();
  piece.view.byte_offset = static_cast<uint64_t>(-low * item);
  piece.view.block = nullptr;
  view = &piece.view;
  // Of outputs, too: a call may read them, and what it leaves must stay as it is.
  return call_.stream().enqueued(cudaMemcpyAsync(piece.memory.get(), piece.device, piece.bytes,
                                                 cudaMemcpyDeviceToHost, call_.stream().queue()),
                                 "copy to a drop-in", call_.error());
}

int32_t Staging::wait() noexcept { return call_.stream().sync(call_.error()); }

int32_t Staging::give_back() noexcept {
  if (count_ == 0) return TL_OK;  // nothing was brought: the caller's memory is the host's
  for (int i = 0; i < count_; ++i) {
    const Piece& piece = pieces_[i];
    if (!piece.is_output) continue;
    const cudaError_t result = cudaMemcpyAsync(piece.device, piece.memory.get(), piece.bytes,
                                               cudaMemcpyHostToDevice, call_.stream().queue());
    if (int32_t status = call_.stream().enqueued(result, "copy from a drop-in", call_.error()))
      return status;
  }
  return wait();
}

}  // namespace cuda_backend
