#include "remote_device.h"

TEST_CASE(
    "TORCHLIGHT_FALLBACK=error: a fallback is an error that names the device, the operation and the "
    "way out") {
  const tl::Tensor x = tl::ones(3, there());
  CHECK_RAISES(x.cumsum(0), "remote declines cumsum; TORCHLIGHT_FALLBACK=error forbids");
  check_exact(x + 1, 3, {2, 2, 2});
}
