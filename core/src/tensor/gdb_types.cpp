// The types that gdb's printer of tensors looks into. This file alone is compiled with debug information in
// every build, so that a tensor of a program can be printed though the library was built without it.
#include "loader/open_device.h"
#include "tensor/impl.h"

namespace torchlight {

[[gnu::used]] static const TensorImpl* const gdb_tensor = nullptr;
[[gnu::used]] static const loader::OpenDevice* const gdb_device = nullptr;

}  // namespace torchlight
