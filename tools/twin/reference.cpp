#include "reference.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "command.h"
#include "reference_rows.h"
#include "type.h"

namespace twin_command {
namespace {

using Arguments = std::vector<Values>;
using Unary = double (*)(double);
using Binary = double (*)(double, double);

struct Primitive {
  const char* shown;
  std::size_t least, most;
  std::function<Values(const Arguments&)> body;
};

Values map(const Values& x, Unary f) {
  Values result{x.shape, x.value, {}};
  for (double& value : result.value) value = f(value);
  result.scale = result.value;
  for (std::size_t k = 0; k < result.scale.size(); ++k) result.scale[k] = std::fabs(result.scale[k]);
  return result;
}

/// Shapes that are equal, or of which one is the end of the other: a bias.
Values zip(const Values& a, const Values& b, Binary f, bool cancels) {
  const Values& larger = a.value.size() >= b.value.size() ? a : b;
  const Values& smaller = a.value.size() >= b.value.size() ? b : a;
  const std::size_t many = larger.value.size(), few = smaller.value.size();
  const bool ends = std::equal(smaller.shape.rbegin(), smaller.shape.rend(), larger.shape.rbegin(),
                               larger.shape.rbegin() + static_cast<std::ptrdiff_t>(std::min(
                                                           smaller.shape.size(), larger.shape.size())));
  if (few != 1 && few != many && !(ends && smaller.shape.size() <= larger.shape.size()))
    throw BadInput("shapes " + shown(a.shape) + " and " + shown(b.shape) + " don't fit together");
  Values result{larger.shape, std::vector<double>(many), std::vector<double>(many)};
  for (std::size_t k = 0; k < many; ++k) {
    const double x = a.value[a.value.size() == many ? k : k % a.value.size()];
    const double y = b.value[b.value.size() == many ? k : k % b.value.size()];
    result.value[k] = f(x, y);
    result.scale[k] = cancels ? std::fabs(x) + std::fabs(y) : std::fabs(result.value[k]);
  }
  return result;
}

Primitive unary(const char* shown, Unary f) {
  return {shown, 1, 1, [f](const Arguments& a) { return map(a[0], f); }};
}
Primitive binary(const char* shown, Binary f, bool cancels = false) {
  return {shown, 2, 2, [f, cancels](const Arguments& a) { return zip(a[0], a[1], f, cancels); }};
}
double number(const Arguments& a, std::size_t index, double otherwise) {
  return index < a.size() && !a[index].value.empty() ? a[index].value[0] : otherwise;
}

// The functions of combine.so, by their numbers.
Values drop_in_map(const Values& x, int id) {
  switch (id) {
    case 3: return map(x, [](double v) { return v; });
    case 4: return map(x, [](double v) { return -v; });
    case 7: return map(x, [](double v) { return 1 / (1 + std::exp(-v)); });
    case 8: return map(x, [](double v) { return v > 0 ? v : 0; });
    case 10: return map(x, [](double v) { return std::log(v + 1e-6); });
    case 12: return map(x, [](double v) { return std::exp(v); });
    case 13: return map(x, [](double v) { return 1 / v; });
    case 18: return map(x, [](double v) { return std::tanh(v); });
    default: throw BadInput("drop_in_map has no function " + std::to_string(id));
  }
}
Values drop_in_zip(const Values& a, const Values& b, int id) {
  switch (id) {
    case 1:
      return zip(
          a, b, [](double x, double y) { return x + y; }, true);
    case 2:
      return zip(
          a, b, [](double x, double y) { return x * y; }, false);
    case 5:
      return zip(
          a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; }, false);
    case 6:
      return zip(
          a, b, [](double x, double y) { return x == y ? 1.0 : 0.0; }, false);
    case 16:
      return zip(
          a, b, [](double x, double y) { return x > y ? x : y; }, false);
    default: throw BadInput("drop_in_zip has no function " + std::to_string(id));
  }
}

const std::map<std::string, Primitive>& table() {
  static const std::map<std::string, Primitive> all = {
      {"copy", unary("copy(x)", [](double x) { return x; })},
      {"neg", unary("neg(x)", [](double x) { return -x; })},
      {"abs", unary("abs(x)", [](double x) { return std::fabs(x); })},
      {"exp", unary("exp(x)", [](double x) { return std::exp(x); })},
      {"log", unary("log(x)", [](double x) { return std::log(x); })},
      {"sqrt", unary("sqrt(x)", [](double x) { return std::sqrt(x); })},
      {"square", unary("square(x)", [](double x) { return x * x; })},
      {"sin", unary("sin(x)", [](double x) { return std::sin(x); })},
      {"cos", unary("cos(x)", [](double x) { return std::cos(x); })},
      {"tanh", unary("tanh(x)", [](double x) { return std::tanh(x); })},
      {"sigmoid", unary("sigmoid(x)", [](double x) { return 1 / (1 + std::exp(-x)); })},
      {"relu", unary("relu(x)", [](double x) { return x > 0 ? x : 0; })},
      {"silu", unary("silu(x)", [](double x) { return x / (1 + std::exp(-x)); })},
      {"gelu", unary("gelu(x)", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); })},
      {"gelu_tanh", unary("gelu_tanh(x)", [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x))); })},
      {"leaky_relu", {"leaky_relu(x[, 0.01])", 1, 2, [](const Arguments& a) {
                        const double slope = number(a, 1, 0.01);
                        Values result = map(a[0], [](double x) { return x; });
                        for (double& x : result.value) x = x > 0 ? x : slope * x;
                        return result;
                      }}},
      {"add", binary("add(a, b)", [](double a, double b) { return a + b; }, true)},
      {"sub", binary("sub(a, b)", [](double a, double b) { return a - b; }, true)},
      {"mul", binary("mul(a, b)", [](double a, double b) { return a * b; })},
      {"div", binary("div(a, b)", [](double a, double b) { return a / b; })},
      {"maximum", binary("maximum(a, b)", [](double a, double b) { return a > b ? a : b; })},
      {"minimum", binary("minimum(a, b)", [](double a, double b) { return a < b ? a : b; })},
      {"sum", {"sum(x[, dim])", 1, 2, [](const Arguments& a) { return reduced(a[0], number(a, 1, -100), Reduction::sum); }}},
      {"mean", {"mean(x[, dim])", 1, 2, [](const Arguments& a) { return reduced(a[0], number(a, 1, -100), Reduction::mean); }}},
      {"variance", {"variance(x[, dim])", 1, 2, [](const Arguments& a) { return reduced(a[0], number(a, 1, -100), Reduction::variance); }}},
      {"max", {"max(x[, dim])", 1, 2, [](const Arguments& a) { return reduced(a[0], number(a, 1, -100), Reduction::max); }}},
      {"min", {"min(x[, dim])", 1, 2, [](const Arguments& a) { return reduced(a[0], number(a, 1, -100), Reduction::min); }}},
      {"dot", {"dot(a, b)", 2, 2, [](const Arguments& a) {
                 if (a[0].value.size() != a[1].value.size()) throw BadInput("dot: arrays of different lengths");
                 return reduced(zip(a[0], a[1], [](double x, double y) { return x * y; }, false), -100, Reduction::sum);
               }}},
      {"cumsum", {"cumsum(x)", 1, 1, [](const Arguments& a) { return running_sum(a[0]); }}},
      {"softmax", {"softmax(x)", 1, 1, [](const Arguments& a) { return softmax(a[0]); }}},
      {"softmax_backward", {"softmax_backward(grad, softmax)", 2, 2, [](const Arguments& a) { return softmax_backward(a[0], a[1]); }}},
      {"layernorm", {"layernorm(x[, gamma, beta][, eps])", 1, 4, [](const Arguments& a) {
                       const bool affine = a.size() >= 3;
                       return layernorm(a[0], affine ? &a[1] : nullptr, affine ? &a[2] : nullptr, number(a, affine ? 3 : 1, 1e-5), true);
                     }}},
      {"rmsnorm", {"rmsnorm(x[, gamma][, eps])", 1, 3, [](const Arguments& a) {
                     const bool affine = a.size() >= 2 && a[1].value.size() != 1;
                     return layernorm(a[0], affine ? &a[1] : nullptr, nullptr, number(a, affine ? 2 : 1, 1e-5), false);
                   }}},
      {"layernorm_backward", {"layernorm_backward(grad, x, gamma[, eps])", 3, 4, [](const Arguments& a) { return layernorm_backward(a[0], a[1], a[2], number(a, 3, 1e-5)); }}},
      {"layernorm_gamma", {"layernorm_gamma(grad, x[, eps])", 2, 3, [](const Arguments& a) { return layernorm_gamma(a[0], a[1], number(a, 2, 1e-5)); }}},
      {"matmul", {"matmul(a, b)", 2, 2, [](const Arguments& a) { return matmul(a[0], a[1]); }}},
      {"transpose", {"transpose(x)", 1, 1, [](const Arguments& a) { return transpose(a[0]); }}},
      {"reverse", {"reverse(x)", 1, 1, [](const Arguments& a) {
                     Values result = a[0];
                     std::reverse(result.value.begin(), result.value.end());
                     std::reverse(result.scale.begin(), result.scale.end());
                     return result;
                   }}},
      {"drop_in_map", {"drop_in_map(x, fn_id)", 2, 2, [](const Arguments& a) { return drop_in_map(a[0], static_cast<int>(number(a, 1, 0))); }}},
      {"drop_in_zip", {"drop_in_zip(a, b, fn_id)", 3, 3, [](const Arguments& a) { return drop_in_zip(a[0], a[1], static_cast<int>(number(a, 2, 0))); }}},
      {"conv1d", {"conv1d(x, kernel)", 2, 2, [](const Arguments& a) { return convolution(a[0], a[1]); }}},
  };
  return all;
}

}  // namespace

Values values_of(const Array& array) {
  Values values{array.shape, array.values(), {}};
  values.scale = values.value;
  for (double& scale : values.scale) scale = std::fabs(scale);
  return values;
}

Values evaluate(const std::string& expression,
                const std::function<Values(const std::string&)>& look_up) {
  const std::string text = trimmed(expression);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size())
    return {{}, {value}, {std::fabs(value)}};
  const std::size_t open = text.find('(');
  if (open == text.npos) return look_up(text);
  const std::string name = trimmed(text.substr(0, open));
  const auto found = table().find(name);
  if (found == table().end() || text.back() != ')') {
    std::string known;
    for (const auto& [other, primitive] : table()) known += (known.empty() ? "" : ", ") + other;
    throw BadInput(text.back() == ')' ? "there is no primitive " + name + "; there are " + known
                                      : "\"" + text + "\" lacks its )");
  }
  Arguments arguments;
  for (const std::string& part : split(text.substr(open + 1, text.size() - open - 2)))
    arguments.push_back(evaluate(part, look_up));
  if (arguments.size() < found->second.least || arguments.size() > found->second.most)
    throw BadInput(text + ": it is " + found->second.shown);
  return found->second.body(arguments);
}

std::vector<std::string> primitives() {
  std::vector<std::string> all;
  for (const auto& [name, primitive] : table()) all.push_back(primitive.shown);
  return all;
}

}  // namespace twin_command
