#pragma once

#include "drop_ins.h"
#include "form.h"
#include "service.h"

namespace torchlight::drop_ins {

/// A file's part of the listing. `taken`: the ops that files before it have got; it adds its own.
Listed listed(Service& service, Look look, bool (&taken)[op_count]);

/// "launch_…, up to 1024 columns, …"
std::string details_of(Op op, const Form& form);

}  // namespace torchlight::drop_ins
