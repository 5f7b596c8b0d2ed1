#include "kernel_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "common/errors.h"

/// Every kernel twice: as a declaration, then as a row of the table. The function of that name is the host's side
/// of the kernel, whose address is its handle; its own arguments are of no interest here.
#define TL_LIST_KERNEL(name) TL_DECLARE_KERNEL(name)
#define TL_DECLARE_KERNEL(name) extern "C" void name();
#include "kernel_list.h"
#undef TL_LIST_KERNEL

namespace cuda_backend {
namespace {

struct Entry {
  const char* name;
  void (*kernel)();
};

#define TL_LIST_KERNEL(name) TL_ENTRY(name)
#define TL_ENTRY(name) {#name, name},
constexpr Entry entries[] = {
#include "kernel_list.h"
};

/// In order of their names, by position: made at first use, by whoever comes first.
struct Sorted {
  const Entry* row[std::size(entries)];

  Sorted() noexcept {
    std::transform(std::begin(entries), std::end(entries), row, [](const Entry& e) { return &e; });
    std::sort(std::begin(row), std::end(row),
              [](const Entry* a, const Entry* b) { return before(*a, b->name); });
  }
  static bool before(const Entry& entry, const char* name) noexcept {
    return std::strcmp(entry.name, name) < 0;
  }
};

}  // namespace

cudaError_t find_kernel(const char* file, const char*, const char* name, const void** kernel,
                        tl_error* error) noexcept {
  static const Sorted sorted;
  const auto found =
      std::lower_bound(std::begin(sorted.row), std::end(sorted.row), name,
                       [](const Entry* entry, const char* n) { return Sorted::before(*entry, n); });
  if (found == std::end(sorted.row) || std::strcmp((*found)->name, name) != 0) {
    plugins::fail(TL_E_INTERNAL, error, "there is no kernel %s in %s", name, file);
    return cudaErrorInvalidDeviceFunction;
  }
  *kernel = reinterpret_cast<const void*>((*found)->kernel);
  return cudaSuccess;
}

}  // namespace cuda_backend
