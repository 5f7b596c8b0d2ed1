// A kernel drop-in that computes on the CPU, in every form that is known, and misbehaves in every way
// that is tried.
//
// What it exports is chosen when it is compiled: -DSOFTMAX, -DLAYERNORM, -DCOMBINE, with -DTUTORIAL in
// the tutorial's spelling. How it behaves is chosen when it runs, by the words of the environment
// variable STAND_IN:
//
//   columns=N step=N   throws over so many columns, or where they aren't a multiple
//   grid=N             over so many rows prints, and returns with the data as it was
//   rounds             works on rows up to a multiple of 4
//   vars_eps bad_vars  `vars` is the variance + eps, or the deviation
//   eps=X              layernorm's
//   inp_output         layernorm's backward wants the output in `inp`
//   one_pass           the variance is the mean of squares less the square of the mean, in float
//   no_mask            the mask isn't added
//   transposed         matmul's grid is that of the transposed result
//   few_ids            functions that it doesn't know are computed as others
//   guarded            0 for what is divided by 0, and a finite exp of infinity
//   unsigned           infinities are all positive
//   touch=FILE         makes this file where it begins to hang
//   fault=NAME         misbehaves so when called; with at=N only where N is the number of columns, with from=N to=M
//                      where it lies between them, with after=N not in the first N calls of a process
//   load=NAME          misbehaves so when it is loaded
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

// Each way of compiling it leaves some of these out.
#pragma GCC diagnostic ignored "-Wunused-function"

namespace {

/// The value of a word "name=value", "" of a word "name", or NULL.
const char* word(const char* name) {
  static std::string value;
  const char* all = std::getenv("STAND_IN");
  const std::string words = " " + std::string(all ? all : "") + " ", wanted = std::string(" ") + name;
  for (std::size_t at = words.find(wanted); at != words.npos; at = words.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if (words[end] != ' ' && words[end] != '=') continue;
    const std::size_t begin = words[end] == '=' ? end + 1 : end;
    value = words.substr(begin, words.find(' ', begin) - begin);
    return value.c_str();
  }
  return nullptr;
}
bool has(const char* name) { return word(name) != nullptr; }
int number(const char* name, int otherwise) {
  const char* value = word(name);
  return value ? std::atoi(value) : otherwise;
}
bool is(const char* name, const char* value) {
  const char* found = word(name);
  return found && std::strcmp(found, value) == 0;
}
double eps() {
  const char* value = word("eps");
  return value ? std::atof(value) : 1e-8;
}

void misbehave(const std::string& how) {
  volatile bool forever = true;
  if (how == "exit") std::fprintf(stderr, "CUDA error: no device\n"), std::exit(1);
  if (how == "throw") throw std::runtime_error("out of range");
  if (how == "throw_int") throw 7;
  if (how == "hang") {
    if (const char* file = word("touch")) std::fclose(std::fopen(file, "w"));
    while (forever) ::usleep(1000);
  }
  if (how == "crash") ::raise(SIGSEGV);
  if (how == "abort") std::abort();
  if (how == "fork") static_cast<void>(::fork());
  if (how == "close_all")
    for (int fd = 0; fd < 64; ++fd) ::close(fd);
  if (how == "talk")
    for (int fd = 3; fd < 16; ++fd) ::send(fd, "hello", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (how == "shrink")
    for (int fd = 3; fd < 64; ++fd) static_cast<void>(::ftruncate(fd, 0) != 0);
  if (how == "flood")
    for (int line = 0; line < 500'000; ++line) std::puts("it can't be said often enough");
}

int calls = 0;

/// Whether the fault, if there is one, shows in this call.
bool is_faulty(int columns) {
  return has("fault") && number("at", columns) == columns && columns >= number("from", 0) &&
         columns <= number("to", 1 << 30) && calls > number("after", 0);
}

/// Whether to go on. `out` has `count` elements that may be written.
bool enter(int columns, float* out, long count) {
  ++calls;
  if (columns > number("columns", 1 << 30)) throw std::runtime_error("hidden_dim > 1024");
  if (columns % number("step", 1) != 0) throw std::runtime_error("hidden_dim isn't a multiple of 4");
  if (!is_faulty(columns)) return true;
  const std::string how = word("fault");
  if (how == "behind") std::fill_n(out + count, 8, 1.0f);
  if (how == "before") out[-1] = 1;
  if (how == "untouched") return std::puts("CUDA error: invalid configuration"), false;
  misbehave(how);
  return true;
}

void leave(int columns, float* out, long count) {
  static std::vector<float> before;
  const std::vector<float> now(out, out + count);
  if (is_faulty(columns)) {
    if (is("fault", "nan")) out[count / 2] = NAN;
    if (is("fault", "wrong")) out[count / 2] += 0.25f;
    if (is("fault", "zeros")) std::fill_n(out, count, 0.0f);
    // As if it were never written, and the memory last held another call's result.
    if (is("fault", "stale"))
      std::copy_n(before.begin(), std::min<long>(count, long(before.size())), out);
    if (is("fault", "tail") && columns % 32 != 0) out[count - 1] += 0.25f;
  }
  before = now;
}

int rounded(int rows) { return has("rounds") ? (rows + 3) / 4 * 4 : rows; }
bool grid_is_too_large(int rows) {
  if (rows <= number("grid", 65535)) return false;
  std::puts("CUDA error: invalid configuration argument");
  return true;
}

void softmax(float* y, const float* x, const float* mask, int columns) {
  const bool adds = !has("no_mask");
  const auto at = [&](int j) { return x[j] + (adds ? mask[j] : 0); };
  double largest = -1e8, sum = 0;
  for (int j = 0; j < columns; ++j) largest = std::max<double>(largest, at(j));
  std::vector<double> e(static_cast<std::size_t>(columns));
  for (int j = 0; j < columns; ++j) sum += e[static_cast<std::size_t>(j)] = std::exp(at(j) - largest);
  for (int j = 0; j < columns; ++j) y[j] = static_cast<float>(e[static_cast<std::size_t>(j)] / sum);
}

void softmax_bw(float* out, const float* grad, const float* soft, int columns) {
  double sum = 0;
  for (int j = 0; j < columns; ++j) sum += double{grad[j]} * soft[j];
  for (int j = 0; j < columns; ++j) out[j] = static_cast<float>(soft[j] * (grad[j] - sum));
}

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(const float* x, int columns) {
  Moments m;
  if (has("one_pass")) {
    float sum = 0, squares = 0;
    for (int j = 0; j < columns; ++j) sum += x[j], squares += x[j] * x[j];
    const float mean = sum / static_cast<float>(columns);
    return {mean, squares / static_cast<float>(columns) - mean * mean};
  }
  for (int j = 0; j < columns; ++j) m.mean += x[j];
  m.mean /= columns;
  for (int j = 0; j < columns; ++j) m.variance += (x[j] - m.mean) * (x[j] - m.mean);
  m.variance /= columns;
  return m;
}

void layernorm(float* y, const float* x, Moments m, const float* gamma, const float* beta,
               int columns) {
  const double rstd = 1 / std::sqrt(m.variance + eps());
  for (int j = 0; j < columns; ++j)
    y[j] = static_cast<float>((x[j] - m.mean) * rstd * gamma[j] + beta[j]);
}

void layernorm_bw(float* dx, double* dgamma, double* dbeta, const float* grad,
                  const std::vector<double>& normal, double rstd, const float* gamma, int columns) {
  double sum = 0, product = 0;
  for (int j = 0; j < columns; ++j) {
    const double n = normal[static_cast<std::size_t>(j)];
    sum += double{grad[j]} * gamma[j];
    product += double{grad[j]} * gamma[j] * n;
    dgamma[j] += grad[j] * n;
    dbeta[j] += grad[j];
  }
  for (int j = 0; j < columns; ++j)
    dx[j] =
        static_cast<float>(rstd * (double{grad[j]} * gamma[j] -
                                   (sum + normal[static_cast<std::size_t>(j)] * product) / columns));
}

[[gnu::constructor]] void load() {
  if (has("load")) misbehave(word("load"));
}

}  // namespace

extern "C" {

#if defined(SOFTMAX) && !defined(TUTORIAL)
void launch_attn_softmax(float* x, const float* mask, int batch, int heads, int from, int to, bool,
                         void*) {
  const int rows = batch * heads * from;
  if (!enter(to, x, long{rows} * to) || grid_is_too_large(batch)) return;
  for (int row = 0; row < rounded(rows); ++row) {
    const int b = std::min(row / (heads * from), batch - 1);
    softmax(x + long{row} * to, x + long{row} * to, mask + long{b} * to, to);
  }
  leave(to, x, long{rows} * to);
}
void launch_attn_softmax_bw(float* grad, const float* soft, int rows, int columns, void*) {
  if (!enter(columns, grad, long{rows} * columns) || grid_is_too_large(rows)) return;
  for (int row = 0; row < rounded(rows); ++row)
    softmax_bw(grad + long{row} * columns, grad + long{row} * columns, soft + long{row} * columns,
               columns);
  leave(columns, grad, long{rows} * columns);
}
#elif defined(SOFTMAX)
void attn_softmax_fw(float* out, const float* x, const float* mask, int rows, int columns) {
  if (!enter(columns, out, long{rows} * columns)) return;
  for (long row = 0; row < rows; ++row)
    softmax(out + row * columns, x + row * columns, mask + row * columns, columns);
  leave(columns, out, long{rows} * columns);
}
void attn_softmax_bw(float* out, const float* grad, const float* soft, int rows, int columns) {
  if (!enter(columns, out, long{rows} * columns)) return;
  for (long row = 0; row < rows; ++row)
    softmax_bw(out + row * columns, grad + row * columns, soft + row * columns, columns);
  leave(columns, out, long{rows} * columns);
}
#endif

#if defined(LAYERNORM) && !defined(TUTORIAL)
void launch_layernorm(float* y, float* vars, float* means, const float* x, const float* gamma,
                      const float* beta, int rows, int columns, void*) {
  if (!enter(columns, y, long{rows} * columns) || grid_is_too_large(rows)) return;
  for (long row = 0; row < rows; ++row) {
    const Moments m = moments_of(x + row * columns, columns);
    layernorm(y + row * columns, x + row * columns, m, gamma, beta, columns);
    means[row] = static_cast<float>(m.mean);
    vars[row] = static_cast<float>(has("vars_eps")   ? m.variance + eps()
                                   : has("bad_vars") ? std::sqrt(m.variance)
                                                     : m.variance);
  }
  leave(columns, y, long{rows} * columns);
}
void launch_layernorm_bw(float* dgamma, float* dbeta, float* dx, const float* grad, const float* inp,
                         const float* gamma, const float* beta, const float* vars, const float* means,
                         int rows, int columns, void*, void*) {
  if (!enter(columns, dx, long{rows} * columns) || grid_is_too_large(rows)) return;
  const auto width = static_cast<std::size_t>(columns);
  std::vector<double> sums(width), more(width), normal(width);
  for (long row = 0; row < rows; ++row) {
    const double rstd = 1 / std::sqrt(vars[row] + (has("vars_eps") ? 0 : eps()));
    for (std::size_t j = 0; j < width; ++j) {
      const float value = inp[row * columns + static_cast<long>(j)];
      normal[j] = has("inp_output") ? (value - beta[j]) / gamma[j] : (value - means[row]) * rstd;
    }
    layernorm_bw(dx + row * columns, sums.data(), more.data(), grad + row * columns, normal, rstd,
                 gamma, columns);
  }
  std::copy(sums.begin(), sums.end(), dgamma);
  std::copy(more.begin(), more.end(), dbeta);
  leave(columns, dx, long{rows} * columns);
}
#elif defined(LAYERNORM)
void layernorm_fw(float* y, const float* x, const float* gamma, const float* beta, int rows,
                  int columns) {
  if (!enter(columns, y, long{rows} * columns)) return;
  for (long row = 0; row < rows; ++row)
    layernorm(y + row * columns, x + row * columns, moments_of(x + row * columns, columns), gamma, beta,
              columns);
  leave(columns, y, long{rows} * columns);
}
void layernorm_bw(float* dx, float* dgamma, float* dbeta, const float* grad, const float* x,
                  const float* gamma, int rows, int columns) {
  if (!enter(columns, dx, long{rows} * columns)) return;
  const auto width = static_cast<std::size_t>(columns);
  std::vector<double> sums(width), more(width), normal(width);
  for (long row = 0; row < rows; ++row) {
    const Moments m = moments_of(x + row * columns, columns);
    const double rstd = 1 / std::sqrt(m.variance + eps());
    for (std::size_t j = 0; j < width; ++j)
      normal[j] = (x[row * columns + static_cast<long>(j)] - m.mean) * rstd;
    layernorm_bw(dx + row * columns, sums.data(), more.data(), grad + row * columns, normal, rstd,
                 gamma, columns);
  }
  std::copy(sums.begin(), sums.end(), dgamma);
  std::copy(more.begin(), more.end(), dbeta);
  leave(columns, dx, long{rows} * columns);
}
#endif

#ifdef COMBINE
static float quotient(float x, float y) {
  if (x != 0 && y == 0 && has("guarded")) return 0;
  return std::isinf(x / y) && has("unsigned") ? INFINITY : x / y;
}
static float one(int id, float x) {
  switch (id) {
    case 3: return x;
    case 4: return -x;
    case 7: return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    case 8: return x > 0 ? x : 0;
    case 10: return std::log(x + 1e-6f);
    case 12: return x == INFINITY && has("guarded") ? FLT_MAX : std::exp(x);
    case 13: return quotient(1, x);
    case 18: return std::tanh(x);
    case 19: return has("few_ids") ? x : std::sqrt(x);
    case 20: return has("few_ids") ? x : std::abs(x);
    default: return x;
  }
}
static float two(int id, float x, float y) {
  if (has("few_ids") && id > 18) return x + y;
  switch (id) {
    case 2: return x * y;
    case 5: return x < y;
    case 6: return x == y;
    case 9: return x > 0 ? y : 0;
    case 16: return x > y ? x : y;
    case 17: return std::pow(x, y);
    case 21: return x - y;
    case 22: return x > y;
    case 23: return x * y * (1 - y);
    case 24: return x < y ? x : y;
    case 25: return quotient(x, y);
    default: return x + y;
  }
}
void tensorMap(float* out, int*, int*, int n, float* in, int*, int*, int, int, int id) {
  if (!enter(n, out, n)) return;
  for (int i = 0; i < n; ++i) out[i] = one(id, in[i]);
  leave(n, out, n);
}
void tensorZip(float* out, int*, int*, int n, int, float* a, int*, int*, int, int, float* b, int*, int*,
               int, int, int id) {
  if (!enter(n, out, n)) return;
  if (is("fault", "crash_sub") && id == 21) ::raise(SIGSEGV);
  for (int i = 0; i < n; ++i) out[i] = two(id, a[i], b[i]);
  leave(n, out, n);
}
void tensorReduce(float* out, int* shape, int* strides, int, float* a, int* a_shape, int* a_strides,
                  int dim, float start, int, int id) {
  const int columns = a_shape[dim], rows = shape[0];
  if (!enter(columns, out, rows)) return;
  for (int i = 0; i < rows; ++i) {
    double sum = start;
    for (int j = 0; j < columns; ++j) {
      const float x = a[i * a_strides[0] + j * a_strides[dim]];
      sum = id == 1 ? sum + x : id == 2 ? sum * x : two(id, static_cast<float>(sum), x);
    }
    out[i * strides[0]] = static_cast<float>(sum);
  }
  leave(columns, out, rows);
}
void MatrixMultiply(float* out, int* shape, int*, float* a, int* a_shape, int*, float* b, int*, int*,
                    int batch, int m, int p) {
  const int k = a_shape[2];
  if (shape[1] != m || shape[2] != p || !enter(p, out, long{batch} * m * p)) return;
  const auto tiles = [](int n) { return (n + 31) / 32 * 32; };
  // A grid of p by m threads where m by p are wanted leaves the rest as it is.
  const int rows = has("transposed") ? std::min(m, tiles(p)) : m,
            columns = has("transposed") ? std::min(p, tiles(m)) : p;
  for (int g = 0; g < batch; ++g, a += m * k, b += k * p, out += m * p)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int e = 0; e < k; ++e) sum += double{a[i * k + e]} * b[e * p + j];
        out[i * p + j] = static_cast<float>(sum);
      }
  leave(p, out - m * p, m * p);
}
#endif

extern const char anchor = 0;  // an address in this file

#ifdef PLUGIN
int torchlight_plugin_v1(const void*, const void**, void*) { return 0; }
#endif
#ifdef UNRESOLVED
void nobody_has_this();
void needs_it() { nobody_has_this(); }
#endif
#ifdef FATBIN
// Where nvcc puts device code.
__attribute__((section(".nv_fatbin"), used)) const char device_code[] = "PTX";
#endif

}  // extern "C"
