#include "workspace.h"

#include "errors.h"

namespace plugins {

char* workspace_of(const tl_args& head, uint64_t bytes, tl_error* error) noexcept {
  const tl_view* const view = head.workspace;
  const bool usable = view && view->base && view->rank == 1 && view->dtype.bits == 8;
  const uint64_t given = usable ? static_cast<uint64_t>(view->extent[0]) : 0;
  if (given >= bytes) return static_cast<char*>(view->base) + view->byte_offset;
  fail(TL_E_ARGUMENT, error, "the call needs a workspace of %llu bytes and got %llu",
       static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(given));
  return nullptr;
}

}  // namespace plugins
