#include "kernels/matmul_blocked.h"
#include "kernels/matmul_direct.h"
#include "kernels/matmul_integer.h"
#include "kernels/matmul_vector.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

template <class T, class S, class O>
int32_t blocked(const MatmulProblem& p, const tl_args& head, tl_error* error) noexcept {
  const uint64_t needed = static_cast<uint64_t>(matmul_blocks(p).workspace_bytes());
  char* const workspace = workspace_of(head, needed, error);
  if (!workspace) return TL_E_ARGUMENT;
  Blocked<T, S, O>(p, workspace).run();
  return TL_OK;
}

template <class T>
int32_t real(const MatmulProblem& p, MatmulPath path, const tl_args& head, tl_error* error) noexcept {
  if (path == MatmulPath::blocked) return blocked<T, T, T>(p, head, error);
  if (path == MatmulPath::vector)
    run_vector<T>(p);
  else
    run_direct<T>(p);
  return TL_OK;
}

template <class S> int32_t half(const MatmulProblem& p, const tl_args& head, tl_error* error) noexcept {
  return p.narrows() ? blocked<float, S, S>(p, head, error) : blocked<float, S, float>(p, head, error);
}

int32_t matmul(const tl_matmul_args& args, tl_error* error) noexcept {
  const MatmulProblem p = normalise_matmul(args);
  const MatmulPath path = choose_path(p);
  if (path == MatmulPath::empty) return TL_OK;
  switch (p.in_type) {
    case key_float32: return real<float>(p, path, args.head, error);
    case key_float64: return real<double>(p, path, args.head, error);
    case key_float16: return half<Half>(p, args.head, error);
    case key_bfloat16: return half<BHalf>(p, args.head, error);
    default: run_integer(p); return TL_OK;
  }
}

}  // namespace

void add_matmul(KernelSet& set) noexcept { set.matmul = matmul; }

}  // namespace cpu_simd::TL_ISA
