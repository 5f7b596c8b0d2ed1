#include "extension_tables.h"
#include "guarded.h"

using namespace cpu_simd_test;

/// Every kernel on memory with guard pages around it, for sizes around those of registers and tiles.
namespace {

constexpr int64_t sizes[] = {1, 3, 7, 8, 15, 17, 33, 47};

template <class T>
void run_matmul(const Backend& backend, int64_t m, int64_t n, int64_t k, bool at_end) {
  const Guarded<T> a({m, k}, at_end), b({k, n}, at_end), out({m, n}, at_end), bias({1, n}, at_end);
  for (int transposed = 0; transposed < 8; ++transposed) {
    const tl_view a_view = transposed & 1 ? a.by_columns() : a.view(),
                  b_view = transposed & 2 ? b.by_columns() : b.view(),
                  out_view = transposed & 4 ? out.by_columns() : out.view();
    tl_view bias_view = bias.view();
    bias_view.extent[0] = m, bias_view.stride[0] = 0;
    tl_matmul_args args{};
    args.a = &a_view, args.b = &b_view, args.output = &out_view, args.bias = &bias_view;
    args.alpha = 1, args.beta = 0.5, args.activation = TL_MAP_tanh;
    matmul(backend, args);
  }
}

template <class T> void run_rows(const Backend& backend, int64_t rows, int64_t columns, bool at_end) {
  const Guarded<T> x({rows, columns}, at_end), y({rows, columns}, at_end), mask({1, columns}, at_end),
      gamma({columns}, at_end), beta({columns}, at_end), mean({rows}, at_end), rstd({rows}, at_end),
      dgamma({columns}, at_end);
  const tl_view xv = x.view(), yv = y.view(), gv = gamma.view(), bv = beta.view(), mv = mean.view(),
                rv = rstd.view(), dgv = dgamma.view();
  tl_view mask_view = mask.view();
  mask_view.extent[0] = rows, mask_view.stride[0] = 0;
  tl_attn_softmax_fw_args soft{};
  soft.input = &xv, soft.mask = &mask_view, soft.output = &yv, soft.scale = 1;
  attn_softmax_fw(backend, soft);
  tl_attn_softmax_bw_args soft_bw{};
  soft_bw.grad = &xv, soft_bw.soft = &mask_view, soft_bw.output = &yv, soft_bw.scale = 1;
  attn_softmax_bw(backend, soft_bw);
  tl_layernorm_fw_args norm{};
  norm.input = &xv, norm.gamma = &gv, norm.beta = &bv, norm.output = &yv, norm.mean = &mv,
  norm.rstd = &rv;
  norm.eps = 1e-5, norm.normalized = 1;
  layernorm_fw(backend, norm);
  tl_layernorm_bw_args norm_bw{};
  norm_bw.grad = &mask_view, norm_bw.input = &xv, norm_bw.gamma = &gv, norm_bw.dinput = &yv;
  norm_bw.dgamma = &dgv, norm_bw.dbeta = &bv, norm_bw.eps = 1e-5, norm_bw.normalized = 1;
  layernorm_bw(backend, norm_bw);
}

template <class T>
void run_extensions(const Backend& backend, int64_t rows, int64_t columns, bool at_end) {
  const Guarded<T> x({5, columns}, at_end), y({rows, columns}, at_end);
  Guarded<int64_t> index({rows, 1}, at_end);
  const tl_view xv = x.view(), yv = y.view();
  tl_view iv = index.view();
  iv.extent[1] = columns, iv.stride[1] = 0;
  tl_index_args args{};
  args.source = &xv, args.index = &iv, args.output = &yv;
  CHECK(call_extension(backend, index_table(backend).gather, args).status == TL_OK);
  args.source = &yv, args.output = &xv;
  CHECK(call_extension(backend, index_table(backend).scatter_add, args).status == TL_OK);
  for (uint32_t axis : {0u, 1u}) {
    tl_scan_args scan{};
    scan.fn = TL_REDUCE_sum, scan.axis = axis, scan.input = &yv, scan.output = &yv;
    CHECK(call_extension(backend, scan_table(backend).scan, scan).status == TL_OK);
  }
  tl_random_args random{};
  random.distribution = TL_RANDOM_NORMAL, random.output = &yv, random.params[1] = 1;
  CHECK(call_extension(backend, random_table(backend).fill, random).status == TL_OK);
}

}  // namespace

TEST_CASE("kernels touch nothing outside their views") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    for (bool at_end : {false, true})
      for (int64_t rows : sizes)
        for (int64_t columns : sizes) {
          for (int64_t k : {1, 5, 16, 33}) {
            run_matmul<float>(backend, rows, columns, k, at_end);
            run_matmul<double>(backend, rows, columns, k, at_end);
          }
          run_rows<float>(backend, rows, columns, at_end);
          run_rows<double>(backend, rows, columns, at_end);
          run_extensions<float>(backend, rows, columns, at_end);
          run_extensions<double>(backend, rows, columns, at_end);
        }
    // Large enough for packed blocks, and edges that fill no register.
    for (bool at_end : {false, true}) {
      run_matmul<float>(backend, 150, 173, 201, at_end);
      run_matmul<double>(backend, 151, 97, 555, at_end);
      run_rows<float>(backend, 70, 1031, at_end);
    }
  }
}
