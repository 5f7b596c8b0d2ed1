#include "matmul_plan.h"

#include <algorithm>

#include "common/check_common.h"

namespace cuda_backend {
namespace {

constexpr int64_t most_slices = 32;

int64_t ceil_div(int64_t a, int64_t b) noexcept { return a / b + (a % b != 0); }

int64_t tiles_of(const plugins::MatmulProblem& p, int64_t m, int64_t n) noexcept {
  return ceil_div(p.m, m) * ceil_div(p.n, n) * p.batches;
}

bool is_long(const plugins::MatmulProblem& p) noexcept {
  return p.in_type == plugins::key_float64 || p.in_type == plugins::key_int64;
}

MatmulPlan::Form choose_form(const plugins::MatmulProblem& p) noexcept {
  if (p.m == 1) return p.b.row == 1 && p.b.column != 1 ? MatmulPlan::rows : MatmulPlan::columns;
  // A large tile reads its operands half as often, but only where there is one for everybody.
  const bool fills_device = tiles_of(p, 128, 128) >= 128 && p.m > 64 && p.n > 64;
  return fills_device && !is_long(p) ? MatmulPlan::large : MatmulPlan::small;
}

int64_t count_tiles(const plugins::MatmulProblem& p, MatmulPlan::Form form) noexcept {
  switch (form) {
    case MatmulPlan::large: return tiles_of(p, 128, 128);
    case MatmulPlan::small: return tiles_of(p, 64, 64);
    case MatmulPlan::columns: return tiles_of(p, 1, 128);
    default: return tiles_of(p, 1, 8);
  }
}

}  // namespace

MatmulPlan plan_matmul(const tl_matmul_args& args) noexcept {
  MatmulPlan plan{plugins::normalise_matmul(args)};
  const plugins::MatmulProblem& p = plan.problem;
  if (p.is_empty) return plan;
  plan.form = choose_form(p);
  plan.tiles = count_tiles(p, plan.form);
  plan.slice = p.k;
  const bool is_row = p.m == 1;
  const int64_t enough = is_row ? 1024 : 256, least_slice = is_row ? 256 : 512;
  const int64_t slices = std::min({ceil_div(enough, plan.tiles), p.k / least_slice, most_slices});
  if (slices < 2) return plan;
  plan.slice = ceil_div(ceil_div(p.k, slices), 16) * 16;
  plan.slices = ceil_div(p.k, plan.slice);
  if (plan.slices > 1)
    plan.workspace_bytes =
        static_cast<uint64_t>(plan.slices * p.batches * p.m * p.n * (is_long(p) ? 8 : 4));
  return plan;
}

}  // namespace cuda_backend
