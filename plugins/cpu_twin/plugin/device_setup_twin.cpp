#include "device_setup.h"

#include <torchlight/ext/host_parallel.h>

#include "runtime/memory.h"
#include "runtime/process.h"

namespace cuda_backend {
namespace {

/// The process's thread pool runs the blocks of a grid.
void run_on_pool(const tl_host_parallel* pool, uint64_t count,
                 const std::function<void(uint64_t)>& body) {
  pool->run(
      count,
      [](void* context, uint64_t index) noexcept {
        (*static_cast<const std::function<void(uint64_t)>*>(context))(index);
      },
      const_cast<std::function<void(uint64_t)>*>(&body));
}

}  // namespace

void set_up_process(const tl_host* host) noexcept {
  twin::Process::get().on_remark = [host](const std::string& text) {
    host->log(host, TL_LOG_WARN, text.c_str());
  };
  const auto file = twin::Process::get().on_report;  // where TWIN_REPORTS names one
  twin::Process::get().on_report = [host, file](const std::string& text) {
    if (file) file(text);
    host->log(host, TL_LOG_ERROR, text.c_str());
  };
  const auto* pool = static_cast<const tl_host_parallel*>(host->extension(host, TL_EXT_HOST_PARALLEL));
  if (!pool || pool->size < TL_HOST_PARALLEL_SIZE_0) return;
  twin::Process::get().manner().parallel = [pool](uint64_t count,
                                                  const std::function<void(uint64_t)>& body) {
    run_on_pool(pool, count, body);
  };
}

void set_up_device(int) noexcept {}

bool drop_ins_reach_memory() noexcept { return !twin::Memory::of_process().is_hidden(); }

}  // namespace cuda_backend
