#include "peers.h"

namespace peers {
namespace {

using Shape = std::vector<std::int64_t>;

std::string size_name(std::int64_t n) {
  if (n == 1000) return "1e3";
  if (n == 1000000) return "1e6";
  if (n == 100000000) return "1e8";
  return std::to_string(n);
}

Shape sizes(bool with_large) {
  return with_large ? Shape{1000, 1000000, 100000000} : Shape{1000, 1000000};
}

std::int64_t rows_of(std::int64_t n) { return n == 1000 ? 25 : n == 1000000 ? 1000 : 10000; }

std::vector<Case> overhead() {
  std::vector<Case> cases;
  for (const std::int64_t n : {1, 16, 1024})
    for (const std::string op : {"ovh_add", "ovh_add_grad", "ovh_add_bw"}) {
      const auto count = static_cast<double>(n);
      cases.push_back({op + "/" + size_name(n), op, {n}, 0, false, count, 12 * count});
    }
  return cases;
}

void add_elementwise(std::vector<Case>& cases, std::int64_t n, bool preallocated) {
  const auto count = static_cast<double>(n);
  const auto add = [&](const std::string& op, Shape shape, double operations, double bytes) {
    cases.push_back({op + (preallocated ? "/out/" : "/new/") + size_name(n), op, std::move(shape), 0,
                     preallocated, operations, bytes});
  };
  const std::int64_t rows = rows_of(n), columns = n / rows, side = n == 1000 ? 32 : rows;
  const auto square = static_cast<double>(side * side);
  for (const char* op : {"exp", "sigmoid", "tanh", "gelu"}) add(op, {n}, count, 8 * count);
  for (const char* op : {"add", "mul"}) add(op, {n}, count, 12 * count);
  add("addrow", {rows, columns}, count, 8 * count);
  add("addcol", {rows, columns}, count, 8 * count);
  add("addT", {side, side}, square, 12 * square);
  add("copyT", {rows, columns}, 0, 8 * count);
  add("addstr", {rows, columns}, count, 16 * count);
  add("chain", {n}, 4 * count, 16 * count);
}

std::vector<Case> elementwise(bool with_large) {
  std::vector<Case> cases;
  for (const std::int64_t n : sizes(with_large))
    for (const bool preallocated : {false, true}) add_elementwise(cases, n, preallocated);
  return cases;
}

std::vector<Case> reductions(bool with_large) {
  std::vector<Case> cases;
  for (const std::int64_t n : sizes(with_large)) {
    const std::int64_t rows = rows_of(n), columns = n / rows;
    const Shape middle = n == 1000      ? Shape{10, 10, 10}
                         : n == 1000000 ? Shape{100, 100, 100}
                                        : Shape{100, 1000, 1000};
    for (const std::string op : {"sum", "max"}) {
      const auto add = [&](const char* where, Shape shape, int axis, std::int64_t results) {
        cases.push_back({op + "/" + where + "/" + size_name(n), op, std::move(shape), axis, false,
                         static_cast<double>(n), 4.0 * static_cast<double>(n + results)});
      };
      add("last", {rows, columns}, 1, rows);
      add("first", {rows, columns}, 0, columns);
      add("mid", middle, 1, middle[0] * middle[2]);
      add("all", {n}, -1, 1);
    }
  }
  return cases;
}

std::vector<Case> products() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, std::int64_t batch, std::int64_t m, std::int64_t n,
                       std::int64_t k, int transposed = 0) {
    cases.push_back({"mm/" + name,
                     "mm",
                     {batch, m, n, k},
                     transposed,
                     true,
                     2.0 * static_cast<double>(batch * m * n * k),
                     4.0 * static_cast<double>(batch * (m * n + m * k + k * n))});
  };
  for (const std::int64_t side : {16, 32, 64, 128, 256, 512, 1024, 2048})
    add("sq" + std::to_string(side), 1, side, side, side);
  add("sq512_TN", 1, 512, 512, 512, 1);
  add("sq512_NT", 1, 512, 512, 512, 2);
  add("sq512_TT", 1, 512, 512, 512, 3);
  add("m1_k768_n3072", 1, 1, 3072, 768);
  add("m1_k768_n3072_NT", 1, 1, 3072, 768, 2);
  add("m32_k768_n3072", 1, 32, 3072, 768);
  add("m32_k768_n3072_NT", 1, 32, 3072, 768, 2);
  add("m2048_k192_n192", 1, 2048, 192, 192);
  add("m2048_k192_n768", 1, 2048, 768, 192);
  add("dW_m192_k2048_n768_TN", 1, 192, 768, 2048, 1);
  add("b48_128x64x128", 48, 128, 128, 64);
  add("b48_128x64x128_NT", 48, 128, 128, 64, 2);
  add("b48_128x128x64", 48, 128, 64, 128);
  add("b96_128x32x128_NT", 96, 128, 128, 32, 2);
  return cases;
}

std::vector<Case> by_rows() {
  std::vector<Case> cases;
  const auto add = [&](const char* op, std::int64_t rows, std::int64_t columns) {
    const bool backward = std::string(op).ends_with("bw");
    const auto count = static_cast<double>(rows * columns);
    cases.push_back({std::string(op) + "/" + std::to_string(rows) + "x" + std::to_string(columns),
                     op,
                     {rows, columns},
                     0,
                     false,
                     count,
                     (backward ? 12 : 8) * count});
  };
  for (const Shape& shape : {Shape{6144, 128}, Shape{4096, 1024}, Shape{64, 32768}})
    for (const char* op : {"softmax_fw", "softmax_bw"}) add(op, shape[0], shape[1]);
  for (const Shape& shape : {Shape{8192, 768}, Shape{1024, 4096}, Shape{2048, 192}})
    for (const char* op : {"ln_fw", "ln_bw"}) add(op, shape[0], shape[1]);
  return cases;
}

std::vector<Case> training() {
  const double mlp = 6.0 * 128 * (784 * 512 + 512 * 512 + 512 * 10) - 2.0 * 128 * 784 * 512;
  const double layers = 6, model = 192, length = 128, batch = 16, words = 96, tokens = length * batch;
  const double forward = tokens * 2 * (layers * 12 * model * model + model * words) +
                         layers * batch * 4 * length * length * model;
  return {{"mlp_step/b128", "mlp_step", {128}, 0, false, mlp, 0},
          {"gpt_step/L6d192h6T128B16", "gpt_step", {6, 192, 6, 128, 16, 96}, 0, false, 3 * forward, 0}};
}

}  // namespace

std::vector<Case> cases_of(const std::string& group, bool with_large) {
  if (group == "overhead") return overhead();
  if (group == "elem") return elementwise(with_large);
  if (group == "reduce") return reductions(with_large);
  if (group == "mm") return products();
  if (group == "rows") return by_rows();
  if (group == "train") return training();
  return {};
}

}  // namespace peers
