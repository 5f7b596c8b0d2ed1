#include <torchlight/autograd.h>

#include "autograd/mode.h"

namespace torchlight {

no_grad::no_grad(bool off) : before_(autograd::set_recording(!off && autograd::is_recording())) {}
no_grad::~no_grad() { autograd::set_recording(before_); }

bool is_grad_enabled() { return autograd::is_recording(); }

}  // namespace torchlight
