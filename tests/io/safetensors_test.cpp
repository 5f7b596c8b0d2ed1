#include <limits>

#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::check_close, tl::test::check_same, tl::test::error_of, tl::test::read_file,
    tl::test::says, tl::test::Scratch;

namespace {

// A file with this header and data.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

// Loading these bytes is a FileError that says the file's name and `parts`.
template <class... Parts> void check_refused(const std::string& bytes, const Parts&... parts) {
  const Scratch scratch;
  const std::string error =
      error_of<tl::FileError>([&] { tl::load(scratch.write("a.safetensors", bytes)); });
  CAPTURE(bytes);
  CAPTURE(error);
  CHECK(says(error, "a.safetensors", parts...));
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

std::string header_of(const std::string& entries) { return "{" + entries + "}"; }

}  // namespace

TEST_CASE("safetensors: every dtype and shape comes back, in order, bit for bit") {
  const Scratch scratch;
  const tl::Tensor x = tl::tensor({{1.5, -2., 0.1}, {1e30, -0., 3.}});
  tl::StateDict dict;
  for (const tl::Dtype dtype : {tl::float16, tl::float32, tl::bfloat16, tl::float64, tl::int64,
                                tl::int32, tl::uint8, tl::boolean})
    dict.push_back({std::string(name_of(dtype)), x.clamp(0, 200).to(dtype)});
  dict.push_back({"transposed", x.t()});
  dict.push_back({"scalar", tl::tensor(7)});
  dict.push_back({"empty", tl::zeros({3, 0, 2})});
  dict.push_back({"layer.0.wéight \"quoted\"", x});
  tl::save(dict, scratch.file("a.safetensors"));

  check_same(tl::load(scratch.file("a.safetensors")), dict);
  CHECK(scratch.names() == std::vector<std::string>{"a.safetensors"});
}

TEST_CASE("safetensors: the file is what the format says, with aligned data") {
  const Scratch scratch;
  tl::save({{"b", tl::tensor({true})}, {"w", tl::tensor({1.5})}}, scratch.file("a.safetensors"));
  const std::string header =
      header_of(entry("b", "[1]", "[4,5]", "BOOL") + "," + entry("w", "[1]", "[0,4]"));
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  CHECK(read_file(scratch.file("a.safetensors")) ==
        file_of(padded, std::string("\0\0\xC0\x3F\x01", 5)));
}

TEST_CASE("safetensors: metadata and gaps of spaces are allowed") {
  const Scratch scratch;
  const std::string header =
      R"(  { "w" : {"shape":[2], "data_offsets":[0,8], "dtype":"F32"}, "__metadata__":{"a":"b"} })";
  const std::string data("\0\0\x80\x3F\0\0\0\x40", 8);
  check_refused(file_of(header, data), "not a JSON object");  // must begin with the brace
  const tl::StateDict loaded =
      tl::load(scratch.write("a.safetensors", file_of(header.substr(2), data)));
  REQUIRE(loaded.size() == 1);
  check_close(loaded[0].tensor, 2, {1, 2});
}

TEST_CASE("safetensors: a bool is a byte of 0 or 1, any other is refused") {
  const Scratch scratch;
  const std::string header = header_of(entry("b", "[3]", "[0,3]", "BOOL"));
  const std::string good = file_of(header, std::string("\0\x01\0", 3));
  CHECK(tl::load(scratch.write("a.safetensors", good))[0].tensor.to_vector<bool>() ==
        std::vector<bool>{false, true, false});
  check_refused(file_of(header, std::string("\0\x01\xFF", 3)), "\"b\"", "element 2 is 255", "BOOL");
}

TEST_CASE("safetensors: an empty tensor whose other sizes are beyond an int64 is refused as that") {
  const std::string huge = "4611686018427387904";
  for (const std::string& shape : {"[0," + huge + "," + huge + "]", "[" + huge + "," + huge + ",0]"})
    check_refused(file_of(header_of(entry("w", shape, "[0,0]"))), "\"w\"", huge, "no elements",
                  "other extents");
}

TEST_CASE("safetensors: what isn't JSON is refused in our words, with the place") {
  const auto refuse = [](const std::string& header, std::size_t byte) {
    const Scratch scratch;
    const std::string path = scratch.write("a.safetensors", file_of(header));
    CHECK(error_of<tl::FileError>([&] { tl::load(path); }) ==
          path + ": the header is not valid JSON: wrong at its byte " + std::to_string(byte));
  };
  refuse("{}}", 3);
  refuse("{\"a\":x}", 6);
  refuse("{\"a\":1e400}", 10);
  refuse("{\"w\xFF\":{}}", 4);
  refuse("{\"w", 4);
}

TEST_CASE("F01: a length that can't be is refused before anything is allocated") {
  const std::uint64_t mebi = 1 << 20;
  for (const std::uint64_t length :
       {std::uint64_t{INT64_MAX}, UINT64_MAX, UINT64_MAX - 4, std::uint64_t{0}, 100 * mebi + 1,
        std::uint64_t{13}, std::uint64_t{0x0500000000000000}}) {
    std::string bytes(12, 'x');
    for (int i = 0; i < 8; ++i)
      bytes[static_cast<std::size_t>(i)] = static_cast<char>(length >> (8 * i));
    check_refused(bytes, length == 0 ? "JSON" : std::to_string(length));
  }
  for (std::size_t size = 0; size < 8; ++size) check_refused(std::string(size, '\1'), "bytes");
}

TEST_CASE("F03: a name given twice is refused, in a file and in a list") {
  const std::string header = header_of(entry("w", "[1]", "[0,4]") + "," + entry("w", "[2]", "[4,12]"));
  check_refused(file_of(header, std::string(12, '\0')), "duplicate name w");
  const Scratch scratch;
  const tl::StateDict twice{{"w", tl::ones({1})}, {"w", tl::ones({2})}};
  CHECK(says(error_of([&] { tl::save(twice, scratch.file("a.safetensors")); }), "duplicate name w"));
  CHECK(scratch.names().empty());
}

TEST_CASE("safetensors: what the format doesn't allow is refused, with the tensor's name") {
  const std::string data(8, '\0');
  const auto check = [&](const std::string& entries, const auto&... parts) {
    check_refused(file_of(header_of(entries), data), parts...);
  };
  check(entry("w", "[3]", "[0,8]"), "\"w\"", "(3,)", "8 bytes");
  check(entry("w", "[2]", "[0,9]"), "\"w\"", "data_offsets");
  check(entry("w", "[2]", "[8,0]"), "\"w\"", "data_offsets");
  check(entry("w", "[2]", "[0,8,8]"), "\"w\"", "data_offsets");
  check(entry("w", "[2]", "[-8,0]"), "\"w\"", "data_offsets");
  check(entry("w", "[2]", "[0.0,8.0]"), "\"w\"", "data_offsets");
  check(entry("w", "[-2]", "[0,8]"), "\"w\"", "shape");
  check(entry("w", "[2]", "[0,18446744073709551616]"), "\"w\"", "data_offsets");
  check(entry("w", "[4294967296,4294967296,4294967296]", "[0,8]"), "\"w\"");
  check(entry("w", "[4611686018427387904]", "[0,0]"), "\"w\"");
  check(entry("w", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "\"w\"", "9 dims");
  check(entry("w", "[2]", "[0,8]", "F8_E4M3"), "\"w\"", "F8_E4M3");
  check(entry("a", "[1]", "[0,4]") + "," + entry("b", "[2]", "[0,8]"), "\"b\"", "begins at 0");
  check(entry("a", "[1]", "[4,8]"), "\"a\"", "begins at 4");
  check(entry("a", "[1]", "[0,4]"), "4 bytes", "8");
  check(R"("w":7)", "\"w\"", "object");
  check(R"("w":{"dtype":"F32","shape":[2]})", "\"w\"", "data_offsets");
  check(R"("w":{"dtype":"F32","data_offsets":[0,8]})", "\"w\"", "shape");
  check(R"("w":{"shape":[2],"data_offsets":[0,8]})", "\"w\"", "dtype");
  check(R"("w":{"dtype":"F32","dtype":"F64","shape":[2],"data_offsets":[0,8]})",
        "duplicate name dtype");
  check(R"("w":{"dtype":"F32","shape":[[[[[2]]]]],"data_offsets":[0,8]})", "deep");
  check(R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"extra":1})", "\"w\"", "\"extra\"");
  const std::string good = "," + entry("w", "[2]", "[0,8]");
  check(R"("__metadata__":{"a":1})" + good, "__metadata__", "\"a\"", "no text");
  check(R"("__metadata__":{"a":{}})" + good, "__metadata__", "\"a\"", "no text");
  check(R"("__metadata__":7)" + good, "__metadata__", "no object");
  check("\"w\xFF\":{}", "JSON");
  check_refused(file_of("[1]"), "not a JSON object");
  check_refused(file_of("{}}"), "JSON");
  check_refused(file_of("{" + std::string(100000, '[')), "JSON");
}

TEST_CASE("safetensors: what can't be saved is refused before the old file is touched") {
  const Scratch scratch;
  const std::string path = scratch.write("a.safetensors", "old");
  CHECK(says(error_of([&] { tl::save({{"w", {}}}, path); }), "\"w\"", "undefined"));
  CHECK(says(error_of([&] { tl::save({{"__metadata__", tl::ones({1})}}, path); }), "__metadata__"));
  CHECK(says(error_of([&] { tl::save({{"\xFF", tl::ones({1})}}, path); }), "UTF-8"));
  CHECK(read_file(path) == "old");
}

TEST_CASE("F12: no part of a file, nor a file with a wrong byte, passes for the whole") {
  const Scratch scratch;
  tl::nn::Sequential model(tl::nn::Linear(3, 4), tl::nn::Linear(4, 2, {.bias = false}));
  const std::string path = scratch.file("good.safetensors");
  tl::save(model.state_dict(), path);
  const std::string good = read_file(path);
  const auto before = model.parameters()[0].to_vector<float>();

  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(error_of<tl::FileError>([&] { tl::load(scratch.write("part", good.substr(0, size))); }) !=
          "");
  CHECK(error_of<tl::FileError>([&] { tl::load(scratch.write("part", good + "x")); }) != "");

  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = '\xFF';
    tl::StateDict loaded;
    const auto load = [&] { loaded = tl::load(scratch.write("flipped", flipped)); };
    if (error_of<tl::FileError>(load) != "") continue;
    REQUIRE(loaded.size() == 3);
    CHECK(loaded[0].tensor.shape() == tl::Shape{4, 3});
  }
  CHECK(model.parameters()[0].to_vector<float>() == before);
}

TEST_CASE("safetensors: files and names of other formats are told apart") {
  const Scratch scratch;
  const auto refusal = [&](const std::string& bytes) {
    return error_of<tl::FileError>([&] { tl::load(scratch.write("a.safetensors", bytes)); });
  };
  CHECK(says(refusal(std::string("\x93NUMPY\x01\0", 8) + "rest"), "load_npy"));
  CHECK(says(refusal("PK\x03\x04 and more"), "zip", "load_npz"));
  CHECK(says(refusal("#include <iostream>\n"), "no .safetensors file"));
  for (const char* name : {"a.npy", "a.pt", "a.pth"}) {
    CHECK(says(error_of([&] { tl::save({{"w", tl::ones(1)}}, scratch.file(name)); }), "save", name));
    CHECK_FALSE(std::filesystem::exists(scratch.file(name)));
  }
}
