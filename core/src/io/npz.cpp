#include <unordered_set>

#include <torchlight/error.h>
#include <torchlight/io.h>

#include "io/input_file.h"
#include "io/npy_tensor.h"
#include "io/reading.h"
#include "io/zip_reader.h"
#include "io/zip_writer.h"
#include "support/text.h"

namespace torchlight {
namespace {

constexpr std::string_view ending = ".npy";

// Everything that can't be saved is found before a file is touched.
void check_tensors(const StateDict& tensors) {
  std::unordered_set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    const auto wrong = [&name = name](const std::string& what) {
      throw Error(text("save_npz: ", in_quotes(name), ": ", what));
    };
    if (!tensor.defined()) wrong("it is an undefined tensor");
    if (!names.insert(name).second) wrong("duplicate name");
    if (name.find('\0') != name.npos) wrong("its name has a zero byte");
    if (name.size() > io::ZipWriter::longest_name) wrong("its name is too long");
    try {
      io::npy_bytes(tensor);
    } catch (const Error& error) {
      wrong(error.what());
    }
  }
}

std::string name_of_entry(const std::string& entry) {
  if (!entry.ends_with(ending) || entry.find('\0') != entry.npos)
    throw Error(text("entry ", in_quotes(entry), ": it is no .npy array"));
  return entry.substr(0, entry.size() - ending.size());
}

NamedTensor read_entry(io::ZipReader& zip, Device device) {
  NamedTensor result{name_of_entry(zip.start()), {}};
  try {
    result.tensor = io::tensor_of(io::read_npy(zip.content()), device);
    zip.finish();
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    throw Error(text("entry ", in_quotes(result.name + ".npy"), ": ", error.what()));
  }
  return result;
}

}  // namespace

void save_npz(const StateDict& tensors, const std::string& path, NpzOptions options) {
  check_tensors(tensors);
  io::AtomicFile file(path);
  io::ZipWriter zip(file);
  for (const auto& [name, tensor] : tensors) {
    zip.start(name + std::string(ending), io::npy_bytes(tensor), options.compressed);
    io::write_npy(tensor, [&](std::span<const char> bytes) { zip.write(bytes); });
    zip.finish_entry();
  }
  zip.finish();
  file.commit();
}

StateDict load_npz(const std::string& path, std::optional<Device> device) {
  const Device target = device ? *device : Device();
  const io::InputFile file(path);
  return io::reading(path, [&] {
    io::ZipReader zip(file);
    StateDict tensors;
    std::unordered_set<std::string> names;
    for (std::uint64_t i = 0; i < zip.count(); ++i) {
      tensors.push_back(read_entry(zip, target));
      if (!names.insert(tensors.back().name).second)
        throw Error(text("duplicate name ", in_quotes(tensors.back().name)));
    }
    return tensors;
  });
}

}  // namespace torchlight
