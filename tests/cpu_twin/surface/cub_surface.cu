// More of cub than the programs use: what compiles here names the instructions that its primitives need.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/util_ptx.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

__global__ void sort_block(unsigned int* keys, int* values) {
  typedef cub::BlockRadixSort<unsigned int, 128, 4, int> Sort;
  __shared__ Sort::TempStorage shared;
  unsigned int k[4];
  int v[4];
  for (int i = 0; i < 4; ++i) k[i] = keys[threadIdx.x * 4 + i], v[i] = values[threadIdx.x * 4 + i];
  Sort(shared).Sort(k, v);
  for (int i = 0; i < 4; ++i) keys[threadIdx.x * 4 + i] = k[i], values[threadIdx.x * 4 + i] = v[i];
}

template <cub::BlockReduceAlgorithm algorithm, class T> __device__ T reduced(T value) {
  typedef cub::BlockReduce<T, 128, algorithm> Reduce;
  __shared__ typename Reduce::TempStorage shared;
  return Reduce(shared).Sum(value);
}
template <cub::BlockScanAlgorithm algorithm, class T> __device__ T scanned(T value) {
  typedef cub::BlockScan<T, 128, algorithm> Scan;
  __shared__ typename Scan::TempStorage shared;
  T out;
  Scan(shared).ExclusiveSum(value, out);
  return out;
}
__global__ void reduce_and_scan(float* f, int* i, double* d) {
  f[threadIdx.x] = reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(f[threadIdx.x]);
  f[threadIdx.x] += reduced<cub::BLOCK_REDUCE_RAKING>(f[threadIdx.x]);
  i[threadIdx.x] = reduced<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(i[threadIdx.x]);
  d[threadIdx.x] = reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(d[threadIdx.x]);
  i[threadIdx.x] += scanned<cub::BLOCK_SCAN_WARP_SCANS>(i[threadIdx.x]);
  f[threadIdx.x] += scanned<cub::BLOCK_SCAN_RAKING>(f[threadIdx.x]);
}

__global__ void warps(int* i, float* f, double* d) {
  typedef cub::WarpScan<int> Scan;
  typedef cub::WarpReduce<float, 16> Reduce;
  typedef cub::WarpReduce<double> Wide;
  __shared__ Scan::TempStorage scan[4];
  __shared__ Reduce::TempStorage reduce[8];
  __shared__ Wide::TempStorage wide[4];
  int inclusive, exclusive;
  Scan(scan[threadIdx.x / 32]).Scan(i[threadIdx.x], inclusive, exclusive, cub::Sum());
  i[threadIdx.x] = inclusive + exclusive;
  f[threadIdx.x] =
      Reduce(reduce[threadIdx.x / 16]).HeadSegmentedSum(f[threadIdx.x], i[threadIdx.x] > 3);
  d[threadIdx.x] = Wide(wide[threadIdx.x / 32]).Sum(d[threadIdx.x], 20);
}

__global__ void exchanges(int* data, unsigned int* bins) {
  typedef cub::BlockExchange<int, 128, 4> Exchange;
  typedef cub::BlockHistogram<unsigned char, 128, 4, 256> Histogram;
  typedef cub::BlockDiscontinuity<int, 128> Discontinuity;
  __shared__ Exchange::TempStorage exchange;
  __shared__ Histogram::TempStorage histogram;
  __shared__ Discontinuity::TempStorage discontinuity;
  __shared__ unsigned int local[256];
  int items[4], flags[4];
  unsigned char bytes[4];
  for (int i = 0; i < 4; ++i) items[i] = data[threadIdx.x * 4 + i];
  Exchange(exchange).BlockedToStriped(items);
  Discontinuity(discontinuity).FlagHeads(flags, items, cub::Inequality());
  for (int i = 0; i < 4; ++i) bytes[i] = (unsigned char)items[i];
  Histogram(histogram).Histogram(bytes, local);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) bins[i] = local[i];
  for (int i = 0; i < 4; ++i) data[threadIdx.x * 4 + i] = items[i] + flags[i];
}

__global__ void registers(unsigned int* u) {
  u[0] = cub::LaneId() + cub::WarpId() + cub::LaneMaskLt() + cub::LaneMaskLe() + cub::LaneMaskGt() +
         cub::LaneMaskGe();
  u[1] = cub::BFE(u[0], 3, 5) + cub::IADD3(u[0], u[1], u[2]) + cub::SHL_ADD(u[0], 2, u[1]) +
         cub::PRMT(u[0], u[1], 0x3210);
  unsigned int inserted;
  cub::BFI(inserted, u[0], u[1], 4, 8);
  u[2] = inserted + cub::MatchAny<5>(u[0]) + cub::ShuffleIndex<32>(u[1], 3, 0xffffffffu);
  u[3] = cub::RowMajorTid(blockDim.x, blockDim.y, blockDim.z);
}
