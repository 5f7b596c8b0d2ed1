#pragma once

#include <torchlight/plugin.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// The plug-in by itself: loaded without the core, with a host of the test's own.
namespace cpu_simd_test {

/// Instruction sets that this machine can be made to use.
std::vector<std::string> supported_sets();

/// Opens the device with TORCHLIGHT_SIMD set to `set`. Every call of the same process shares the one
/// device, whose kernels are those of the last call.
class Backend {
 public:
  explicit Backend(const std::string& set, unsigned threads = 1);

  int32_t map(uint32_t fn, const tl_view* in, const tl_view& out, std::vector<double> params = {});
  int32_t zip(uint32_t fn, std::vector<const tl_view*> in, const tl_view& out,
              std::vector<double> params = {});
  int32_t reduce(uint32_t fn, uint32_t axes, const tl_view& in, const tl_view& out);

  const tl_backend& table() const { return *table_; }
  tl_device* device() const { return device_; }
  std::string text() const { return text_; }  ///< of the last failure
  std::string instruction_set() const;
  int32_t status() const { return status_; }  ///< of open

 private:
  const tl_backend* table_ = nullptr;
  tl_device* device_ = nullptr;
  int32_t status_ = 0;
  char text_[256] = "";
  tl_error error_{sizeof(tl_error), sizeof text_, text_};
};

template <class T> constexpr tl_dtype dtype_of();
template <> constexpr tl_dtype dtype_of<float>() { return {TL_FLOAT, 32, 1}; }
template <> constexpr tl_dtype dtype_of<double>() { return {TL_FLOAT, 64, 1}; }
template <> constexpr tl_dtype dtype_of<int64_t>() { return {TL_INT, 64, 1}; }
template <> constexpr tl_dtype dtype_of<uint8_t>() { return {TL_BOOL, 8, 1}; }

/// A contiguous view of the given extents.
tl_view view_of(const void* data, tl_dtype dtype, std::vector<int64_t> extents);

template <class T> tl_view view_of(const std::vector<T>& data, std::vector<int64_t> extents) {
  return view_of(data.data(), dtype_of<T>(), std::move(extents));
}
template <class T> tl_view view_of(const std::vector<T>& data) {
  return view_of(data, {static_cast<int64_t>(data.size())});
}

}  // namespace cpu_simd_test
