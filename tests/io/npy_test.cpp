#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::check_close, tl::test::error_of, tl::test::read_file, tl::test::says, tl::test::Scratch;

namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string file_of(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

std::string header_of(const std::string& descr, const std::string& shape,
                      const std::string& order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

tl::Tensor load_bytes(const std::string& bytes) {
  const Scratch scratch;
  return tl::load_npy(scratch.write("a.npy", bytes));
}

// Loading these bytes is a FileError that says the file's name and `parts`.
template <class... Parts> void check_refused(const std::string& bytes, const Parts&... parts) {
  const std::string error = error_of<tl::FileError>([&] { load_bytes(bytes); });
  CAPTURE(bytes);
  CAPTURE(error);
  CHECK(says(error, "a.npy", parts...));
}

const std::string two_floats("\0\0\xC0\x3F\0\0\0\xC0", 8);  // 1.5 and -2

}  // namespace

TEST_CASE("npy: every dtype and shape comes back, bit for bit") {
  const Scratch scratch;
  const std::string path = scratch.file("a.npy");
  const tl::Tensor x = tl::tensor({{1.5, -2., 0.1}, {1e30, -0., 3.}});
  std::vector<tl::Tensor> tensors = {x.t(), tl::tensor(7), tl::zeros({3, 0, 2}), tl::zeros({0})};
  for (const tl::Dtype dtype :
       {tl::float16, tl::float32, tl::float64, tl::int64, tl::int32, tl::uint8, tl::boolean})
    tensors.push_back(x.clamp(0, 200).to(dtype));
  for (const tl::Tensor& t : tensors) {
    tl::save_npy(t, path);
    const tl::Tensor loaded = tl::load_npy(path);
    CAPTURE(name_of(t.dtype()));
    CHECK(loaded.dtype() == t.dtype());
    CHECK(loaded.shape() == t.shape());
    CHECK(loaded.to(tl::float64).to_vector<double>() == t.to(tl::float64).to_vector<double>());
  }
  CHECK(scratch.names() == std::vector<std::string>{"a.npy"});
}

TEST_CASE("npy: the file is what the format says, with the data at a multiple of 64") {
  const Scratch scratch;
  tl::save_npy(tl::tensor({1.5, -2.}), scratch.file("a.npy"));
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  dict.append(128 - 10 - 1 - dict.size(), ' ');
  CHECK(read_file(scratch.file("a.npy")) == file_of(dict + "\n", two_floats));
}

TEST_CASE("F08: versions 2.0 and 3.0, with data that isn't aligned, read as 1.0 does; 9.0 doesn't") {
  const std::string hex =
      "934e554d505902003a0000007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a204661"
      "6c"
      "73652c20277368617065273a2028322c292c207d0a0000c03f000000c0";
  std::string bytes = bytes_of_hex(hex);
  check_close(load_bytes(bytes), 2, {1.5, -2});
  bytes[6] = '\3';
  check_close(load_bytes(bytes), 2, {1.5, -2});
  bytes[6] = '\x09';
  check_refused(bytes, "9.0");
  bytes[6] = '\2';
  bytes[7] = '\1';
  check_refused(bytes, "2.1");
}

TEST_CASE("F09: big-endian numbers are turned round; what we don't have is refused by name") {
  const std::string hex =
      "934e554d505901003a007b276465736372273a20273e6634272c2027666f727472616e5f6f72646572273a2046616c73"
      "65"
      "2c20277368617065273a2028332c292c207d0a3f80000040000000bf000000";
  check_close(load_bytes(bytes_of_hex(hex)), 3, {1, 2, -0.5});
  const std::string eight("\0\0\0\0\0\0\1\2", 8);
  CHECK(load_bytes(file_of(header_of("'>i8'", "()"), eight)).item<std::int64_t>() == 258);
  CHECK(load_bytes(file_of(header_of("'<i8'", "()"), eight)).item<std::int64_t>() ==
        std::int64_t{0x0201} << 48);
  check_close(load_bytes(file_of(header_of("'>f8'", "(1,)"), std::string("\x3F\xF8\0\0\0\0\0\0", 8))),
              1, {1.5});
  check_refused(file_of(header_of("'|b1'", "(3,)"), std::string("\0\1\xFF", 3)), "element 2 is 255");
  CHECK(load_bytes(file_of(header_of("'|b1'", "(3,)"), std::string("\0\1\1", 3))).to_vector<bool>() ==
        std::vector<bool>{false, true, true});
  for (const char* descr : {"<U4", "|O", "|S8", "<c8", "<u8", "<i2", "|i1", "<u4", "<f16", "<M8[s]",
                            "|V8", "f4", "|f4", "!f4", "", "<"})
    check_refused(file_of(header_of("'" + std::string(descr) + "'", "(1,)"), eight), descr,
                  "supported");
  check_refused(file_of(header_of("[('x', '<f4'), ('y', '<f4')]", "(1,)"), eight), "several fields");
}

TEST_CASE("npy: an array in Fortran order has its values in the right places") {
  std::string data;
  for (const float value : {1.f, 4.f, 2.f, 5.f, 3.f, 6.f})
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  const tl::Tensor x = load_bytes(file_of(header_of("'<f4'", "(2, 3)", "True"), data));
  check_close(x, {2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(x.is_contiguous());
  CHECK(load_bytes(file_of(header_of("'<f4'", "(3, 0)", "True"), "")).shape() == tl::Shape{3, 0});
}

TEST_CASE("npy: headers as other writers format them") {
  const char* headers[] = {
      "{'shape':(2,),'descr':'<f4','fortran_order':False}",
      " {\"descr\" : \"<f4\" ,\n \"shape\" : ( 2L, ) , \"fortran_order\" : False , } \n\n",
      "{'descr': '=f4', 'fortran_order': True, 'shape': (2,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2,)}",
  };
  for (const char* header : headers) {
    CAPTURE(header);
    CHECK(load_bytes(file_of(header, two_floats)).to_vector<float>() == std::vector<float>{1.5, -2});
  }
}

TEST_CASE("npy: what the format doesn't allow is refused") {
  const auto check = [](const std::string& header, const auto&... parts) {
    check_refused(file_of(header, two_floats), parts...);
  };
  check("", "header");
  check("{}", "lacks");
  check("{'descr': '<f4', 'fortran_order': False}", "lacks");
  check("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "twice");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x\x1b[31m': 1}", "x\\x1b[31m");
  check("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "True or False");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "comma");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "\"(\"");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "whole number");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "expected");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "whole number");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "end");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "expected");
  check("{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}", "\"<f4, \"");
  check("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2,)}", "backslash");
  check("__import__('os').abort()", "expected");
  check(header_of("'<f4'", "(1,1,1,1,1,1,1,1,2)"), "8 dims");
  check(header_of("'<f4'", "(3,)"), "(3,)", "8 bytes");
  check(header_of("'<f4'", "(1,)"), "(1,)", "8 bytes");
  check(header_of("'<f4'", "()"), "()", "8 bytes");
  check(header_of("'<f4'", "(0,)"), "8 bytes");
  check(header_of("'<f4'", "(4294967296, 4294967296, 4294967296)"), "8 bytes");
  check(header_of("'<f4'", "(4611686018427387906,)"), "8 bytes");
  check(header_of("'<f4'", "(99999999999999999999,)"), "too large");
  check_refused("\x93NUMPX" + file_of(header_of("'<f4'", "(2,)"), two_floats).substr(6), "begin");
  check_refused("", "0 bytes");
}

TEST_CASE("F01: the length of a header is held against the file before anything is allocated") {
  for (const std::uint64_t length :
       {std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 31, std::uint64_t{17}}) {
    std::string bytes = std::string("\x93NUMPY\2\0", 8);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i));
    check_refused(bytes + std::string(16, ' '), std::to_string(length));
  }
}

TEST_CASE("F12: no part of a .npy file, nor a longer one, passes for the whole") {
  const Scratch scratch;
  tl::save_npy(tl::arange(6).reshape({2, 3}), scratch.file("good"));
  const std::string good = read_file(scratch.file("good"));
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(error_of<tl::FileError>([&] { load_bytes(good.substr(0, size)); }) != "");
  check_refused(good + "x", "49 bytes");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = '\xFF';
    tl::Tensor loaded;
    if (error_of<tl::FileError>([&] { loaded = load_bytes(flipped); }) == "")
      CHECK(loaded.shape() == tl::Shape{2, 3});
  }
}

TEST_CASE("npy: what NumPy doesn't have is refused before the old file is touched") {
  const Scratch scratch;
  const std::string path = scratch.write("a.npy", "old");
  CHECK(says(error_of([&] { tl::save_npy(tl::ones({1}).to(tl::bfloat16), path); }), "save_npy",
             "bfloat16"));
  CHECK(error_of([&] { tl::save_npy({}, path); }) != "");
  CHECK(read_file(path) == "old");
  CHECK(says(error_of<tl::FileError>([&] { tl::load_npy(scratch.file("none.npy")); }), "none.npy",
             "No such file"));
  CHECK(says(error_of<tl::FileError>([&] { tl::load_npy(scratch.file("")); }), "directory"));
}
