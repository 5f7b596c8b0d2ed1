#include "exercises.h"

namespace twin_command {
namespace {

// Odd sizes, tails of a warp and of a block, one, and large ones.
constexpr const char* lengths = "1 2 31 33 255 257 1000 1024 4097 100003";
constexpr const char* rows_columns = "1,1 1,31 2,33 3,257 7,1000 1,4097 64,64 301,129";
constexpr const char* short_rows = "1,1 1,31 2,33 3,257 7,1000 64,64 301,128 5,1024";
constexpr const char* rows_of_four = "1,4 1,32 2,36 3,256 7,1000 64,64 301,128 5,1024";
constexpr const char* products = "1,1,1 1,33,1 2,3,5 17,31,33 64,64,64 65,127,33 100,1,100 128,300,70";
constexpr const char* plain = "zeros equal";

}  // namespace

const std::vector<Exercise>& exercises() {
  static const std::vector<Exercise> all = {
      {"vector_add", "void solve(const float* A, const float* B, float* C, int N)", "A:N B:N C:N",
       "C=add(A, B)", lengths, plain},
      {"vector_mul", "void solve(const float* A, const float* B, float* C, int N)", "A:N B:N C:N",
       "C=mul(A, B)", lengths, plain},
      {"copy", "void solve(const float* A, float* B, int N)", "A:N B:N", "B=copy(A)", lengths, plain},
      {"relu", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=relu(input)", lengths},
      {"leaky_relu", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=leaky_relu(input, 0.01)", lengths},
      {"sigmoid", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=sigmoid(input)", lengths},
      {"tanh", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=tanh(input)", lengths},
      {"silu", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=silu(input)", lengths, plain},
      {"gelu", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=gelu(input)", lengths, plain},
      {"gelu_tanh", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=gelu_tanh(input)", lengths, plain},
      {"reverse", "void solve(float* input, int N)", "input:N=rand", "input=reverse(input)", lengths,
       plain},
      {"softmax", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=softmax(input)", lengths},
      {"softmax", "void solve(const float* input, float* output, int rows, int cols)",
       "input:rowsxcols output:rowsxcols", "output=softmax(input)", rows_columns},
      {"reduction", "void solve(const float* input, float* output, int N)", "input:N output:1",
       "output=sum(input)", lengths},
      {"dot", "void solve(const float* A, const float* B, float* result, int N)", "A:N B:N result:1",
       "result=dot(A, B)", lengths, plain},
      {"max", "void solve(const float* input, float* output, int N)", "input:N output:1",
       "output=max(input)", lengths},
      {"row_sum", "void solve(const float* input, float* output, int rows, int cols)",
       "input:rowsxcols output:rows", "output=sum(input, 1)", rows_columns},
      {"prefix_sum", "void solve(const float* input, float* output, int N)", "input:N output:N",
       "output=cumsum(input)", lengths, plain},
      {"matmul", "void solve(const float* A, const float* B, float* C, int M, int N, int K)",
       "A:MxN B:NxK C:MxK", "C=matmul(A, B)", products, plain},
      {"matmul", "void solve(const float* A, const float* B, float* C, int N)", "A:NxN B:NxN C:NxN",
       "C=matmul(A, B)", "1 2 31 33 64 100 129", plain},
      {"matvec", "void solve(const float* A, const float* x, float* y, int M, int N)",
       "A:MxN x:Nx1 y:M", "y=matmul(A, x)", rows_columns, plain},
      {"transpose", "void solve(const float* input, float* output, int rows, int cols)",
       "input:rowsxcols output:colsxrows", "output=transpose(input)", rows_columns, "equal"},
      {"conv1d",
       "void solve(const float* input, const float* kernel, float* output, int input_size, int "
       "kernel_size)",
       "input:input_size kernel:kernel_size output:input_size-kernel_size",
       "output=conv1d(input, kernel)", "1,1 5,3 33,3 1000,31 2048,2048 4099,5", plain},
      {"layernorm", "void solve(const float* input, float* output, int rows, int cols)",
       "input:rowsxcols output:rowsxcols", "output=layernorm(input, 1e-5)",
       "1,2 1,31 2,33 3,257 7,1000 1,4097 64,64 301,129", "large"},
      {"layernorm",
       "void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, "
       "int cols)",
       "input:rowsxcols gamma:cols beta:cols output:rowsxcols",
       "output=layernorm(input, gamma, beta, 1e-5)", "1,2 1,31 2,33 3,257 7,1000 1,4097 64,64 301,129",
       "large"},
      {"layernorm",
       "void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, "
       "int cols, float eps)",
       "input:rowsxcols gamma:cols beta:cols output:rowsxcols",
       "output=layernorm(input, gamma, beta, 1e-5)", "1,2 1,31 2,33 3,257 7,1000 1,4097 64,64 301,129",
       "large", "eps=1e-5"},
      {"rmsnorm",
       "void solve(const float* input, const float* gamma, float* output, int rows, int cols)",
       "input:rowsxcols gamma:cols output:rowsxcols", "output=rmsnorm(input, gamma, 1e-5)",
       "1,2 1,31 2,33 3,257 7,1000 1,4097 64,64 301,129", "large"},
      // Launchers with host pointers, as the drop-in kernels have them.
      {"attn_softmax",
       "void launch_attn_softmax(float* inp, const float* mask, int batch, int nhead, int from_len, "
       "int to_len, bool mask_future, cudaStream_t stream)",
       "inp:batchxto_len=rand mask:batchxto_len", "inp=softmax(add(inp, mask))", short_rows,
       "large zeros equal", "nhead=1 from_len=1 mask_future=0", true},
      {"attn_softmax",
       "void attn_softmax_fw(float* out, const float* inp, const float* mask, int rows, int cols)",
       "out:rowsxcols inp:rowsxcols mask:rowsxcols", "out=softmax(add(inp, mask))", short_rows,
       "large zeros equal", "", true},
      {"attn_softmax_bw",
       "void launch_attn_softmax_bw(float* grad, const float* soft, int rows, int cols, cudaStream_t "
       "stream)",
       "grad:rowsxcols=rand soft:rowsxcols=softmax(rand)", "grad=softmax_backward(grad, soft)",
       short_rows, "zeros", "", true},
      {"attn_softmax_bw",
       "void attn_softmax_bw(float* out, const float* grad, const float* soft, int rows, int cols)",
       "out:rowsxcols grad:rowsxcols soft:rowsxcols=softmax(rand)", "out=softmax_backward(grad, soft)",
       short_rows, "zeros", "", true},
      {"layernorm_fw",
       "void launch_layernorm(float* out, float* vars, float* means, const float* inp, const float* "
       "scale, const float* bias, int rows, int hidden, cudaStream_t stream)",
       "out:rowsxhidden vars:rows means:rows inp:rowsxhidden scale:hidden bias:hidden",
       "out=layernorm(inp, scale, bias, 1e-8);means=mean(inp, 1);vars=variance(inp, 1)", rows_of_four,
       "", "", true},
      {"layernorm_fw",
       "void layernorm_fw(float* out, const float* inp, const float* gamma, const float* beta, int "
       "rows, int cols)",
       "out:rowsxcols inp:rowsxcols gamma:cols beta:cols", "out=layernorm(inp, gamma, beta, 1e-8)",
       rows_of_four, "", "", true},
      {"layernorm_bw",
       "void launch_layernorm_bw(float* dgamma, float* dbeta, float* dinp, const float* dout, const "
       "float* inp, const float* gamma, const float* beta, const float* vars, const float* means, int "
       "rows, int hidden, cudaStream_t stream, cudaStream_t stream_2)",
       "dgamma:hidden dbeta:hidden dinp:rowsxhidden dout:rowsxhidden inp:rowsxhidden gamma:hidden "
       "beta:hidden vars:rows=variance(inp,1) means:rows=mean(inp,1)",
       "dinp=layernorm_backward(dout, inp, gamma, 1e-8);dgamma=layernorm_gamma(dout, inp, "
       "1e-8);dbeta=sum(dout, 0)",
       rows_of_four, "", "", true},
      {"layernorm_bw",
       "void layernorm_bw(float* dinp, float* dgamma, float* dbeta, const float* grad, const float* "
       "inp, const float* gamma, int rows, int cols)",
       "dinp:rowsxcols dgamma:cols dbeta:cols grad:rowsxcols inp:rowsxcols gamma:cols",
       "dinp=layernorm_backward(grad, inp, gamma, 1e-8);dgamma=layernorm_gamma(grad, inp, "
       "1e-8);dbeta=sum(grad, 0)",
       rows_of_four, "", "", true},
      // combine.so: arrays with their shapes and strides, and the function by its number.
      {"tensorMap",
       "void tensorMap(float* out, const int* out_shape, const int* out_strides, int out_size, const "
       "float* in, const int* in_shape, const int* in_strides, int in_size, int rank, int fn_id)",
       "out:rowsxcols out_shape:2={rows,cols} out_strides:2={cols,1} in:rowsxcols "
       "in_shape:2={rows,cols} in_strides:2={cols,1}",
       "out=drop_in_map(in, fn_id)",
       "1,1,3 3,257,3 3,257,4 3,257,7 3,257,8 3,257,12 3,257,18 64,64,4 301,129,8", "",
       "out_size=rows*cols in_size=rows*cols rank=2", true, "rows cols fn_id"},
      {"tensorZip",
       "void tensorZip(float* out, const int* out_shape, const int* out_strides, int out_size, int "
       "out_rank, const float* a, const int* a_shape, const int* a_strides, int a_size, int a_rank, "
       "const float* b, const int* b_shape, const int* b_strides, int b_size, int b_rank, int fn_id)",
       "out:rowsxcols out_shape:2={rows,cols} out_strides:2={cols,1} a:rowsxcols a_shape:2={rows,cols} "
       "a_strides:2={cols,1} b:cols b_shape:2={1,cols} b_strides:2={cols,1}",
       "out=drop_in_zip(a, b, fn_id)", "1,1,1 3,257,1 3,257,2 3,257,5 3,257,16 64,64,1 301,129,2", "",
       "out_size=rows*cols a_size=rows*cols b_size=cols out_rank=2 a_rank=2 b_rank=2", true,
       "rows cols fn_id"},
      {"tensorReduce",
       "void tensorReduce(float* out, const int* out_shape, const int* out_strides, int out_size, "
       "const float* a, const int* a_shape, const int* a_strides, int dim, float start, int rank, int "
       "fn_id)",
       "out:rowsx1 out_shape:2={rows,1} out_strides:2={1,1} a:rowsxcols a_shape:2={rows,cols} "
       "a_strides:2={cols,1}",
       "out=sum(a, 1)", "1,1 1,31 2,33 3,257 7,1000 64,64 301,129", "zeros equal",
       "out_size=rows dim=1 start=0 rank=2 fn_id=1", true, "rows cols"},
      {"MatrixMultiply",
       "void MatrixMultiply(float* out, const int* out_shape, const int* out_strides, const float* a, "
       "const int* a_shape, const int* a_strides, const float* b, const int* b_shape, const int* "
       "b_strides, int batch, int m, int p)",
       "out:batchxmxp out_shape:3={batch,m,p} out_strides:3={m*p,p,1} a:batchxmxn "
       "a_shape:3={batch,m,n} a_strides:3={m*n,n,1} b:batchxnxp b_shape:3={batch,n,p} "
       "b_strides:3={n*p,p,1}",
       "out=matmul(a, b)", "1,1,1,1 1,2,3,5 1,17,31,33 2,64,64,64 3,5,100,7 1,5,33,200 1,200,33,5", "",
       "", true, "batch m n p"},
  };
  return all;
}

}  // namespace twin_command
