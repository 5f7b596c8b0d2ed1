#pragma once

#include <optional>
#include <string>

#include <torchlight/io/checkpoint.h>
#include <torchlight/state_dict.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// Writes tensors to a file: to a .npz file where `path` ends so (see save_npz), else to a .safetensors file.
/// Error where `path` ends like a format of somebody else's (.pt, .npy, …).
/// Whoever reads `path`, also after a crash or a full disk, finds the old file or the whole new one: a
/// temporary file in the same directory is renamed onto it. A link is followed. FileError where that fails
/// (nothing stays behind); Error for a name given twice. All that writes files here does it so.
///
///   save(model.state_dict(), "model.safetensors");
///   model.load_state_dict(load("model.safetensors"));
void save(const StateDict& tensors, const std::string& path);

/// Reads a .safetensors or, where `path` ends so, a .npz file, in the order of its header or directory, to
/// `device` (default: the default device). FileError, with the place, for anything that the format doesn't
/// allow: nothing of the file is trusted.
StateDict load(const std::string& path, std::optional<Device> device = {});

struct NpzOptions {
  bool compressed = false;  ///< deflate, as numpy.savez_compressed does; weights hardly get smaller
};

/// Writes tensors as NumPy's .npz, which numpy.load reads: a zip file that holds NAME.npy for each. Error
/// for bfloat16, which NumPy doesn't have, and for a name given twice.
void save_npz(const StateDict& tensors, const std::string& path, NpzOptions options = {});

/// Reads a .npz file, stored or deflated, of ours or NumPy's. FileError for what load_npy refuses, for
/// entries that are no arrays, and for a wrong checksum.
StateDict load_npz(const std::string& path, std::optional<Device> device = {});

/// Writes one tensor as NumPy's .npy (version 1.0, row-major, little-endian). Error for bfloat16.
void save_npy(const Tensor& tensor, const std::string& path);

/// Reads a .npy file of version 1 to 3, of either byte order; an array in Fortran order comes out row-major
/// with the same shape. FileError naming the dtype for one that we don't have (integers but int32, int64 and
/// uint8, complex numbers, text, objects), and for a file that is longer or shorter than its header says.
Tensor load_npy(const std::string& path, std::optional<Device> device = {});

/// Throws now what save(…, path) would throw later: FileError where it can't write there, Error for a name of another
/// format. Leaves what is there as it is.
void check_writable(const std::string& path);

/// Keeps the best state of a training run in a file: writes it when a metric falls below every earlier
/// one. NaN and infinity are never better.
class BestKeeper {
 public:
  explicit BestKeeper(std::string path) : path_(std::move(path)) {}

  /// Whether `metric` was the best so far, and `state` therefore saved.
  bool update(double metric, const StateDict& state);
  std::optional<double> best() const { return best_; }

 private:
  std::string path_;
  std::optional<double> best_;
};

}  // namespace torchlight
#pragma GCC visibility pop
