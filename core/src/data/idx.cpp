#include <torchlight/data/idx.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <torchlight/error.h>
#include <torchlight/ops.h>

#include "data/unpacked_file.h"
#include "support/text.h"

namespace torchlight::data {
namespace {

/// One of the format's element types.
struct Kind {
  unsigned code;
  std::int64_t bytes;
  Dtype dtype;
};
constexpr Kind kinds[] = {{0x08, 1, uint8}, {0x09, 1, int32},   {0x0B, 2, int32},
                          {0x0C, 4, int32}, {0x0D, 4, float32}, {0x0E, 8, float64}};

// An unsigned number of `bytes` bytes, the most significant one first.
std::uint64_t number(const char* at, std::int64_t bytes) {
  std::uint64_t value = 0;
  for (std::int64_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

}  // namespace

struct IdxReader::State {
  State(const std::string& name, std::optional<Device> where) : path(name), device(where), file(name) {}

  [[noreturn]] void fail(const std::string& what) const { throw FileError(text(path, ": ", what)); }
  std::size_t read_up_to(std::span<char> to);
  void read_header();
  std::vector<char> read_items(std::int64_t items);
  void check_end();
  template <class T, class From>
  Tensor tensor_of(const std::vector<char>& bytes, const Shape& part) const;
  Tensor convert(const std::vector<char>& bytes, const Shape& part) const;

  std::string path;
  std::optional<Device> device;
  UnpackedFile file;
  Kind kind{};
  Shape shape;
  std::int64_t item_bytes = 1;  // of one step along dim 0
  std::int64_t items_read = 0;
};

std::size_t IdxReader::State::read_up_to(std::span<char> to) {
  std::size_t count = 0;
  while (count < to.size()) {
    const std::size_t more = file.read(to.subspan(count));
    if (more == 0) break;
    count += more;
  }
  return count;
}

void IdxReader::State::read_header() {
  char head[4];
  if (read_up_to(head) < sizeof head || head[0] != 0 || head[1] != 0)
    fail("this is no IDX file: it doesn't start with two zero bytes, a type and a number of dims");
  const auto code = static_cast<unsigned char>(head[2]), dims = static_cast<unsigned char>(head[3]);
  const auto* known =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.code == code; });
  if (known == std::end(kinds)) fail(text("the IDX element type ", int{code}, " is unknown"));
  if (dims < 1 || dims > 8) fail(text("the IDX header has ", int{dims}, " dims; 1 to 8 can be read"));
  kind = *known;
  item_bytes = kind.bytes;
  std::vector<std::int64_t> extents;
  for (int d = 0; d < dims; ++d) {
    char extent[4];
    if (read_up_to(extent) < sizeof extent) fail("the IDX header is cut off");
    extents.push_back(static_cast<std::int64_t>(number(extent, 4)));
    if (d > 0 && __builtin_mul_overflow(item_bytes, extents.back(), &item_bytes))
      fail("the IDX header has extents beyond 2^62 bytes");
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(item_bytes, extents[0], &bytes) || bytes > std::int64_t{1} << 62)
    fail("the IDX header has extents beyond 2^62 bytes");
  shape = Shape(extents);
}

// The bytes of the next items, as they arrive: an extent is no more than a claim.
std::vector<char> IdxReader::State::read_items(std::int64_t items) {
  constexpr std::size_t block = std::size_t{1} << 20;
  const auto wanted = static_cast<std::size_t>(items * item_bytes);
  std::vector<char> bytes;
  while (bytes.size() < wanted) {
    const std::size_t have = bytes.size(), count = std::min(block, wanted - have);
    bytes.resize(have + count);
    const std::size_t got = read_up_to(std::span(bytes).subspan(have));
    if (got < count)
      fail(text("it ends in item ", items_read + static_cast<std::int64_t>(have + got) / item_bytes,
                " of the ", shape[0], " that its header promises"));
  }
  return bytes;
}

void IdxReader::State::check_end() {
  char more[1];
  if (read_up_to(more) > 0) fail(text("it goes on behind the last of its ", shape[0], " items"));
}

template <class T, class From>
Tensor IdxReader::State::tensor_of(const std::vector<char>& bytes, const Shape& part) const {
  std::vector<T> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    using Bits = std::conditional_t<
        sizeof(From) == 1, std::uint8_t,
        std::conditional_t<sizeof(From) == 2, std::uint16_t,
                           std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint64_t>>>;
    const auto bits = static_cast<Bits>(number(bytes.data() + i * sizeof(From), sizeof(From)));
    values[i] = static_cast<T>(std::bit_cast<From>(bits));
  }
  return tensor(values, {.dtype = kind.dtype, .device = device}).reshape(part);
}

Tensor IdxReader::State::convert(const std::vector<char>& bytes, const Shape& part) const {
  switch (kind.code) {
    case 0x08: return tensor_of<std::uint8_t, std::uint8_t>(bytes, part);
    case 0x09: return tensor_of<std::int32_t, std::int8_t>(bytes, part);
    case 0x0B: return tensor_of<std::int32_t, std::int16_t>(bytes, part);
    case 0x0C: return tensor_of<std::int32_t, std::int32_t>(bytes, part);
    case 0x0D: return tensor_of<float, float>(bytes, part);
    default: return tensor_of<double, double>(bytes, part);
  }
}

IdxReader::IdxReader(const std::string& path, std::optional<Device> device)
    : state_(std::make_unique<State>(path, device)) {
  state_->read_header();
}
IdxReader::~IdxReader() = default;

const Shape& IdxReader::shape() const { return state_->shape; }
Dtype IdxReader::dtype() const { return state_->kind.dtype; }

Tensor IdxReader::next(std::int64_t items) {
  if (items < 1) throw Error(text("IdxReader: next: items is ", items, "; it must be at least 1"));
  State& s = *state_;
  const std::int64_t count = std::min(items, s.shape[0] - s.items_read);
  if (count == 0) {
    s.check_end();
    return {};
  }
  const std::vector<char> bytes = s.read_items(count);
  s.items_read += count;
  if (s.items_read == s.shape[0]) s.check_end();
  std::vector<std::int64_t> part(s.shape.begin(), s.shape.end());
  part[0] = count;
  return s.convert(bytes, Shape(part));
}

Tensor read_idx(const std::string& path, std::optional<Device> device) {
  IdxReader reader(path, device);
  const Tensor all = reader.next(std::numeric_limits<std::int64_t>::max());
  return all.defined() ? all : empty(reader.shape(), {.dtype = reader.dtype(), .device = device});
}

}  // namespace torchlight::data
