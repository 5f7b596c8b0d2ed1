#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <torchlight/torchlight.h>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::Launch, tl::test::Process, tl::test::read_file, tl::test::Result, tl::test::run,
    tl::test::says, tl::test::Scratch, tl::test::Stdout;

namespace {

using Names = std::vector<std::string>;

Launch train(const Scratch& scratch, std::vector<std::string> more = {}) {
  Launch launch{{"train", "digits", "--out", scratch.file("w.safetensors")}};
  launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
  return launch;
}

bool has_control_bytes(const std::string& text) {
  return text.find_first_of("\r\x1b") != std::string::npos;
}

// All of the training takes a quarter of an hour where every access is watched; there it is the accesses that
// count.
#if defined(TORCHLIGHT_SANITIZED)
const std::string epochs = "2";
constexpr double enough = 90;
#else
const std::string epochs = "20";  // what the command does when nothing is said
constexpr double enough = 98;
#endif

// The number after `key`.
double number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + key.size()));
}

}  // namespace

TEST_CASE("train digits: reaches 98 % on digits that it hasn't seen, and says what it did") {
  const Scratch scratch;
  const Result result = run(train(scratch, epochs == "20" ? Names{} : Names{"--epochs", epochs}));
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(result.error == "");
  CHECK(number_after(result.out, "test accuracy: ") >= enough);
  CHECK(says(result.out, "1/" + epochs, "epoch " + epochs + "/" + epochs, "loss", "accuracy",
             "confusion matrix", "w.safetensors"));
  CHECK(scratch.names() == Names{"w.safetensors"});

  const Result shown = run({"predict", "--weights", scratch.file("w.safetensors"), "--count", "40"});
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  std::size_t right = 0, pictures = 0;
  for (std::size_t at = 0; (at = shown.out.find("the answer is ", at)) != std::string::npos;
       ++at, ++pictures) {
    const std::string line = shown.out.substr(at, shown.out.find('\n', at) - at);
    right += line[14] == line.back();
  }
  CHECK(pictures == 40);
  CHECK(right >= enough / 100 * 40 - 2);
  CHECK(says(shown.out, "@@"));
}

TEST_CASE("train digits: the seed fixes everything") {
  const Scratch scratch;
  const auto weights = [&](const char* seed) {
    CHECK(run(train(scratch, {"--epochs", "1", "--seed", seed})).status == 0);
    return read_file(scratch.file("w.safetensors"));
  };
  const std::string first = weights("1");
  CHECK(weights("1") == first);
  CHECK(weights("2") != first);
}

TEST_CASE("predict: weights that are no numbers are refused, and too large a count is said") {
  const Scratch scratch;
  REQUIRE(run(train(scratch, {"--epochs", "1"})).status == 0);
  const std::string path = scratch.file("w.safetensors");
  const Result all = run({"predict", "--weights", path, "--count", "1000"});
  CHECK(says(all.out, "there are no more than 359 held-out digits"));
  tl::StateDict weights = tl::load(path, "cpu");
  weights[1].tensor[0].fill_(NAN);
  tl::save(weights, path);
  const Result refused = run({"predict", "--weights", path});
  CHECK(refused.status == 2);
  CHECK(says(refused.error, "w.safetensors", weights[1].name, "no number"));
}

TEST_CASE("predict: shows the digits it is asked for") {
  const Scratch scratch;
  REQUIRE(run(train(scratch, {"--epochs", "1"})).status == 0);
  const Result result =
      run({"predict", "--weights", scratch.file("w.safetensors"), "--index", "5", "0"});
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(says(result.out, "digit 5: the answer is ", "the label 5", "digit 0: the answer is ",
             "the label 0"));
  // Row 3 of the first digit: 0 3 15 2 0 11 8 0, of 16.
  CHECK(says(result.out, "\n    ::%%..  **++\n"));
}

TEST_CASE("I06: elsewhere than on a terminal there are plain lines alone") {
  const Scratch scratch;
  const Launch plain = train(scratch, {"--epochs", "2"});
  const std::string piped = run(plain).out;
  CHECK_FALSE(has_control_bytes(piped));
  CHECK(std::count(piped.begin(), piped.end(), '\n') ==
        17);  // head, 2 epochs, accuracy, matrix 12, saved

  for (const auto& [name, value] :
       {std::pair{"TERM", "dumb"}, std::pair{"NO_COLOR", "1"}, std::pair{"TERM", ""}}) {
    Launch launch = train(scratch, {"--epochs", "1"});
    launch.out = Stdout::terminal;
    launch.environment = {{name, value}};
    std::string out = run(launch).out;
    CHECK(says(out, "test accuracy"));
    out.erase(std::remove(out.begin(), out.end(), '\r'),
              out.end());  // the terminal's own, before each \n
    CHECK_FALSE(has_control_bytes(out));
  }
}

TEST_CASE("I06: lines come when they are due, not when a buffer is full") {
  const Scratch scratch;
  Process process(train(scratch, {"--epochs", "1000"}));
  CHECK(process.read_until("epoch    1/1000"));
  process.send(SIGTERM);
  CHECK(process.wait().status == 128 + SIGTERM);
}

TEST_CASE("I06: on a terminal a bar is drawn in place, and lines stay") {
  const Scratch scratch;
  Launch launch = train(scratch, {"--epochs", "2"});
  launch.out = Stdout::terminal;
  const Result result = run(launch);
  CHECK(result.status == 0);
  CHECK(says(result.out, "\repoch 1/2 [", "=", "s left\x1b[K", "test accuracy"));
}

TEST_CASE("I06: a reader that leaves, a closed output and a full disk stop no training") {
  for (const Stdout kind : {Stdout::closed_pipe, Stdout::closed, Stdout::full_disk}) {
    const Scratch scratch;
    Launch launch = train(scratch, {"--epochs", "1"});
    launch.out = kind;
    const Result result = run(launch);
    CAPTURE(static_cast<int>(kind));
    CHECK(result.status == (kind == Stdout::closed_pipe ? 0 : 1));
    CHECK(says(result.error, "No space left") == (kind == Stdout::full_disk));
    CHECK(says(result.error, "Bad file descriptor") == (kind == Stdout::closed));
    CHECK(tl::load(scratch.file("w.safetensors")).size() == 8);
  }
}

TEST_CASE("train digits: Ctrl-C, SIGTERM and SIGHUP stop it cleanly, with the weights so far") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    Process process(train(scratch, {"--epochs", "1000"}));
    CHECK(process.read_until("epoch    1/1000"));
    process.send(signal);
    const Result result = process.wait();
    CHECK(result.status == 128 + signal);
    CHECK(says(result.out, "stopped", "w.safetensors"));
    CHECK(run({"predict", "--weights", scratch.file("w.safetensors")}).status == 0);
  }
}

TEST_CASE(
    "train digits: a terminal that closes says so twice, and the weights are saved all the same") {
  const Scratch scratch;
  Process process(train(scratch, {"--epochs", "1000"}));
  CHECK(process.read_until("epoch    1/1000"));
  for (int i = 0; i < 3; ++i) process.send(SIGHUP);
  CHECK(process.wait().status == 128 + SIGHUP);
  CHECK(run({"predict", "--weights", scratch.file("w.safetensors")}).status == 0);
}

TEST_CASE("train digits: a signal that is ignored when it starts stays so, as nohup wants it") {
  const Scratch scratch;
  Launch launch = train(scratch, {"--epochs", "2"});
  launch.ignored_signal = SIGHUP;
  Process process(launch);
  CHECK(process.read_until("epoch 1/2"));
  process.send(SIGHUP);
  const Result result = process.wait();
  CHECK(result.status == 0);
  CHECK(says(result.out, "epoch 2/2", "test accuracy"));
}

TEST_CASE("train digits: the second Ctrl-C ends it at once") {
  // Both must come within one step, so steps are long, and it may take more than one try.
  int status = 0;
  for (int i = 0; i < 64 && status != -SIGINT; ++i) {
    const Scratch scratch;
    Process process(train(scratch, {"--epochs", "1000", "--batch", "1437"}));
    CHECK(process.read_until("epoch    1/1000"));
    process.send(SIGINT);
    ::usleep(100u << (i % 8));  // two that come at once are one
    process.send(SIGINT);
    status = process.wait().status;
  }
  CHECK(status == -SIGINT);
}

TEST_CASE("I04: training stops at the step whose loss isn't a number, and saves nothing") {
  const Scratch scratch;
  const std::string path = scratch.write("w.safetensors", "old");
  Launch launch = train(scratch, {"--lr", "1e30"});
  for (const Stdout kind : {Stdout::pipe, Stdout::terminal}) {
    launch.out = kind;
    const Result result = run(launch);
    CAPTURE(result.out);
    CAPTURE(result.error);
    CHECK(result.status == 2);
    CHECK(says(result.error, "the loss is ", "nan", " step ", "epoch 1", "--lr"));
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
    CHECK(says(result.out, "s left") == (kind == Stdout::terminal));
    CHECK(result.out.ends_with('\n'));  // so the error doesn't stand behind the progress line
    CHECK(read_file(path) == "old");
  }
}

TEST_CASE("I04: weights that the last step spoiled are not saved") {
  const Scratch scratch;
  const std::string path = scratch.write("w.safetensors", "old");
  const Result result = run(train(scratch, {"--lr", "1e39", "--batch", "2000", "--epochs", "1"}));
  CAPTURE(result.error);
  CHECK(result.status == 2);
  CHECK(says(result.error, "0.weight is not finite", "step 1 of epoch 1", "--lr"));
  CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
  CHECK(read_file(path) == "old");
}
