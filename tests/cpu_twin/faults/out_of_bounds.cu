// Accesses to global memory outside of what was allocated.
#include "fault.cuh"

// case read_by_one: block (1,0,0) thread (36,0,0): reads 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 400 bytes
__global__ void read_by_one(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i EITHER(<=, <) n) y[i] = x[i];  // @read_by_one
}
CASE(read_by_one) {
  float* x = zeros<float>(100);
  read_by_one<<<2, 64>>>(x, zeros<float>(200), 100);
}

// case write_by_one: block (3,0,0) thread (3,0,0): writes 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 400 bytes
__global__ void write_by_one(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i EITHER(+ 1, )] = i;  // @write_by_one
}
CASE(write_by_one) { write_by_one<<<4, 32>>>(zeros<float>(100), 100); }

// case no_guard: block (3,0,0) thread (4,0,0): reads 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 400 bytes
__global__ void no_guard(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  FIXED_ONLY(if (i < n)) x[i] *= 2;  // @no_guard
}
CASE(no_guard) { no_guard<<<4, 32>>>(zeros<float>(100), 100); }

// case read_far: block (0,0,0) thread (0,0,0): reads 4 bytes out of bounds: .*no device memory
__global__ void read_far(const float* x, float* y, long long far) {
  y[threadIdx.x] = x[threadIdx.x + far];  // @read_far
}
CASE(read_far) { read_far<<<1, 32>>>(zeros<float>(32), zeros<float>(32), EITHER(1ll << 40, 0)); }

// case write_negative: block (0,0,0) thread (0,0,0): writes 4 bytes out of bounds: 4 bytes before allocation 1 of 256 bytes
__global__ void write_negative(int* x) {
  x[(int)threadIdx.x - EITHER(1, 0)] = 3;  // @write_negative
}
CASE(write_negative) { write_negative<<<1, 64>>>(zeros<int>(64)); }

// case atomic: block (0,0,0) thread (32,0,0): changes 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 128 bytes
__global__ void atomic(int* bins) {
  atomicAdd(&bins[threadIdx.x EITHER(, % 32)], 1);  // @atomic
}
CASE(atomic) { atomic<<<1, 64>>>(zeros<int>(32)); }

// case vector_tail: block (0,0,0) thread (24,0,0): reads 16 bytes out of bounds: .* allocation 1 of 396 bytes
__global__ void vector_tail(const float4* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n / 4 EITHER(+ 1, )) {
    const float4 v = x[i];  // @vector_tail
    y[i] = v.x + v.y + v.z + v.w;
  }
}
CASE(vector_tail) {
  float* x = zeros<float>(99);
  vector_tail<<<1, 32>>>((const float4*)x, zeros<float>(32), 99);
}

// case vector_write: block (0,0,0) thread (16,0,0): writes 8 bytes out of bounds: 0 bytes behind the end of allocation 1 of 128 bytes
__global__ void vector_write(float2* y) {
  if (threadIdx.x < EITHER(17, 16)) y[threadIdx.x] = make_float2(1, 2);  // @vector_write
}
CASE(vector_write) { vector_write<<<1, 32>>>((float2*)zeros<float>(32)); }

// case row_too_long: block (4,0,0) thread (0,0,0): writes 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 160 bytes
__global__ void row_too_long(int* y, int width, int height) {
  const int row = blockIdx.x;
  if (row EITHER(<=, <) height) y[row * width + threadIdx.x % width] = row;  // @row_too_long
}
CASE(row_too_long) { row_too_long<<<6, 10>>>(zeros<int>(40), 10, 4); }

// case null_pointer: block (0,0,0) thread (0,0,0): writes 4 bytes out of bounds: a null pointer
__global__ void null_pointer(int* y) {
  y[threadIdx.x] = 1;  // @null_pointer
}
CASE(null_pointer) { null_pointer<<<1, 32>>>(EITHER(nullptr, zeros<int>(32))); }

__constant__ float weights[5];
// case of_a_variable: block (0,0,0) thread (5,0,0): reads 4 bytes out of bounds: .*the variable weights
__global__ void of_a_variable(float* y) {
  y[threadIdx.x] = weights[threadIdx.x EITHER(, % 5)];  // @of_a_variable
}
CASE(of_a_variable) { of_a_variable<<<1, 8>>>(zeros<float>(8)); }

__device__ __noinline__ float second(const float* x, int i) {
  return x[i + 1];  // @in_a_function
}
// case in_a_function: block (0,0,0) thread (31,0,0): reads 4 bytes out of bounds: 0 bytes behind the end of allocation 1 of 128 bytes
__global__ void in_a_function(const float* x, float* y) {
  if (threadIdx.x < EITHER(32, 31)) y[threadIdx.x] = second(x, threadIdx.x);
}
CASE(in_a_function) {
  float* x = zeros<float>(32);
  in_a_function<<<1, 32>>>(x, zeros<float>(32));
}
