// Steps of a probe that tell one form from another by what comes out.
#include <algorithm>
#include <cmath>
#include <vector>

#include "probe.h"

namespace torchlight::drop_ins {

/// Rows of ±1e-4 have a variance of 1e-8, beside which the eps of a library can be seen. Numbers: what
/// came of an element, `vars`, `means`.
void measure_layernorm(const Launchers& launchers, Verdict& verdict) {
  const Call call{Op::layernorm_fw, 0, {4, 32, 0, 0}};
  const Layout layout = layout_of(call);
  std::vector<float> region(layout.floats);
  for (std::size_t e = 0; e < layout.buffers[0].elements; ++e)
    region[layout.buffers[0].begin + e] = e % 2 == 0 ? 1e-4f : -1e-4f;
  for (std::size_t j = 0; j < 32; ++j) region[layout.buffers[1].begin + j] = 1;
  for (std::size_t j = 0; j < 32; ++j) region[layout.buffers[2].begin + j] = 0;
  Statistics statistics;
  perform(launchers, Form{}, call, region.data(), &statistics);
  verdict.numbers[0] = region[layout.buffers[3].begin];
  verdict.numbers[1] = statistics.variance;
  verdict.numbers[2] = statistics.mean;
  verdict.kind = Verdict::right;
}

/// The launch spelling's mask is [batch, to_len], for all heads and rows alike. Numbers: how far the
/// result is from the mask added, and from it ignored.
void try_mask(const Launchers& launchers, Verdict& verdict) {
  using Launch = void(float*, const float*, int, int, int, int, bool, void*);
  constexpr int batch = 2, heads = 2, from = 3, to = 32;
  std::vector<float> x(batch * heads * from * to + 1024), mask(batch * to + 1024);
  for (int e = 0; e < batch * heads * from * to; ++e) x[e] = static_cast<float>(e * 37 % 101) / 50 - 1;
  for (int e = 0; e < batch * to; ++e) mask[e] = static_cast<float>(e * 53 % 97) / 30 - 1;
  std::vector<float> y = x;
  reinterpret_cast<Launch*>(launchers.function(Op::softmax_fw))(y.data(), mask.data(), batch, heads,
                                                                from, to, false, nullptr);
  for (int with_mask = 0; with_mask < 2; ++with_mask) {
    double worst = 0;
    for (int row = 0; row < batch * heads * from; ++row) {
      const float* m = mask.data() + row / (heads * from) * to;
      double sum = 0;
      for (int j = 0; j < to; ++j) sum += std::exp(double{x[row * to + j]} + with_mask * double{m[j]});
      for (int j = 0; j < to; ++j)
        worst = std::max(worst,
                         std::abs(std::exp(double{x[row * to + j]} + with_mask * double{m[j]}) / sum -
                                  y[row * to + j]));
    }
    verdict.numbers[with_mask] = static_cast<float>(worst);
  }
  verdict.kind = Verdict::right;
}

void do_step(const Step& step, LazyLaunchers& launchers, Verdict& verdict) {
  switch (step.kind) {
    case Step::driver:
      put_text(verdict.text, driver_problem(launchers.path()));
      verdict.kind = verdict.text[0] ? Verdict::wrong : Verdict::right;
      return;
    case Step::exports:
      for (int op = 0; op < op_count; ++op)
        if (launchers.get().function(Op(op)))
          verdict.numbers[0] +=
              static_cast<float>(1 << (2 * op + int(launchers.get().spelling(Op(op)))));
      verdict.kind = Verdict::right;
      return;
    case Step::layernorm_form: return measure_layernorm(launchers.get(), verdict);
    case Step::mask_form: return try_mask(launchers.get(), verdict);
    case Step::known_numbers: return try_call(launchers.get(), step.form, step.call, verdict);
  }
}

}  // namespace torchlight::drop_ins
