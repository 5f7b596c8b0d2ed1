#include "perform.h"

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <typeinfo>
#include <vector>

#include "../functions.h"

namespace torchlight::drop_ins {
namespace {

using Stream = void*;
using LaunchSoftmax = void(float*, const float*, int, int, int, int, bool, Stream);
using LaunchSoftmaxBw = void(float*, const float*, int, int, Stream);
using TutorialSoftmax = void(float*, const float*, const float*, int, int);  // forward and backward
using LaunchLayernorm = void(float*, float*, float*, const float*, const float*, const float*, int, int,
                             Stream);
using LaunchLayernormBw = void(float*, float*, float*, const float*, const float*, const float*,
                               const float*, const float*, const float*, int, int, Stream, Stream);
using TutorialLayernorm = void(float*, const float*, const float*, const float*, int, int);
using TutorialLayernormBw = void(float*, float*, float*, const float*, const float*, const float*, int,
                                 int);
using TensorMap = void(float*, int*, int*, int, float*, int*, int*, int, int, int);
using TensorZip = void(float*, int*, int*, int, int, float*, int*, int*, int, int, float*, int*, int*,
                       int, int, int);
using TensorReduce = void(float*, int*, int*, int, float*, int*, int*, int, float, int, int);
using MatrixMultiply = void(float*, int*, int*, float*, int*, int*, float*, int*, int*, int, int, int);

constexpr std::size_t spare = 256;  // floats behind each array that a launcher gets beside the region

/// Zeros that no memory stands behind until somebody writes to them.
const float* zeros(std::size_t count) {
  static float* memory = nullptr;
  static std::size_t have = 0;
  if (count <= have) return memory;
  std::free(memory);
  memory = static_cast<float*>(std::calloc(count + spare, sizeof(float)));
  have = memory ? count : 0;
  if (!memory) throw std::bad_alloc();
  return memory;
}

class Performance {
 public:
  Performance(const Launchers& launchers, const Form& form, const Call& call, float* region,
              const Layout& layout)
      : launchers_(launchers), form_(form), call_(call), region_(region), layout_(layout) {}

  void run(Statistics* statistics) {
    switch (call_.op) {
      case Op::softmax_fw: return softmax_fw();
      case Op::softmax_bw: return softmax_bw();
      case Op::layernorm_fw: return layernorm_fw(statistics);
      case Op::layernorm_bw: return layernorm_bw();
      case Op::map: return map();
      case Op::zip: return zip();
      case Op::reduce: return reduce();
      case Op::matmul: return matmul();
    }
  }

 private:
  float* buffer(int i) const { return region_ + layout_.buffers[i].begin; }
  template <class F> F* launcher() const { return reinterpret_cast<F*>(launchers_.function(call_.op)); }
  bool launches() const { return launchers_.spelling(call_.op) == Spelling::launch; }
  int columns() const { return call_.dims[1]; }
  /// Pieces of rows that a launcher can do at once, each a multiple of 4 but the last: does(first row,
  /// rows).
  template <class F> void in_pieces(F does) const {
    const int fitting = static_cast<int>(most_piece / columns()) / 4 * 4;
    const int step = std::max(4, std::min(fitting, form_.most_rows > 0 ? form_.most_rows : 1024));
    for (int row = 0; row < call_.dims[0]; row += step) does(row, std::min(step, call_.dims[0] - row));
  }
  std::size_t at(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns());
  }
  std::size_t with_spare(int rows) const { return at(rows + 3); }

  /// A launcher that works in place gets a copy, and mustn't give it back as it was.
  template <class F> void in_place(const float* from, float* to, int rows, F launch) const {
    std::memcpy(to, from, at(rows) * sizeof(float));
    launch();
    for (const int row : {0, rows - 1}) {
      const float* before = from + at(row);
      const auto counts = [](float x) { return x != 0 && std::isfinite(x); };
      if (columns() > 1 && std::any_of(before, before + columns(), counts) &&
          std::memcmp(before, to + at(row), at(1) * sizeof(float)) == 0)
        throw Fault("it returned and left its data unchanged");
    }
  }

  void softmax_fw() const {
    in_pieces([&](int row, int rows) {
      const float* x = buffer(0) + at(row);
      float* y = buffer(1) + at(row);
      const float* mask = zeros(with_spare(rows));
      if (!launches()) return launcher<TutorialSoftmax>()(y, x, mask, rows, columns());
      in_place(x, y, rows,
               [&] { launcher<LaunchSoftmax>()(y, mask, rows, 1, 1, columns(), false, nullptr); });
    });
  }

  void softmax_bw() const {
    in_pieces([&](int row, int rows) {
      const float *grad = buffer(0) + at(row), *soft = buffer(1) + at(row);
      float* out = buffer(2) + at(row);
      if (!launches()) return launcher<TutorialSoftmax>()(out, grad, soft, rows, columns());
      in_place(grad, out, rows,
               [&] { launcher<LaunchSoftmaxBw>()(out, soft, rows, columns(), nullptr); });
    });
  }

  void layernorm_fw(Statistics* statistics) const {
    in_pieces([&](int row, int rows) {
      const float* x = buffer(0) + at(row);
      float* y = buffer(3) + at(row);
      if (!launches())
        return launcher<TutorialLayernorm>()(y, x, buffer(1), buffer(2), rows, columns());
      std::vector<float> variances(rows + spare, NAN), means(rows + spare, NAN);
      launcher<LaunchLayernorm>()(y, variances.data(), means.data(), x, buffer(1), buffer(2), rows,
                                  columns(), nullptr);
      if (statistics && row == 0) *statistics = {variances[0], means[0]};
    });
  }

  void layernorm_bw() const {
    const auto width = static_cast<std::size_t>(columns());
    std::vector<double> dgamma(width), dbeta(width);
    in_pieces([&](int row, int rows) {
      std::vector<float> part_gamma(width + spare, NAN), part_beta(width + spare, NAN);
      const float *grad = buffer(0) + at(row), *x = buffer(1) + at(row);
      float* dinput = buffer(3) + at(row);
      if (launches())
        launch_layernorm_bw(part_gamma.data(), part_beta.data(), dinput, grad, x, rows);
      else
        launcher<TutorialLayernormBw>()(dinput, part_gamma.data(), part_beta.data(), grad, x, buffer(2),
                                        rows, columns());
      for (std::size_t j = 0; j < width; ++j) {
        dgamma[j] += part_gamma[j];
        dbeta[j] += part_beta[j];
      }
    });
    std::copy(dgamma.begin(), dgamma.end(), buffer(4));
    std::copy(dbeta.begin(), dbeta.end(), buffer(5));
  }

  /// The rows are normalised already, so with mean 0 and variance 1 it doesn't matter what a library
  /// adds to it.
  void launch_layernorm_bw(float* dgamma, float* dbeta, float* dinput, const float* grad,
                           const float* x, int rows) const {
    const std::vector<float> ones(rows + spare, 1.0f);
    const float* nothing = zeros(std::max<std::size_t>(rows, columns()));
    std::vector<float> gamma(buffer(2), buffer(2) + columns());
    gamma.resize(gamma.size() + spare);
    std::vector<float> output;
    if (form_.inp_is_output) {
      // It gets the normalised value back by a division, which a tiny gamma stands as well as 0 can't.
      constexpr float tiny = 1e-30f;
      for (float& g : gamma)
        if (std::abs(g) < tiny) g = std::copysign(tiny, g);
      output.resize(with_spare(rows));
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns(); ++j) output[at(i) + j] = x[at(i) + j] * gamma[j];
      x = output.data();
    }
    launcher<LaunchLayernormBw>()(dgamma, dbeta, dinput, grad, x, gamma.data(), nothing, ones.data(),
                                  nothing, rows, columns(), nullptr, nullptr);
  }

  /// The same for elements: does(first, how many).
  template <class F> void in_stretches(F does) const {
    const int step = form_.most_rows > 0 ? form_.most_rows : 1000;
    for (int first = 0; first < call_.dims[0]; first += step)
      does(first, std::min(step, call_.dims[0] - first));
  }

  void map() const {
    in_stretches([&](int first, int n) {
      int shapes[2][1] = {{n}, {n}}, strides[2][1] = {{1}, {1}};
      launcher<TensorMap>()(buffer(1) + first, shapes[0], strides[0], n, buffer(0) + first, shapes[1],
                            strides[1], n, 1, map_functions[call_.fn].id);
    });
  }

  void zip() const {
    in_stretches([&](int first, int n) {
      int shapes[3][1] = {{n}, {n}, {n}}, strides[3][1] = {{1}, {1}, {1}};
      launcher<TensorZip>()(buffer(2) + first, shapes[0], strides[0], n, 1, buffer(0) + first,
                            shapes[1], strides[1], n, 1, buffer(1) + first, shapes[2], strides[2], n, 1,
                            zip_functions[call_.fn].id);
    });
  }

  void reduce() const {
    const Function& fn = reduce_functions[call_.fn];
    in_pieces([&](int row, int rows) {
      int shape[] = {rows, 1}, stride[] = {1, 1}, input_shape[] = {rows, columns()},
          input_stride[] = {columns(), 1};
      launcher<TensorReduce>()(buffer(1) + row, shape, stride, rows, buffer(0) + at(row), input_shape,
                               input_stride, 1, static_cast<float>(fn.start), 2, fn.id);
    });
  }

  void matmul() const {
    constexpr int step = 1024;  // the third dimension of a grid is short
    const int m = call_.dims[1], k = call_.dims[2], n = call_.dims[3];
    for (int first = 0; first < call_.dims[0]; first += step) {
      const int batch = std::min(step, call_.dims[0] - first);
      int shapes[3][3] = {{batch, m, n}, {batch, m, k}, {batch, k, n}};
      int strides[3][3] = {{m * n, n, 1}, {m * k, k, 1}, {k * n, n, 1}};
      const auto skip = [&](const int* stride) { return static_cast<std::size_t>(first) * stride[0]; };
      launcher<MatrixMultiply>()(buffer(2) + skip(strides[0]), shapes[0], strides[0],
                                 buffer(0) + skip(strides[1]), shapes[1], strides[1],
                                 buffer(1) + skip(strides[2]), shapes[2], strides[2], batch, m, n);
    }
  }

  static constexpr std::int64_t most_piece = std::int64_t{1} << 26;  // elements

  const Launchers& launchers_;
  const Form& form_;
  const Call& call_;
  float* region_;
  const Layout& layout_;
};

}  // namespace

void perform(const Launchers& launchers, const Form& form, const Call& call, float* region,
             Statistics* statistics) {
  const Layout layout = layout_of(call);
  arm(region, layout);
  Performance(launchers, form, call, region, layout).run(statistics);
  if (const std::string fault = damage(region, layout); !fault.empty()) throw Fault(fault);
}

std::string thrown_words() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  const std::unique_ptr<char, void (*)(void*)> name(
      type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr) : nullptr, std::free);
  const std::string thrower = std::string("it threw ") + (name ? name.get() : "something");
  try {
    throw;
  } catch (const Fault& fault) {
    return fault.what();
  } catch (const std::exception& error) {
    return thrower + ": " + error.what();
  } catch (...) {
    return thrower;
  }
}

}  // namespace torchlight::drop_ins
