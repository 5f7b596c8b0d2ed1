#include "remote_device.h"

namespace {

std::vector<std::string> fallbacks() {
  for (const tl::DeviceReport& report : tl::list_devices())
    if (report.name == "remote") return report.fallbacks;
  return {};
}

bool mentions(const std::string& operation) {
  for (const std::string& line : fallbacks())
    if (line.find(operation) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("fallback: what the device declines is done on cpu and counted") {
  const tl::Tensor x = tl::tensor({3.0, 1.0, 2.0}, there());
  CHECK_FALSE(mentions("cumsum"));
  check_exact(x.cumsum(0), 3, {3, 4, 6});
  CHECK(mentions("cumsum"));
  check_exact(x.index_select(0, tl::tensor({1, 1}, there())), 2, {1, 1});
  CHECK(mentions("gather"));
}

TEST_CASE("fallback: what is composed from the device's own primitives is no fallback") {
  tl::layer_norm(tl::ones({2, 3}, there()), 3).to("cpu");
  CHECK_FALSE(mentions("layer_norm"));
}

TEST_CASE("fallback: cpu's errors come through") {
  CHECK_RAISES(tl::ones(3, there()).index_select(0, tl::tensor({7}, there())), "7");
}
