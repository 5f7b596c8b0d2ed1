#include "matmul_plan.h"

#include <algorithm>

#include "common/check_common.h"

namespace cuda_backend {
namespace {

constexpr int64_t enough_tiles = 256, least_slice = 512, most_slices = 32;

int64_t ceil_div(int64_t a, int64_t b) noexcept { return a / b + (a % b != 0); }

int64_t tiles_of(const plugins::MatmulProblem& p, int64_t size) noexcept {
  return ceil_div(p.m, size) * ceil_div(p.n, size) * p.batches;
}

}  // namespace

MatmulPlan plan_matmul(const tl_matmul_args& args) noexcept {
  MatmulPlan plan{plugins::normalise_matmul(args)};
  const plugins::MatmulProblem& p = plan.problem;
  if (p.is_empty) return plan;
  const bool is_long = p.in_type == plugins::key_float64 || p.in_type == plugins::key_int64;
  // A large tile reads its operands half as often, but only where there is one for everybody.
  plan.large = !is_long && tiles_of(p, 128) >= enough_tiles / 2 && p.m > 64 && p.n > 64;
  plan.tiles = tiles_of(p, plan.large ? 128 : 64);
  plan.slice = p.k;
  const int64_t slices = std::min({ceil_div(enough_tiles, plan.tiles), p.k / least_slice, most_slices});
  if (slices < 2) return plan;
  plan.slice = ceil_div(ceil_div(p.k, slices), 16) * 16;
  plan.slices = ceil_div(p.k, plan.slice);
  if (plan.slices > 1)
    plan.workspace_bytes =
        static_cast<uint64_t>(plan.slices * p.batches * p.m * p.n * (is_long ? 8 : 4));
  return plan;
}

}  // namespace cuda_backend
