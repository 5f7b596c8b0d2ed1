// .npy files, by Torchlight's own reader and writer.
#include <torchlight/error.h>
#include <torchlight/io.h>
#include <torchlight/ops.h>

#include "array.h"
#include "command.h"

namespace twin_command {
namespace {

namespace tl = torchlight;

Element element_for(tl::Dtype dtype) { return *element_of(std::string(tl::name_of(dtype))); }

tl::Dtype dtype_for(Element element) {
  switch (element) {
    case Element::f32: return tl::float32;
    case Element::f64: return tl::float64;
    case Element::f16: return tl::float16;
    case Element::boolean: return tl::boolean;
    case Element::u8: return tl::uint8;
    case Element::i32: return tl::int32;
    case Element::i64: return tl::int64;
    default: throw BadInput(std::string("Torchlight's .npy files have no ") + name_of(element));
  }
}

/// A tensor over an array's memory.
tl::Tensor over(const Array& array) {
  static char none[8];
  char* const memory = array.bytes.empty() ? none : const_cast<char*>(array.bytes.data());
  return tl::from_blob(memory, tl::Shape(array.shape), dtype_for(array.element), {}, {},
                       tl::Options{.device = tl::Device("cpu")});
}

}  // namespace

Array load_array(const std::string& path) {
  try {
    const tl::Tensor tensor = tl::load_npy(path, tl::Device("cpu"));
    Array array(element_for(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
    if (!array.bytes.empty()) over(array).copy_(tensor);
    return array;
  } catch (const tl::Error& error) {
    throw BadInput(error.what());
  }
}

void save_array(const Array& array, const std::string& path) {
  try {
    tl::save_npy(over(array), path);
  } catch (const tl::Error& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace twin_command
