// Vector accesses at addresses that aren't multiples of their size. Two stores that clang makes one of have the place of
// the statement behind them: clang says so, and the twin knows no better.
#include "fault.cuh"

// case float4_read: block (0,0,0) thread (0,0,0): reads 16 bytes at an address that isn't a multiple of 16: offset 4 of allocation 1 of 528 bytes
__global__ void float4_read(const float* x, float* y) {
  const float4 v = ((const float4*)(x + EITHER(1, 4)))[threadIdx.x];  // @float4_read
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
CASE(float4_read) {
  float* x = zeros<float>(132);
  float4_read<<<1, 32>>>(x, zeros<float>(32));
}

// case float2_write: writes 8 bytes at an address that isn't a multiple of 8: offset 4 of allocation 1 of 264 bytes
__global__ void float2_write(float* y) {
  ((float2*)(y + EITHER(1, 2)))[threadIdx.x] = make_float2(1, 2);  // @float2_write
}  // @float2_write
CASE(float2_write) { float2_write<<<1, 32>>>(zeros<float>(66)); }

// case odd_rows: block (1,0,0) thread (0,0,0): reads 16 bytes at an address that isn't a multiple of 16: offset 12 of allocation 1
__global__ void odd_rows(const float* x, float* y, int width) {
  const float4* row = (const float4*)(x + blockIdx.x * width);
  const float4 v = row[threadIdx.x];  // @odd_rows
  y[blockIdx.x * 8 + threadIdx.x] = v.x + v.y + v.z + v.w;
}
CASE(odd_rows) {
  float* x = zeros<float>(64);
  odd_rows<<<2, 4>>>(x, zeros<float>(16), EITHER(3, 4));
}

// case double_at_a_float: reads 8 bytes at an address that isn't a multiple of 8: offset 4 of allocation 1
__global__ void double_at_a_float(const char* x, double* y) {
  y[threadIdx.x] = *(const double*)(x + EITHER(4, 8) + 8 * threadIdx.x);  // @double_at_a_float
}
CASE(double_at_a_float) {
  char* x = zeros<char>(512);
  double_at_a_float<<<1, 32>>>(x, zeros<double>(32));
}

// case int_at_a_byte: block (0,0,0) thread (1,0,0): reads 4 bytes at an address that isn't a multiple of 4: offset 1 of allocation 1
__global__ void int_at_a_byte(const unsigned char* x, int* y) {
  y[threadIdx.x] = *(const int*)(x + threadIdx.x * EITHER(1, 4));  // @int_at_a_byte
}
CASE(int_at_a_byte) {
  unsigned char* x = zeros<unsigned char>(128);
  int_at_a_byte<<<1, 32>>>(x, zeros<int>(32));
}

// case in_shared_memory: writes 16 bytes at an address that isn't a multiple of 16: shared memory, tile
__global__ void in_shared_memory(float* y) {
  __shared__ __align__(16) float tile[33 * 4];
  *(float4*)(tile + threadIdx.x * 4 + EITHER(2, 4)) = make_float4(1, 2, 3, 4);  // @in_shared_memory
  __syncthreads();  // @in_shared_memory
  y[threadIdx.x] = tile[threadIdx.x * 4 + 7];
}
CASE(in_shared_memory) { in_shared_memory<<<1, 32>>>(zeros<float>(32)); }

// case atomic: changes 4 bytes at an address that isn't a multiple of 4: offset 2 of allocation 1
__global__ void atomic(char* y) {
  atomicAdd((int*)(y + EITHER(2, 4)), 1);  // @atomic
}
CASE(atomic) { atomic<<<1, 1>>>(zeros<char>(16)); }
