// Plain AVX-512 loops written by hand; a processor without them leaves this contestant out.
#include "hand.h"

namespace {

peers::Work make(const peers::Case& c) {
  namespace hand = peers::hand;
  if (c.op == "copyT" || c.op == "addT") return c.preallocated ? hand::transposed(c) : peers::Work{};
  if (c.op == "sum" || c.op == "max") return hand::reduction(c);
  if (c.op.rfind("softmax_", 0) == 0) return hand::softmax(c);
  if (c.op.rfind("ln_", 0) == 0) return hand::layernorm(c);
  return c.preallocated ? hand::elementwise(c) : peers::Work{};
}

}  // namespace

peers::Contestant make_hand() {
  return {"hand", [](int threads) { peers::hand::threads() = threads; }, make};
}
