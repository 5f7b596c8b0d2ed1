#include <torchlight/data.h>

#include "gzipped.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::data::IdxReader, tl::data::read_idx;
using tl::test::check_close, tl::test::error_of, tl::test::gzipped, tl::test::says, tl::test::Scratch;

namespace {

/// A header: the type's code and the extents.
std::string header(int code, const std::vector<std::uint32_t>& extents) {
  std::string bytes{0, 0, static_cast<char>(code), static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(extent >> shift);
  return bytes;
}

std::string bytes(std::initializer_list<int> values) {
  std::string all;
  for (const int value : values) all += static_cast<char>(value);
  return all;
}

template <class... Parts> void check_refused(const std::string& content, const Parts&... parts) {
  const Scratch scratch;
  const std::string error = error_of<tl::FileError>([&] { read_idx(scratch.write("a.idx", content)); });
  CAPTURE(error);
  CHECK(says(error, "a.idx", parts...));
}

void check_read(const std::string& content, tl::Dtype dtype, const tl::Shape& shape,
                const std::vector<double>& wanted) {
  const Scratch scratch;
  const tl::Tensor got = read_idx(scratch.write("a.idx", content));
  CHECK(got.dtype() == dtype);
  check_close(got, shape, wanted, 0, 0);
}

}  // namespace

TEST_CASE("idx: every element type, most significant byte first") {
  check_read(header(0x08, {2, 2}) + bytes({0, 1, 254, 255}), tl::uint8, {2, 2}, {0, 1, 254, 255});
  check_read(header(0x09, {2}) + bytes({0x7f, 0x80}), tl::int32, {2}, {127, -128});
  check_read(header(0x0B, {2}) + bytes({0x01, 0x02, 0xff, 0xfe}), tl::int32, {2}, {258, -2});
  check_read(header(0x0C, {1}) + bytes({0xff, 0xff, 0xff, 0xfd}), tl::int32, {1}, {-3});
  check_read(header(0x0D, {1}) + bytes({0x40, 0x49, 0x0f, 0xdb}), tl::float32, {1},
             {3.14159274101257324});
  check_read(header(0x0E, {1}) + bytes({0xc0, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18}), tl::float64,
             {1}, {-3.14159265358979312});
}

TEST_CASE("idx: gzipped, empty, and a part at a time") {
  const std::string content = header(0x08, {3, 2}) + bytes({1, 2, 3, 4, 5, 6});
  check_read(gzipped(content), tl::uint8, {3, 2}, {1, 2, 3, 4, 5, 6});
  check_read(header(0x08, {0, 28, 28}), tl::uint8, {0, 28, 28}, {});
  check_read(header(0x0D, {3, 0}), tl::float32, {3, 0}, {});

  const Scratch scratch;
  IdxReader reader(scratch.write("b.idx", content));
  CHECK(reader.shape().str() == "(3, 2)");
  CHECK(reader.dtype() == tl::uint8);
  check_close(reader.next(2), {2, 2}, {1, 2, 3, 4});
  check_close(reader.next(2), {1, 2}, {5, 6});
  CHECK_FALSE(reader.next(2).defined());
  CHECK(says(error_of([&] { reader.next(0); }), "items", "0"));
}

TEST_CASE("idx: what isn't one is refused, without taking the memory that its header claims") {
  check_refused("", "no IDX file");
  check_refused("P5 28 28", "no IDX file");
  check_refused(header(0x07, {1}) + "x", "type 7");
  check_refused(header(0x08, {}), "0 dims");
  check_refused(header(0x08, {1, 1, 1, 1, 1, 1, 1, 1, 1}), "9 dims");
  check_refused(header(0x08, {1, 2}).substr(0, 10), "cut off");
  check_refused(header(0x08, {3, 2}) + bytes({1, 2, 3}), "item 1", "3");
  check_refused(header(0x08, {1}) + bytes({1, 2}), "goes on");
  check_refused(header(0x08, {0}) + bytes({1}), "goes on");
  check_refused(header(0x0E, {0xffffffff, 0xffffffff, 0xffffffff}), "2^62");
  check_refused(header(0x0E, {0x1fffffff, 0x0fffffff}) + "few", "item 0");
  check_refused(gzipped(header(0x08, {200, 2}) + "few").substr(0, 20), "a.idx");
}
