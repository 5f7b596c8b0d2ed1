#pragma once

#include <string>

#include "perform.h"
#include "steps.h"

/// Finds out what a file's launchers do, with known numbers, before anybody relies on them.
namespace torchlight::drop_ins {

Description probe(const std::string& path, Family family, const Limits& limits);

/// Numbers for the inputs of a call: the same ones each time, other ones in each row.
void fill_inputs(const Call& call, const Form& form, float* region);
/// What is wrong with the outputs of a call, or nothing.
std::string compare(const Call& call, const Form& form, const float* region);

/// The steps themselves, in the child.
void try_call(const Launchers& launchers, const Form& form, const Call& call, Verdict& verdict);
void measure_layernorm(const Launchers& launchers, Verdict& verdict);
void try_mask(const Launchers& launchers, Verdict& verdict);

/// Each fills in the form of its ops. REQUIRES: the library loads, and has the op's launcher.
void probe_rows(Steps& steps, Op op, Form& form, const Form* forward);
void probe_functions(Steps& steps, Op op, Form& form);
void probe_matmul(Steps& steps, Form& form);
/// For all that works on rows: widths and numbers of rows that come out right.
void probe_limits(Steps& steps, Op op, Form& form);

/// Marks a form as refused.
void refuse(Form& form, const std::string& reason);

}  // namespace torchlight::drop_ins
