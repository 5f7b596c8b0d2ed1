#include "autograd/on_arrays.h"

#include <algorithm>

namespace torchlight::autograd {

void run_on_arrays(const Pass<Array>& pass) { run(pass); }

unsigned needs_of(Op op, int i) {
  if (op == Op::custom) return nothing;
  return rule_of<Array>(op).needs[static_cast<std::size_t>(std::min(i, 2))];
}

bool has_rule(Op op) { return op == Op::custom || rule_of<Array>(op).run != nullptr; }

}  // namespace torchlight::autograd
