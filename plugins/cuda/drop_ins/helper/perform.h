#pragma once

#include <string>

#include "../call.h"
#include "launchers.h"

/// A call, done by the launcher of a library in the form that it speaks.
namespace torchlight::drop_ins {

/// What layernorm wrote beside its result, for the probe.
struct Statistics {
  float variance = 0, mean = 0;  ///< of the first row
};

/// Arms the region, does the call, and looks whether it was done: Fault if not. What a launcher throws
/// passes through. REQUIRES: is_sound(call), the region has room for layout_of(call), the inputs are
/// filled.
void perform(const Launchers& launchers, const Form& form, const Call& call, float* region,
             Statistics* statistics = nullptr);

/// Whatever a launcher threw, in words. Call it in a handler.
std::string thrown_words();

}  // namespace torchlight::drop_ins
