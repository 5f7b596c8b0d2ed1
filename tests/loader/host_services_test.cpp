#include "loader/host_services.h"

#include <doctest/doctest.h>
#include <torchlight/ext/host_parallel.h>
#include <torchlight/version.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

using torchlight::loader::host_services;

namespace {

const tl_host_parallel& parallel() {
  return *static_cast<const tl_host_parallel*>(
      host_services()->extension(host_services(), TL_EXT_HOST_PARALLEL));
}

}  // namespace

TEST_CASE("host: says which core it is") {
  const tl_host& host = *host_services();
  CHECK(host.size == sizeof(tl_host));
  CHECK(host.abi_major == TL_ABI_MAJOR);
  CHECK(std::string(host.version) == TORCHLIGHT_VERSION);
}

TEST_CASE("D14: host: settings are those of first use, and only of known variables") {
  const auto setting = [](const char* name) { return host_services()->setting(host_services(), name); };
  // The test's own environment names these two.
  REQUIRE(setting("TORCHLIGHT_TWIN_CACHE") != nullptr);
  CHECK(std::string(setting("TORCHLIGHT_TWIN_CACHE")) == "/somewhere");
  CHECK(setting("TORCHLIGHT_TWIN_MODE") == nullptr);  // empty is unset
  ::setenv("TORCHLIGHT_TWIN_CACHE", "/elsewhere", 1);
  CHECK(std::string(setting("TORCHLIGHT_TWIN_CACHE")) == "/somewhere");
  CHECK(setting("TORCHLIGHT_TWIN_CACHE") == setting("TORCHLIGHT_TWIN_CACHE"));  // the pointer stays
  CHECK(setting("PATH") == nullptr);
  CHECK(setting("") == nullptr);
  CHECK(setting(nullptr) == nullptr);
}

TEST_CASE("host: extensions are found by id, revision included") {
  const auto extension = [](const char* id) { return host_services()->extension(host_services(), id); };
  CHECK(extension(TL_EXT_HOST_PARALLEL) != nullptr);
  CHECK(extension("torchlight.host.parallel/2") == nullptr);
  CHECK(extension(nullptr) == nullptr);
}

TEST_CASE("host: the pool calls the body once for each index") {
  CHECK(parallel().concurrency() >= 1);
  std::vector<std::atomic<int>> calls(1000);
  parallel().run(
      calls.size(),
      [](void* context, std::uint64_t i) noexcept {
        ++(*static_cast<std::vector<std::atomic<int>>*>(context))[i];
      },
      &calls);
  for (const auto& count : calls) CHECK(count == 1);
  parallel().run(
      0, [](void*, std::uint64_t) noexcept { std::abort(); }, nullptr);
}

TEST_CASE("host: any text and level may be logged") {
  for (const std::uint32_t level : {0u, 1u, 2u, 3u, 99u})
    host_services()->log(host_services(), level, "{} %s {0} \xff");
  host_services()->log(host_services(), TL_LOG_WARN, nullptr);
}
