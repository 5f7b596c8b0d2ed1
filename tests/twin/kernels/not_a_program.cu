// What clang must complain of, in this file's line.
__global__ void kernel(float* x) {
  x[0] = undeclared;  // @undeclared
}
