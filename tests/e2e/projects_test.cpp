// The projects of `torchlight train` beside the digits.
#include <algorithm>
#include <fstream>

#include <torchlight/torchlight.h>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::Result, tl::test::run, tl::test::says, tl::test::Scratch;

namespace {

using Arguments = std::vector<std::string>;

// Where every access is watched a step takes fifty times as long: it is the accesses that count there.
#if defined(TORCHLIGHT_SANITIZED)
constexpr bool watched = true;
#else
constexpr bool watched = false;
#endif

double number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + key.size()));
}

Result train(const std::string& name, const Scratch& scratch, const Arguments& more = {}) {
  Arguments arguments{"train", name, "--out", scratch.file("w.safetensors")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

Result train_well(const std::string& name, const Scratch& scratch, const Arguments& more = {}) {
  Result result = train(name, scratch, more);
  CAPTURE(result.out);
  CHECK(result.error == "");
  REQUIRE(result.status == 0);
  CHECK(says(result.out, "weights saved to"));
  return result;
}

std::string write(const Scratch& scratch, const std::string& name, const std::string& text) {
  const std::string path = scratch.file(name);
  std::ofstream(path) << text;
  return path;
}

/// Numbers that the seed fixes, the same everywhere.
class Dice {
 public:
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Sentences of dull words and, by their label, of kind or unkind ones.
std::string opinions(std::size_t rows) {
  const Arguments dull{"the", "film", "story", "was", "a", "with", "and", "quite", "we", "saw"},
      kind{"good", "great", "lovely", "charming"}, unkind{"bad", "awful", "dull", "poor"};
  Dice dice;
  std::string text = "label\tid\ttext\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const bool is_kind = dice.below(2) == 1;
    std::string sentence;
    for (std::size_t n = 3 + dice.below(9); n > 0; --n) sentence += dull[dice.below(dull.size())] + " ";
    sentence += (is_kind ? kind : unkind)[dice.below(4)];
    text +=
        std::string(is_kind ? "kind" : "unkind") + "\t" + std::to_string(i) + "\t" + sentence + "!\n";
  }
  return text;
}

/// Numbers in words, and their digits backwards.
std::string numbers(std::size_t rows) {
  const Arguments names{"zero", "one", "two", "three", "four", "five"};
  Dice dice;
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string words, digits;
    for (std::size_t n = 1 + dice.below(4); n > 0; --n) {
      const std::size_t digit = dice.below(names.size());
      words += (words.empty() ? "" : " ") + names[digit];
      digits = std::to_string(digit) + (digits.empty() ? "" : " ") + digits;
    }
    text += words + "," + digits + "\n";
  }
  return text;
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (const tl::NamedTensor& entry : tl::load(path, "cpu")) names.push_back(entry.name);
  return names;
}

std::string text_of(const tl::StateDict& dict, const std::string& name) {
  for (const tl::NamedTensor& entry : dict) {
    if (entry.name != name) continue;
    const auto bytes = entry.tensor.to_vector<std::uint8_t>();
    return {bytes.begin(), bytes.end()};
  }
  return {};
}

}  // namespace

TEST_CASE("train breast-cancer: tells at least 96 % of unseen tumours, and saves how to scale them") {
  const Scratch scratch;
  const Result result =
      train_well("breast-cancer", scratch, watched ? Arguments{"--epochs", "5"} : Arguments{});
  CHECK(number_after(result.out, "test accuracy: ") >= (watched ? 85 : 96));
  CHECK(says(result.out, "456 tumours to learn from, 113 held out", "malignant", "benign", "recall"));
  const auto names = names_in(scratch.file("w.safetensors"));
  CHECK(says(names[0] + " " + names[1], "layers.0.weight"));
  CHECK(std::ranges::count(names, "mean") + std::ranges::count(names, "deviation") == 2);
}

TEST_CASE("train autoencoder: paints unseen digits better than the mean of their class does") {
  const Scratch scratch;
  const Result result =
      train_well("autoencoder", scratch, watched ? Arguments{"--epochs", "2"} : Arguments{});
  CHECK(number_after(result.out, "(squared), ") < (watched ? 200 : 35));
  CHECK(says(result.out, "what it takes for a 0:", "what it takes for a 9:", "@@"));
  CHECK_FALSE(says(result.out, "accuracy"));
}

TEST_CASE("train sentiment: learns the words of a table's text column, and saves them") {
  const Scratch scratch;
  const std::string table = write(scratch, "opinions.tsv", opinions(watched ? 100 : 600));
  const Result result =
      train_well("sentiment", scratch, {"--data", table, "--epochs", watched ? "3" : "10"});
  if (!watched) CHECK(number_after(result.out, "test accuracy: ") >= 98);
  CHECK(says(result.out, "kind", "unkind", "confusion matrix"));
  const std::string words = text_of(tl::load(scratch.file("w.safetensors"), "cpu"), "vocabulary");
  CHECK(words.starts_with("<padding>\n<unknown>\n"));
  CHECK(says(words, "\n!\n", "\ncharming\n"));
}

TEST_CASE("train seq2seq: translates unseen sentences, of a table without names, word for word") {
  const Scratch scratch;
  const std::string table = write(scratch, "numbers.csv", numbers(watched ? 60 : 900));
  const Result result = train_well("seq2seq", scratch,
                                   {"--data", table, "--source", "1", "--target", "2", "--batch", "16",
                                    "--epochs", watched ? "1" : "12"});
  if (!watched) CHECK(number_after(result.out, "test: ") >= 90);
  CHECK(says(result.out, " -> ", "right word for word"));
  const tl::StateDict state = tl::load(scratch.file("w.safetensors"), "cpu");
  CHECK(says(text_of(state, "source_vocabulary"), "<end>\n", "\nfive\n"));
  CHECK(says(text_of(state, "target_vocabulary"), "<end>\n", "\n5\n"));
}

TEST_CASE("train: the same seed gives the same weights") {
  const Scratch scratch, other;
  for (const Scratch* each : {&scratch, &other})
    train_well("breast-cancer", *each, {"--epochs", "2", "--seed", "3"});
  CHECK(tl::test::read_file(scratch.file("w.safetensors")) ==
        tl::test::read_file(other.file("w.safetensors")));
}

TEST_CASE("train: bad tables are refused before any work, naming what is wrong") {
  const Scratch scratch;
  const auto refused = [&](const std::string& name, const Arguments& more, auto... parts) {
    const Result result = train(name, scratch, more);
    CAPTURE(result.error);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(says(result.error, parts...));
    CHECK(std::ranges::count(result.error, '\n') == 1);
  };
  const auto table = [&](const std::string& text) { return write(scratch, "t.csv", text); };
  refused("sentiment", {}, "--data");
  refused("seq2seq", {}, "--data");
  refused("sentiment", {"--data", scratch.file("none.csv")}, "none.csv");
  refused("sentiment", {"--data", table("")}, "t.csv", "empty");
  refused("sentiment", {"--data", table("text,label\n")}, "t.csv", "no rows");
  refused("sentiment", {"--data", table("a,b\nx,y\n")}, "no column \"text\"", "\"a\", \"b\"");
  refused("sentiment", {"--data", table("a,b\nx,y\n"), "--text", "1", "--label", "3"},
          "no column 3 among 2");
  refused("sentiment", {"--data", table("text,label\nx,y\nz,y\n")},
          "the number of different labels is 1", "--label");
  refused("sentiment", {"--data", table("text,label\nx,y\nz,\n")}, "row 2", "empty");
  refused("sentiment", {"--data", table("text,label\nx,y\n"), "--text", "label"}, "the same one");
  refused("sentiment", {"--data", table("text,text,label\nx,y,z\n")}, "several columns", "text");
  refused("sentiment", {"--data", table("text,label\nx,y\nz\n")}, "line 3");
  refused("sentiment", {"--data", table("text,label\nx,y\nz,w\n")}, "too few");
  refused("seq2seq", {"--data", table("source,target\nx,y\n")}, "too few");
  refused("breast-cancer", {"--data", table("h\n1,2\n")}, "line 2", "30 measurements");
  std::string row;
  for (int i = 0; i < 30; ++i) row += "1,";
  refused("breast-cancer", {"--data", table("h\n" + row + "1\n" + row + "2\n")}, "line 3", "column 31");
  refused("breast-cancer", {"--data", table("h\n" + row + "1\n" + row + "0\n")}, "too few");
  CHECK(scratch.names() == Arguments{"t.csv"});
}
