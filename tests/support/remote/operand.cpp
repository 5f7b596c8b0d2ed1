#include "operand.h"

namespace remote {

Operand::Operand(tl_device& device, const tl_view& view)
    : kind(kind_of(view.dtype)), rank(view.rank), item(view.dtype.bits / 8) {
  std::int64_t low = 0, high = 0;
  for (std::uint32_t d = 0; d < rank; ++d) {
    extent[d] = view.extent[d];
    stride[d] = view.stride[d];
    const std::int64_t reach = (extent[d] - 1) * stride[d];
    (reach < 0 ? low : high) += reach;
  }
  if (count() > 0)
    place =
        device.memory.locate(view.block, view.base, view.byte_offset, low * item, (high + 1) * item);
}

std::int64_t Operand::count() const {
  std::int64_t n = 1;
  for (std::uint32_t d = 0; d < rank; ++d) n *= extent[d];
  return n;
}

}  // namespace remote
