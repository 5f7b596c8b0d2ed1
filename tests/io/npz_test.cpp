#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::check_close, tl::test::check_same, tl::test::error_of, tl::test::read_file,
    tl::test::says, tl::test::Scratch;

namespace {

template <class... Parts> void check_refused(const std::string& bytes, const Parts&... parts) {
  const Scratch scratch;
  const std::string error =
      error_of<tl::FileError>([&] { tl::load_npz(scratch.write("a.npz", bytes)); });
  CAPTURE(error);
  CHECK(says(error, "a.npz", parts...));
}

std::string file_of(const tl::StateDict& dict, tl::NpzOptions options = {}) {
  const Scratch scratch;
  tl::save_npz(dict, scratch.file("a.npz"), options);
  return read_file(scratch.file("a.npz"));
}

// `bytes` with the number at `offset` behind the n-th `signature` replaced.
std::string changed(std::string bytes, const std::string& signature, std::size_t offset,
                    std::uint64_t number, std::size_t size) {
  const std::size_t at = bytes.find(signature);
  REQUIRE(at != bytes.npos);
  for (std::size_t i = 0; i < size; ++i) bytes[at + offset + i] = static_cast<char>(number >> (8 * i));
  return bytes;
}

const std::string local_entry = "PK\3\4", directory_entry = "PK\1\2", directory_end = "PK\5\6";

}  // namespace

TEST_CASE("npz: what is saved comes back, in order, stored or deflated") {
  const Scratch scratch;
  const tl::Tensor x = tl::tensor({{1.5, -2., 0.1}, {1e30, -0., 3.}});
  const tl::StateDict dict{{"0.weight", x},
                           {"transposed", x.t()},
                           {"scalar", tl::tensor(7)},
                           {"empty", tl::zeros({3, 0, 2})},
                           {"a/b c.npy", tl::tensor({true, false})},
                           {"", tl::ones({1})},
                           {"wéight", tl::zeros({1000})}};
  for (const bool compressed : {false, true}) {
    tl::save_npz(dict, scratch.file("a.npz"), {.compressed = compressed});
    check_same(tl::load_npz(scratch.file("a.npz")), dict);
    CHECK(scratch.names() == std::vector<std::string>{"a.npz"});
  }
  CHECK(file_of(dict, {.compressed = true}).size() + 3000 < file_of(dict).size());
  CHECK(file_of(dict) == file_of(dict));  // the same content, the same bytes: no time in it
  CHECK(tl::load_npz(scratch.write("none.npz", file_of({}))).empty());
}

TEST_CASE("save and load: the end of the name chooses .npz") {
  const Scratch scratch;
  const tl::nn::Linear model(3, 2);
  tl::save(model.state_dict(), scratch.file("a.npz"));
  CHECK(read_file(scratch.file("a.npz")).starts_with(local_entry));
  const tl::StateDict loaded = tl::load(scratch.file("a.npz"));
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0].name == "weight");
  tl::save(model.state_dict(), scratch.file("npz"));
  CHECK(read_file(scratch.file("npz")).find('{') == 8);
}

TEST_CASE("F03: a name given twice is refused, in a .npz file and in a list") {
  const tl::StateDict twice{{"w", tl::ones({1})}, {"w", tl::ones({2})}};
  const Scratch scratch;
  CHECK(says(error_of([&] { tl::save_npz(twice, scratch.file("a.npz")); }), "\"w\"", "duplicate"));
  CHECK(scratch.names().empty());
  std::string bytes = file_of({{"v", tl::ones({1})}, {"w", tl::ones({1})}});
  for (std::size_t at = bytes.find("v.npy"); at != bytes.npos; at = bytes.find("v.npy"))
    bytes[at] = 'w';
  check_refused(bytes, "duplicate name \"w\"");
}

TEST_CASE("npz: what can't be saved is refused before the old file is touched") {
  const Scratch scratch;
  const std::string path = scratch.write("a.npz", "old");
  const auto check = [&](const std::string& name, const tl::Tensor& tensor, const auto&... parts) {
    CHECK(says(error_of([&] { tl::save_npz({{name, tensor}}, path); }), "save_npz", parts...));
  };
  check("w", {}, "\"w\"", "undefined");
  check("w", tl::ones({1}).to(tl::bfloat16), "\"w\"", "bfloat16");
  check(std::string("a\0b", 3), tl::ones({1}), "a\\x00b", "zero byte");
  check(std::string(70000, 'x'), tl::ones({1}), "too long");
  CHECK(read_file(path) == "old");
}

TEST_CASE("npz: a disk that is full is reported; the old file stays, no other does") {
  const Scratch scratch;
  const std::string path = scratch.file("a.npz");
  tl::save_npz({{"w", tl::ones({3})}}, path);
  const std::string before = read_file(path);
  for (const bool compressed : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{4096, 4096};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const tl::Tensor noise = tl::rand({20000});
      const std::string error = error_of<tl::FileError>([&] {
        tl::save_npz({{"w", noise}}, path, {.compressed = compressed});
      });
      ::_exit(says(error, "a.npz", "File too large") ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(read_file(path) == before);
    CHECK(scratch.names() == std::vector<std::string>{"a.npz"});
  }
}

TEST_CASE("npz: what a hostile file claims is held against the file") {
  const std::string good = file_of({{"w", tl::ones({4})}}, {.compressed = true});
  const std::string stored = file_of({{"w", tl::ones({4})}});
  const std::uint64_t huge = 0xFFFFFF00;
  // The fields of a directory's entry: flags 8, method 10, sizes 20 and 24, name 46; of a local one: 6, 8, 18, 22.
  check_refused(changed(good, directory_entry, 24, huge, 4), "w.npy", std::to_string(huge));
  check_refused(changed(changed(good, directory_entry, 24, huge, 4), local_entry, 22, huge, 4), "w.npy",
                std::to_string(huge));
  check_refused(changed(good, directory_entry, 20, huge, 4), "w.npy", std::to_string(huge));
  check_refused(changed(stored, directory_entry, 24, 1000, 4), "w.npy", "1000");
  check_refused(changed(good, directory_entry, 8, 1, 2), "w.npy", "encrypted");
  check_refused(changed(good, directory_entry, 10, 12, 2), "w.npy", "12");
  check_refused(changed(good, directory_end, 8, 0xFFFE'FFFE, 4), "damaged");
  check_refused(changed(stored, local_entry, 14, 0, 4));
  check_refused("", "damaged");
  check_refused(directory_end + std::string(17, '\0') + "\1", "damaged");
  check_refused(std::string(100, 'P'), "damaged");
}

TEST_CASE("npz: entries that are no arrays are refused by name, and names from outside are escaped") {
  std::string bytes = file_of({{"w", tl::ones({4})}});
  for (std::size_t at = bytes.find("w.npy"); at != bytes.npos; at = bytes.find("w.npy"))
    bytes.replace(at, 5, "\x1b[31m");
  check_refused(bytes, "\\x1b[31m", "no .npy array");
}

TEST_CASE("F12: no part of a .npz file, nor one with a wrong byte, passes for the whole") {
  for (const bool compressed : {false, true}) {
    const tl::Tensor x = tl::arange(12).to(tl::float32).reshape({3, 4});
    const std::string good = file_of({{"a", x}, {"b", x.t()}}, {.compressed = compressed});
    const auto wanted = x.to_vector<float>();
    const Scratch scratch;
    const auto load = [&](const std::string& bytes) {
      return tl::load_npz(scratch.write("part", bytes));
    };
    for (std::size_t size = 0; size < good.size(); ++size)
      CHECK(error_of<tl::FileError>([&] { load(good.substr(0, size)); }) != "");
    CHECK(says(error_of<tl::FileError>([&] { load(good + "x"); }), "directory"));
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ 0xFF);
      tl::StateDict loaded;
      if (error_of<tl::FileError>([&] { loaded = load(flipped); }) != "") continue;
      CAPTURE(i);  // a checksum stands over all values, so that what still loads is right
      if (!loaded.empty()) CHECK(loaded[0].tensor.to_vector<float>() == wanted);
    }
  }
}
