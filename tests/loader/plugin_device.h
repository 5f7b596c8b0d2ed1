#pragma once

#include <memory>
#include <string>

#include "loader/discovery.h"
#include "loader/handshake.h"
#include "loader/open_device.h"

namespace test {

/// A plug-in's first device, opened without a registry, as one that isn't ours.
inline torchlight::loader::OpenDevice& open_plugin(const std::string& file) {
  using namespace torchlight::loader;
  const Found found = inspect(file, Origin::api, true, Rules{{}, true, ~0ull});
  auto* library = new Library(found.file, found.dependencies);  // kept for ever, as the registry does
  const Backend backend = shake_hands(*library, found.identity);
  static std::vector<std::unique_ptr<OpenDevice>>& devices =
      *new std::vector<std::unique_ptr<OpenDevice>>;
  static std::vector<Library*>& libraries = *new std::vector<Library*>;
  libraries.push_back(library);
  devices.push_back(std::make_unique<OpenDevice>(backend.table, found.identity.name, 0, false));
  return *devices.back();
}

}  // namespace test
