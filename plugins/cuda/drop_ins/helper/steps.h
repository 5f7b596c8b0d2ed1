#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../child.h"
#include "../wire.h"
#include "launchers.h"

/// The steps of a probe, in a child process: one that ends its process, crashes, hangs or throws is an
/// answer.
namespace torchlight::drop_ins {

/// Something to try. Plain data, for it is handed to a process that runs already: whoever wakes up a
/// GPU for each step anew takes ten times as long.
struct Step {
  enum Kind { driver, exports, layernorm_form, mask_form, known_numbers };
  Kind kind = known_numbers;
  Form form{};
  Call call{};
};

/// What came of it.
struct Verdict {
  enum Kind { not_run, right, wrong, ended };
  Kind kind = not_run;
  bool touched_rows_behind = false;
  float numbers[4] = {};
  char text[480] = "";
};

class Steps {
 public:
  Steps(const std::string& path, Family family, const Limits& limits);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps();

  /// Does all that are right, one after the other, and stops after the first that isn't unless `all`.
  /// After such a one the rest is done by a fresh process.
  std::vector<Verdict> run(const std::vector<Step>& steps, bool all = false);
  Verdict run_one(const Step& step) { return run(std::vector<Step>{step})[0]; }

 private:
  struct Shared;
  void start_child();
  [[noreturn]] void be_child(int print_to);
  void do_step(std::size_t i);
  void watch(std::size_t from, std::size_t count, bool fresh);
  bool is_hopeless(Verdict& verdict) const;

  const std::string path_;
  const Family family_;
  const Limits limits_;
  const Clock::time_point end_;
  Shared* shared_;
  std::unique_ptr<Child> child_;
  int hangs_ = 0;
};

/// Does one, in the child. What is thrown is a verdict, too. `launchers` opens the library, at first use.
class LazyLaunchers;
void do_step(const Step& step, LazyLaunchers& launchers, Verdict& verdict);

class LazyLaunchers {
 public:
  LazyLaunchers(std::string path, Family family) : path_(std::move(path)), family_(family) {}
  const std::string& path() const { return path_; }
  const Launchers& get() {
    if (!opened_) opened_ = new Launchers(path_, family_);  // never closed
    return *opened_;
  }

 private:
  std::string path_;
  Family family_;
  const Launchers* opened_ = nullptr;
};

}  // namespace torchlight::drop_ins
