#pragma once

#include <functional>
#include <string>

#include "cases.h"
#include "launchers.h"
#include "perform.h"

/// Finds out what a file's launchers do, with known numbers, before anybody relies on them.
namespace torchlight::drop_ins {

Description probe(const std::string& path, Family family, const Limits& limits);

/// What the parts of a probe share.
class Prober {
 public:
  Prober(std::string path, Family family, const Limits& limits)
      : path_(std::move(path)), family_(family), limits_(limits) {}

  /// Cases as run_cases does them, each a call in a form.
  struct Trial {
    Form form;
    Call call;
  };
  std::vector<Verdict> run(const std::vector<Trial>& trials, bool all = false) const;
  /// Any other step in a child, with the library open.
  Verdict run(const std::function<void(const Launchers&, Verdict&)>& step) const;

 private:
  const Launchers& launchers() const;

  std::string path_;
  Family family_;
  Limits limits_;
};

/// Numbers for the inputs of a call: the same ones each time, other ones in each row.
void fill_inputs(const Call& call, const Form& form, float* region);
/// What is wrong with the outputs of a call, or nothing.
std::string compare(const Call& call, const Form& form, const float* region);

/// Each fills in the form of its ops. REQUIRES: the library loads, and has the op's launcher.
void probe_rows(const Prober& prober, Op op, Form& form, const Form* forward);
void probe_functions(const Prober& prober, Op op, Form& form);
void probe_matmul(const Prober& prober, Form& form);
/// For all that works on rows: widths and numbers of rows that come out right.
void probe_limits(const Prober& prober, Op op, Form& form);

/// Marks a form as refused.
void refuse(Form& form, const std::string& reason);

}  // namespace torchlight::drop_ins
