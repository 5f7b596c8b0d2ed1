#include <torchlight/device.h>

#include "loader/open_device.h"
#include "loader/registry.h"

namespace torchlight {

Device::Device(std::string_view name) : device_(&loader::open(name)) {}
Device::Device() : device_(&loader::default_device()) {}

const std::string& Device::name() const { return device_->name(); }
int Device::index() const { return static_cast<int>(device_->index()); }
bool Device::is_host() const { return device_->is_host(); }

void set_default_device(Device device) { loader::set_default(device.handle()); }

void synchronize(Device device) {
  loader::OpenDevice& open = device.handle();
  open.prepare(0);
  if (!open.table().stream_sync) return;
  loader::ErrorText error;
  const auto stream = open.use_stream();
  loader::check(open.table().stream_sync(open.handle(), nullptr, error.get()), open, "synchronize",
                error);
}

std::vector<Candidate> list_candidates() { return loader::candidates(); }

std::vector<DeviceReport> list_devices(Details details) {
  std::vector<DeviceReport> reports;
  for (const loader::OpenDevice* device : loader::open_all())
    reports.push_back(device->report(details));
  return reports;
}

std::string load_plugin(const std::string& path) { return loader::add(path); }

}  // namespace torchlight
