#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The same work done by several libraries in one process, in turns: a result is a ratio within a run.
namespace peers {

/// What is measured. All operands are contiguous row-major float32 unless the operation says otherwise.
///
///   exp sigmoid tanh gelu            {n}        f(x), gelu with tanh
///   add mul                          {n}        of two tensors
///   addrow addcol                    {r, c}     a + b[c], a + b[r, 1]
///   addT                             {n, n}     a + b transposed
///   addstr                           {r, c}     a[:, ::2] + b, a being (r, 2c)
///   copyT                            {r, c}     a transposed, made contiguous
///   chain                            {n}        tanh(a * b + c) * a
///   sum max                          shape      over the axis `detail`, -1: over all
///   mm                               {batch, m, n, k}; bit 0 of `detail`: a is stored transposed, bit 1: b
///   softmax_fw softmax_bw            {r, c}     softmax(x + mask[c]); the gradient from (grad, y)
///   ln_fw ln_bw                      {r, c}     layernorm with gamma and beta; all three gradients
///   ovh_add ovh_add_grad ovh_add_bw  {n}        without gradients, recording, recording and backward
///   mlp_step                         {batch}    784-512-512-10, ReLU, cross-entropy, one SGD step
///   gpt_step                         {layers, model dim, heads, length, batch, vocabulary}: an AdamW step
struct Case {
  std::string id, op;
  std::vector<std::int64_t> shape;
  int detail = 0;
  bool preallocated = false;  ///< the result goes into a tensor that is there; else a fresh one is made
  double operations = 0, bytes = 0;
};

/// One contestant's way of doing a case. Empty where it has none: it is then left out of the row.
struct Work {
  std::function<void()> run;
  std::function<double()> probe = {};  ///< of the result: must agree among contestants
  explicit operator bool() const { return static_cast<bool>(run); }
};

struct Contestant {
  std::string name;
  std::function<void(int)> set_threads;
  std::function<Work(const Case&)> make;
};

/// The cases of a group: overhead, elem, reduce, mm, rows or train. Those of 1e8 elements are large.
std::vector<Case> cases_of(const std::string& group, bool with_large);

/// The same numbers in [-1.5, 1.5) for everyone, by stream.
inline void fill(float* values, std::int64_t n, int stream) {
  std::uint32_t x = 2463534242u + 7919u * static_cast<std::uint32_t>(stream);
  for (std::int64_t i = 0; i < n; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    values[i] = static_cast<float>(static_cast<std::int32_t>(x)) * (1.5f / 2147483648.0f);
  }
}

/// The sum of 64 samples spread over the values.
inline double probe(const float* values, std::int64_t n) {
  double sum = 0;
  const std::int64_t stride = n < 64 ? 1 : n / 64;
  for (std::int64_t k = 0; k < 64 && k * stride < n; ++k)
    sum += static_cast<double>(values[k * stride]);
  return sum;
}

inline std::int64_t numel(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

}  // namespace peers
