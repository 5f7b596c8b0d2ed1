#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::error_of, tl::test::read_file, tl::test::says, tl::test::Scratch;

namespace {

tl::Tape small_tape() {
  const tl::Tensor x = tl::ones({2, 3}), w = tl::ones({3, 2}, {.dtype = tl::float64});
  return tl::trace(
      [&](const tl::Tensor& in) {
        return tl::cat({in.to(tl::float64).matmul(w).exp(), tl::tensor({{1., 2.}}).to(tl::float64)}, 0);
      },
      x);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// `text` with the first `from` made `to`.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("tape: saved and loaded, it is the same tape") {
  const Scratch scratch;
  const tl::Tape tape = small_tape();
  tape.save(scratch.file("a.json"));
  const tl::Tape loaded = tl::Tape::load(scratch.file("a.json"));
  CHECK(loaded.json() == tape.json());
  CHECK(loaded.summary() == tape.summary());
  CHECK(loaded.graphviz() == tape.graphviz());
  CHECK(loaded.chrome_trace() == tape.chrome_trace());
  CHECK(loaded.count_ops() == tape.count_ops());
  CHECK(loaded.peak_bytes() == tape.peak_bytes());
  CHECK(loaded.outputs().empty());
  CHECK(loaded.records()[1].inputs[1].shape == tl::Shape{3, 2});
  CHECK(loaded.records()[1].inputs[1].dtype == tl::float64);
  CHECK(scratch.names() == std::vector<std::string>{"a.json"});
  tl::Tape().save(scratch.file("a.json"));
  CHECK(tl::Tape::load(scratch.file("a.json")).records().empty());
}

TEST_CASE("tape: the graph has each record, and an edge for each value that goes on") {
  const Scratch scratch;
  const tl::Tape tape = small_tape();
  tape.save_graphviz(scratch.file("a.dot"));
  const std::string dot = read_file(scratch.file("a.dot"));
  CAPTURE(dot);
  CHECK(dot.starts_with("digraph tape {\n"));
  CHECK(dot.ends_with("}\n"));
  CHECK(count_of(dot, "shape=box") == tape.records().size());
  CHECK(says(dot, "label=\"matmul\\n(2, 2) float64\"", "\"input 0\"", "\"weight 0\"", "\"output 0\""));
  CHECK(says(dot, "v0 -> r0", "r0 -> r1", "r1 -> r2"));
  CHECK(count_of(dot, "-> o0") == 2);  // cat writes two parts of what is given back
}

TEST_CASE("tape: the time line has an event for each record, in microseconds") {
  const Scratch scratch;
  const tl::Tape tape = small_tape();
  tape.save_chrome_trace(scratch.file("a.json"));
  const std::string json = read_file(scratch.file("a.json"));
  CHECK(count_of(json, "\"ph\":\"X\"") == tape.records().size());
  CHECK(count_of(json, "\"tid\":1,") == tape.records().size() + 1);
  CHECK(count_of(json, "\"ph\":\"M\"") == 2);  // the names of the process and of its one device
  CHECK(says(json, "\"traceEvents\"", "\"name\":\"matmul\"", "\"dur\"", "\"cpu\""));
}

TEST_CASE("tape: a file that is none is refused, with what is wrong") {
  const Scratch scratch;
  const std::string good = small_tape().json();
  const auto refused = [&](const std::string& json, const auto&... parts) {
    const std::string error =
        error_of<tl::FileError>([&] { tl::Tape::load(scratch.write("a.json", json)); });
    CAPTURE(error);
    CHECK(says(error, "a.json", parts...));
  };
  refused("", "JSON");
  refused("{}", "format");
  refused("[]", "format");
  refused(good.substr(0, good.size() / 2), "JSON");
  refused(changed(good, "torchlight tape", "tape"), "format");
  refused(changed(good, "\"version\":1", "\"version\":2"), "version");
  refused(changed(good, "\"kind\":\"input\"", "\"kind\":\"in\\u001bput\""), "in\\x1bput");
  refused(changed(good, "\"value\":0", "\"value\":99"), "value");
  refused(changed(good, "\"value\":0", "\"value\":-2"), "value");
  refused(changed(good, "\"value\":0", "\"value\":1e999"), "");
  refused(changed(good, "\"value\":0", "\"value\":18446744073709551615"), "value");
  refused(changed(good, "\"dtype\":\"float32\"", "\"dtype\":\"float31\""), "float31");
  refused(changed(good, "\"shape\":[", "\"shape\":[4294967296, 4294967296, 4294967296,"), "shape");
  refused(changed(good, "\"shape\":[", "\"shape\":[1,1,1,1,1,1,1,1,"), "8 dims");
  refused(changed(good, "\"records\":[", "\"records\":[7,"), "op");
  refused(changed(good, "\"outputs\"", "\"other\""), "outputs");
  CHECK(says(error_of<tl::FileError>([&] { tl::Tape::load(scratch.file("none")); }), "none"));
}
