#include <algorithm>
#include <unordered_set>

#include <torchlight/io.h>

#include "io/atomic_file.h"
#include "io/safetensors_header.h"
#include "io/tensor_bytes.h"
#include "support/text.h"

namespace torchlight {
namespace {

using io::TensorEntry;

void check_names(const StateDict& tensors) {
  std::unordered_set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) throw Error(text("save: \"", name, "\" is an undefined tensor"));
    if (name == "__metadata__") throw Error("save: a tensor can't be called __metadata__");
    if (!names.insert(name).second) throw Error(text("save: duplicate name ", name));
  }
}

// Places of the data: wide elements first, so that each is aligned to its own size.
std::vector<std::size_t> data_order(const StateDict& tensors) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return size_of(tensors[a].tensor.dtype()) > size_of(tensors[b].tensor.dtype());
  });
  return order;
}

std::vector<TensorEntry> plan(const StateDict& tensors, const std::vector<std::size_t>& order) {
  std::vector<TensorEntry> entries(tensors.size());
  std::uint64_t offset = 0;
  for (const std::size_t i : order) {
    const auto& [name, tensor] = tensors[i];
    const auto bytes = static_cast<std::uint64_t>(tensor.numel() * size_of(tensor.dtype()));
    entries[i] = {name, tensor.dtype(), tensor.shape(), offset, offset + bytes};
    offset += bytes;
  }
  return entries;
}

/// Whoever reads such a name expects another format than the one that would be written.
void refuse_other_formats(const char* operation, const std::string& path) {
  for (const char* other : {".npy", ".pt", ".pth"})
    if (path.ends_with(other))
      throw Error(text(operation, ": ", path,
                       ": state dicts are written as .safetensors or .npz, not as ", other,
                       std::string_view(other) == ".npy" ? "; save_npy writes one tensor" : ""));
}

}  // namespace

void save(const StateDict& tensors, const std::string& path) {
  if (path.ends_with(".npz")) return save_npz(tensors, path);
  refuse_other_formats("save", path);
  check_names(tensors);
  const std::vector<std::size_t> order = data_order(tensors);
  const std::string header = io::format_header(plan(tensors, order));
  const std::uint64_t length = header.size();

  io::AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&length), sizeof length});
  file.write(header);
  for (const std::size_t i : order) file.write(io::bytes_of(tensors[i].tensor));
  file.commit();
}

void check_writable(const std::string& path) {
  refuse_other_formats("check_writable", path);
  io::AtomicFile file(path);
}

}  // namespace torchlight
