// One step of a probe: a call with known numbers, held against float64.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "../functions.h"
#include "probe.h"
#include "reference.h"

namespace torchlight::drop_ins {
namespace {

/// Numbers between -1 and 1, always the same.
class Numbers {
 public:
  float next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) / 2147483648.0f;
  }

 private:
  std::uint64_t state_ = 7;
};

/// What functions of one number are tried on. The ABI's NaN is kept apart where it is mended on the way
/// back.
constexpr float values[] = {0.5f, -0.0f, 1,  -1,    2,     -3,  0.25f, -0.75f, 3.5f, -7,
                            10,   -12,   30, 1e-3f, 1e-8f, 100, -100,  1e6f,   -1e6f};

void fill_rows(const Call& call, float* x, float* second) {
  Numbers numbers;
  const std::int64_t rows = call.dims[0], columns = call.dims[1];
  for (std::int64_t i = 0; i < rows; ++i, x += columns) {
    const float scale = call.op == Op::softmax_fw ? 3 : 1;
    for (std::int64_t j = 0; j < columns; ++j) x[j] = scale * numbers.next();
    if (call.op != Op::softmax_fw && !second) continue;
    // softmax_fw: the largest is 0, some are so small that nothing is left of them
    // softmax_bw: second is what a softmax gives
    float* row = second ? second + i * columns : x;
    if (second)
      for (std::int64_t j = 0; j < columns; ++j) row[j] = 3 * numbers.next();
    const float largest = *std::max_element(row, row + columns);
    for (std::int64_t j = 0; j < columns; ++j) row[j] -= largest;
    if (!second) {
      for (std::int64_t j = i % 3; j < columns; j += 5)
        if (row[j] < 0) row[j] = -120;
      continue;
    }
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += std::exp(double{row[j]});
    for (std::int64_t j = 0; j < columns; ++j)
      row[j] = static_cast<float>(std::exp(double{row[j]}) / sum);
  }
}

/// Rows of variance 1 and about eps in turn, so that eps is seen; or normalised already.
void fill_layernorm(const Call& call, bool normalised, double eps, float* x) {
  Numbers numbers;
  const std::int64_t rows = call.dims[0], columns = call.dims[1];
  for (std::int64_t i = 0; i < rows; ++i, x += columns) {
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < columns; ++j) mean += (x[j] = numbers.next());
    mean /= double(columns);
    for (std::int64_t j = 0; j < columns; ++j) variance += (x[j] - mean) * (x[j] - mean);
    variance /= double(columns);
    // The normalised row of an input whose variance isn't large beside eps has a variance below 1.
    const double wanted = i % 2 == 0 ? 1 : normalised ? 0.5 : std::sqrt(std::max(eps, 1e-12));
    const double factor = variance > 0 ? wanted / std::sqrt(variance) : 0;
    for (std::int64_t j = 0; j < columns; ++j) x[j] = static_cast<float>((x[j] - mean) * factor);
  }
}

void fill_function(const Call& call, float* a, float* b) {
  const std::size_t count = std::size(values);
  for (std::int32_t i = 0; i < call.dims[0]; ++i) {
    a[i] = values[i % count];
    if (call.op == Op::map && map_functions[call.fn].tl == TL_MAP_sqrt) a[i] = std::abs(a[i]);
    if (b) b[i] = values[(i / count + i) % count];
  }
  // Behind all finite ones, where NaN is the library's own affair.
  const bool mended = b ? zip_functions[call.fn].mend_nan : map_functions[call.fn].mend_nan;
  if (mended || call.dims[0] < 3) return;
  a[call.dims[0] - 1] = NAN;
  a[call.dims[0] - 2] = INFINITY;
}

std::string describe(const Call& call) {
  std::ostringstream out;
  out << op_name[int(call.op)];
  if (call.op == Op::map) out << ' ' << map_functions[call.fn].name;
  if (call.op == Op::zip) out << ' ' << zip_functions[call.fn].name;
  if (call.op == Op::reduce) out << ' ' << reduce_functions[call.fn].name;
  const auto* d = call.dims;
  if (call.op == Op::matmul)
    out << " of " << d[0] << " x (" << d[1] << " x " << d[2] << " by " << d[2] << " x " << d[3] << ")";
  else if (call.op <= Op::layernorm_bw || call.op == Op::reduce)
    out << " of " << d[0] << " rows, " << d[1] << " columns";
  return out.str();
}

double tolerance(Op op) {
  switch (op) {
    case Op::softmax_bw:
    case Op::layernorm_bw:
    case Op::matmul: return 1e-4;
    default: return 1e-5;
  }
}

constexpr double smallest = 1e-37;  // below it float32 may give 0

double eps_of(const Call& call, const Form& form) {
  return call.op == Op::layernorm_bw && form.spelling == Spelling::launch ? -1 : double{form.eps};
}

}  // namespace

void fill_inputs(const Call& call, const Form& form, float* region) {
  const Layout layout = layout_of(call);
  const auto in = [&](int i) { return region + layout.buffers[i].begin; };
  Numbers numbers;
  const auto fill = [&](int i, float scale, float shift) {
    for (std::size_t e = 0; e < layout.buffers[i].elements; ++e)
      in(i)[e] = shift + scale * numbers.next();
  };
  switch (call.op) {
    case Op::softmax_fw: return fill_rows(call, in(0), nullptr);
    case Op::softmax_bw: return fill_rows(call, in(0), in(1));
    case Op::layernorm_fw:
      fill_layernorm(call, false, form.eps, in(0));
      fill(1, 0.5f, 1);
      return fill(2, 1, 0);
    case Op::layernorm_bw:
      fill(0, 1, 0);
      fill_layernorm(call, form.spelling == Spelling::launch, form.eps, in(1));
      fill(2, 0.5f, 1);
      in(2)[0] = 0;  // a gamma of 0 must not make its gradient NaN
      return;
    case Op::map: return fill_function(call, in(0), nullptr);
    case Op::zip: return fill_function(call, in(0), in(1));
    case Op::reduce: return fill(0, 1, reduce_functions[call.fn].tl == TL_REDUCE_prod ? 0.8f : 0.1f);
    case Op::matmul: fill(0, 1, 0); return fill(1, 1, 0);
  }
}

namespace {

/// Beside infinity everything finite would be near enough.
bool is_same(double wanted, float got, double limit) {
  if (std::isnan(wanted)) return std::isnan(got);
  return float(wanted) == got || (std::isfinite(wanted) && std::abs(got - wanted) <= limit);
}

}  // namespace

std::string compare(const Call& call, const Form& form, const float* region) {
  const Layout layout = layout_of(call);
  const double allowed = tolerance(call.op);
  int output = 0;
  const auto outputs = expected(call, region, eps_of(call, form));
  for (int i = 0; i < layout.count; ++i) {
    if (!layout.buffers[i].output) continue;
    const std::vector<double>& wanted = outputs[output++];
    const float* got = region + layout.buffers[i].begin;
    // What cancels may be off by a bit of what it was made of; functions of one number aren't made of
    // others.
    const bool of_rows = call.op == Op::layernorm_fw || call.op == Op::layernorm_bw;
    double usual = of_rows ? 1e-2 : 0;
    if (call.op != Op::map && call.op != Op::zip)
      for (const double w : wanted)
        if (std::isfinite(w)) usual += std::abs(w) / double(wanted.size());
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const double w = wanted[e], g = got[e], limit = allowed * (std::abs(w) + usual) + smallest;
      if (is_same(w, got[e], limit)) continue;
      std::ostringstream out;
      out.precision(9);
      out << describe(call) << ": element " << e;
      if (outputs.size() > 1) out << " of output " << output;
      out << " is " << (std::isnan(g) ? NAN : g) << ", should be "
          << (std::isnan(w) ? NAN : w);  // without a sign
      return out.str();
    }
  }
  return {};
}

void try_call(const Launchers& launchers, const Form& form, const Call& call, Verdict& verdict) {
  std::vector<float> region(layout_of(call).floats);
  fill_inputs(call, form, region.data());
  perform(launchers, form, call, region.data());
  verdict.touched_rows_behind = wrote_rows_behind(region.data(), layout_of(call));
  const std::string wrong = compare(call, form, region.data());
  put_text(verdict.text, wrong);
  verdict.kind = wrong.empty() ? Verdict::right : Verdict::wrong;
}

}  // namespace torchlight::drop_ins
