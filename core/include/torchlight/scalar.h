#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <torchlight/error.h>

#pragma GCC visibility push(default)
/// A teaching tool: reverse-mode differentiation of single numbers, all of it in this file, to be read in one
/// sitting before core/src/autograd, which does the same for tensors. Nothing of the library uses it.
///
///   scalar::Scalar x = 2, y = 3;
///   scalar::Scalar z = x * y + exp(x);
///   z.backward();
///   x.grad();  // dz/dx = y + exp(x)
namespace torchlight::scalar {

/// A number that remembers how it was computed. A copy is the same number: it shares the gradient.
class Scalar {
 public:
  Scalar(double value) : Scalar(value, {}) {}

  double value() const { return node_->value; }
  /// What backward() has added up so far; backward() adds to numbers that weren't computed from others.
  double grad() const { return node_->grad; }
  void zero_grad() const { node_->grad = 0; }

  /// Adds d(this)/d(input) to the gradient of every input that this number was computed from.
  void backward() const;

 private:
  /// One computed number, and by how much it changes with each of those it was computed from. The rule of an
  /// operation is needed only while the operation is done: its derivative there is a number.
  struct Node {
    struct Input {
      std::shared_ptr<Node> node;
      double derivative;
    };
    double value;
    std::vector<Input> inputs;
    double grad = 0;

    Node(double v, std::vector<Input> in) : value(v), inputs(std::move(in)) {}
    ~Node();
  };

  Scalar(double value, std::vector<Node::Input> inputs)
      : node_(std::make_shared<Node>(value, std::move(inputs))) {}

  static std::vector<Node*> in_order_of_computation(Node* last);

  // Every operation is one line: its value, and its derivative by each input.
  friend Scalar operator+(const Scalar& a, const Scalar& b) {
    return {a.value() + b.value(), {{a.node_, 1}, {b.node_, 1}}};
  }
  friend Scalar operator-(const Scalar& a, const Scalar& b) {
    return {a.value() - b.value(), {{a.node_, 1}, {b.node_, -1}}};
  }
  friend Scalar operator*(const Scalar& a, const Scalar& b) {
    return {a.value() * b.value(), {{a.node_, b.value()}, {b.node_, a.value()}}};
  }
  friend Scalar operator/(const Scalar& a, const Scalar& b) {
    const double value = a.value() / b.value();
    return {value, {{a.node_, 1 / b.value()}, {b.node_, -value / b.value()}}};
  }
  friend Scalar operator-(const Scalar& a) { return {-a.value(), {{a.node_, -1}}}; }
  friend Scalar exp(const Scalar& a) {
    const double value = std::exp(a.value());
    return {value, {{a.node_, value}}};
  }
  friend Scalar log(const Scalar& a) { return {std::log(a.value()), {{a.node_, 1 / a.value()}}}; }
  friend Scalar pow(const Scalar& a, double n) {
    // At n = 0 the power is the constant 1, also where a is 0.
    const double derivative = n == 0 ? 0 : n * std::pow(a.value(), n - 1);
    return {std::pow(a.value(), n), {{a.node_, derivative}}};
  }
  friend Scalar tanh(const Scalar& a) {
    const double value = std::tanh(a.value());
    return {value, {{a.node_, 1 - value * value}}};
  }
  friend Scalar sigmoid(const Scalar& a) {
    const double value = 1 / (1 + std::exp(-a.value()));
    return {value, {{a.node_, value * (1 - value)}}};
  }
  friend Scalar relu(const Scalar& a) {
    return {a.value() > 0 ? a.value() : 0, {{a.node_, a.value() > 0 ? 1.0 : 0.0}}};
  }

  // Comparisons are of values: they have no derivative.
  friend bool operator==(const Scalar& a, const Scalar& b) { return a.value() == b.value(); }
  friend auto operator<=>(const Scalar& a, const Scalar& b) { return a.value() <=> b.value(); }

  std::shared_ptr<Node> node_;
};

// A chain of a million numbers must not be taken apart by a million calls inside each other.
inline Scalar::Node::~Node() {
  std::vector<Input> left = std::move(inputs);
  while (!left.empty()) {
    const std::shared_ptr<Node> node = std::move(left.back().node);
    left.pop_back();
    if (node.use_count() != 1) continue;  // somebody else still holds it
    for (Input& input : node->inputs) left.push_back(std::move(input));
    node->inputs.clear();
  }
}

/// Every number that `last` depends on, each after those that it was computed from, `last` at the end: a
/// depth-first walk without recursion.
inline std::vector<Scalar::Node*> Scalar::in_order_of_computation(Node* last) {
  struct Visit {
    Node* node;
    std::size_t next_input = 0;
  };
  std::vector<Node*> order;
  std::unordered_map<Node*, bool> seen{{last, true}};
  std::vector<Visit> path{{last}};
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next_input == visit.node->inputs.size()) {
      order.push_back(visit.node);
      path.pop_back();
      continue;
    }
    Node* const input = visit.node->inputs[visit.next_input++].node.get();
    if (seen.emplace(input, true).second) path.push_back({input});
  }
  return order;
}

// From the last number to the first: when a number's turn comes, all that use it have given it their share.
// That is the chain rule.
inline void Scalar::backward() const {
  const std::vector<Node*> order = in_order_of_computation(node_.get());
  std::unordered_map<const Node*, double> share{{node_.get(), 1}};
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    Node& node = **it;
    if (node.inputs.empty()) node.grad += share[&node];
    for (const Node::Input& input : node.inputs)
      share[input.node.get()] += share[&node] * input.derivative;
  }
}

using Function = std::function<Scalar(const std::vector<Scalar>&)>;

/// Compares the derivatives of f at a point with (f(x + h) - f(x - h)) / 2h, one argument after the other.
/// Error that names the argument and both derivatives where they differ by more than `tolerance`, relative
/// to the larger, or to 1 if both are smaller.
inline void derivative_check(const Function& f, const std::vector<double>& at, double tolerance = 1e-6,
                             double h = 1e-5) {
  const std::vector<Scalar> x(at.begin(), at.end());
  f(x).backward();
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto value_at = [&](double xi) {
      std::vector<Scalar> moved(at.begin(), at.end());
      moved[i] = xi;
      return f(moved).value();
    };
    const double measured = (value_at(at[i] + h) - value_at(at[i] - h)) / (2 * h), found = x[i].grad();
    const double size = std::fmax(1, std::fmax(std::fabs(measured), std::fabs(found)));
    if (!(std::fabs(measured - found) <= tolerance * size))
      throw Error("derivative_check: by argument " + std::to_string(i) + " backward gives " +
                  std::to_string(found) + ", the difference quotient " + std::to_string(measured));
  }
}

}  // namespace torchlight::scalar
#pragma GCC visibility pop
