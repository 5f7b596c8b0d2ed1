#include "loader/handshake.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "loader/host_services.h"
#include "loader/open_device.h"
#include "loader/rejection.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

/// As much of the table as both sides know. A pointer that the size cuts in half is none.
tl_backend copy_table(const tl_backend& theirs) {
  constexpr std::size_t head = offsetof(tl_backend, device_count);
  if (theirs.size < head)
    throw broken(text("its table has ", theirs.size, " bytes, too few for its head"));
  const std::size_t known = std::min<std::size_t>(theirs.size, sizeof(tl_backend));
  tl_backend ours{};
  std::memcpy(&ours, &theirs, known / sizeof(void*) * sizeof(void*));
  return ours;
}

void check_names(const tl_backend& table, const Identity& identity) {
  const std::string name = table.name ? table.name : "";
  const std::string version = table.version ? table.version : "";
  if (name != identity.name)
    throw broken(text("its table is called \"", name, "\", its note \"", identity.name, "\""));
  if (version != identity.version)
    throw broken(
        text("its table is of version \"", version, "\", its note of \"", identity.version, "\""));
}

void check_functions(const tl_backend& t) {
  const struct {
    const char* name;
    bool there;
  } required[] = {{"device_count", t.device_count != nullptr},
                  {"device_info", t.device_info != nullptr},
                  {"open", t.open != nullptr},
                  {"close", t.close != nullptr},
                  {"supports", t.supports != nullptr},
                  {"map", t.map != nullptr},
                  {"zip", t.zip != nullptr},
                  {"reduce", t.reduce != nullptr},
                  {"matmul", t.matmul != nullptr}};
  std::string missing;
  for (const auto& function : required)
    if (!function.there) missing += (missing.empty() ? "" : ", ") + std::string(function.name);
  if (!missing.empty()) throw broken("its table lacks " + missing);
}

std::uint32_t count_devices(const tl_backend& table) {
  ErrorText error;
  std::uint32_t count = 0;
  const std::int32_t status = table.device_count(&count, error.get());
  if (status != TL_OK)
    throw unfit(text("can't count its devices: ", error.reason(), " (status ", status, ")"));
  constexpr std::uint32_t believable = 1024;
  if (count > believable)
    throw broken(text("it counts ", count, " devices; up to ", believable, " are believed"));
  return count;
}

}  // namespace

Backend shake_hands(const Library& library, const Identity& identity) {
  ErrorText error;
  const tl_backend* theirs = nullptr;
  const std::int32_t status = library.entry()(host_services(), &theirs, error.get());
  if (status != TL_OK)
    throw unfit(text("its entry refused: ", error.reason(), " (status ", status, ")"));
  if (!theirs) throw broken("its entry gave no table");
  const tl_backend table = copy_table(*theirs);
  if (table.abi_major != TL_ABI_MAJOR) throw other_abi("its table is of", table.abi_major);
  check_names(table, identity);
  check_functions(table);
  return {table, count_devices(table)};
}

}  // namespace torchlight::loader
