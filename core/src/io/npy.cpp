#include "io/npy.h"

#include <algorithm>
#include <span>
#include <string>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {
namespace {

std::uint64_t little_endian(std::span<const unsigned char> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

// A length from the file is held against what is there before it is believed.
std::string read_header(ByteSource& source) {
  unsigned char start[8];
  if (source.left() < sizeof start + 2)
    throw Error(text("it has ", source.left(), " bytes and can't be an array"));
  source.read(start, sizeof start);
  if (!std::equal(npy_magic.begin(), npy_magic.end(), reinterpret_cast<const char*>(start)))
    throw Error("it doesn't begin as an .npy array does");
  const unsigned major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    throw Error(text("the format's version is ", major, ".", minor, "; known are 1.0, 2.0 and 3.0"));
  unsigned char bytes[4] = {};
  const std::size_t count = major == 1 ? 2 : 4;
  if (source.left() < count) throw Error("it ends before the length of its header");
  source.read(bytes, count);
  const std::uint64_t length = little_endian(bytes);
  if (length > source.left() || length > longest_npy_header)
    throw Error(text("it announces a header of ", length, " bytes, with ", source.left(),
                     " bytes left and ", longest_npy_header, " allowed"));
  std::string header(length, '\0');
  source.read(header.data(), header.size());
  return header;
}

// Whether the shape's elements take just these bytes. Multiplied so that nothing can wrap.
bool fills(const NpyHeader& header, std::uint64_t bytes) {
  const auto begin = header.shape.begin(), end = header.shape.end();
  if (std::find(begin, end, 0) != end) return bytes == 0;
  auto product = static_cast<std::uint64_t>(size_of(header.dtype));
  for (const std::int64_t extent : header.shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (product > bytes / factor) return false;
    product *= factor;
  }
  return product == bytes;
}

void swap_bytes(std::span<char> data, std::size_t element) {
  for (std::size_t at = 0; at + element <= data.size(); at += element)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + element));
}

}  // namespace

NpyArray read_npy(ByteSource& source) {
  NpyArray array{parse_npy_header(read_header(source)), source.left(), nullptr};
  const auto& [header, bytes, data] = array;
  if (!fills(header, bytes))
    throw Error(text("shape ", header.shape.str(), " of ", name_of(header.dtype), " doesn't take the ",
                     bytes, " bytes that follow the header"));
  array.data.reset(new char[std::max<std::uint64_t>(bytes, 1)]);
  source.read(data.get(), bytes);
  if (header.is_big_endian)
    swap_bytes({data.get(), bytes}, static_cast<std::size_t>(size_of(header.dtype)));
  return array;
}

}  // namespace torchlight::io
