#pragma once

#include <concepts>
#include <queue>
#include <unordered_map>

#include "autograd/mode.h"
#include "autograd/rules.h"
#include "support/text.h"

namespace torchlight::autograd {

/// What is asked of one backward pass.
template <class V> struct Pass {
  std::vector<std::pair<Node*, V>> roots;  ///< where it starts, each with its gradient
  bool retain_graph = false;
  bool create_graph = false;
  /// Where given, the gradients of these nodes are collected here, and no grad field is touched.
  std::unordered_map<Node*, V>* collect = nullptr;
};

/// Gradients that wait, the youngest operation first. All consumers of a node are younger than the node,
/// so when it comes up its gradient is complete: no counting, no recursion.
template <class V> class Pending {
 public:
  void add(Ref<Node> node, V gradient) {
    auto [place, is_new] = gradients_.try_emplace(node.get(), gradient);
    if (!is_new)
      place->second = place->second + gradient;
    else
      queue_.push({node->sequence(), std::move(node)});
  }
  /// Adds the gradient of a part that `choice`, a window or a gather, took of its input, touching that part
  /// alone. Only where a gradient of the whole waits already and nobody else holds it; false otherwise.
  bool add_to_part(Node& choice, const Array& part) requires std::same_as<V, Array> {
    const auto waiting = gradients_.find(choice.input(0).node.get());
    if (waiting == gradients_.end()) return false;
    const Array& whole = waiting->second;
    if (whole.storage().references() != 1 || !whole.is_contiguous() || whole.dtype() != part.dtype())
      return false;
    if (choice.op() == Op::gather) {
      scatter_add_into(whole, choice.attributes.dim, choice.value(choice.input(1).saved), part);
      return true;
    }
    const Array target = window(whole, choice.attributes.window);
    if (target.is_expanded()) return false;
    const Array* inputs[] = {&target, &part};
    zip_into(TL_ZIP_add, inputs, target);
    return true;
  }
  bool empty() const { return queue_.empty(); }
  std::pair<Ref<Node>, V> take() {
    Ref<Node> node = queue_.top().node;
    queue_.pop();
    auto place = gradients_.find(node.get());
    V gradient = std::move(place->second);
    gradients_.erase(place);
    return {std::move(node), std::move(gradient)};
  }

 private:
  struct Entry {
    std::uint64_t sequence;
    Ref<Node> node;
    bool operator<(const Entry& other) const { return sequence < other.sequence; }
  };
  std::priority_queue<Entry> queue_;
  std::unordered_map<Node*, V> gradients_;
};

/// What one user's function gave, checked against the inputs it is for.
template <class V>
void give_custom(Node& node, Backward<V>& backward, const V& gradient, bool create_graph) {
  const std::vector<Variable> given = node.custom_rule()(Values<V>::read(gradient), create_graph);
  if (static_cast<int>(given.size()) != node.input_count())
    throw Error(text(node.name(), ": backward gave ", given.size(), " gradients for ",
                     node.input_count(), " inputs; give one for each, undefined where there is none"));
  for (int i = 0; i < node.input_count(); ++i) {
    if (!given[i].array.defined() || !backward.needs(i)) continue;
    require_gradient_of(text(node.name(), ": input ", i).c_str(), backward.meta(i), given[i].array);
    backward.give(i, Values<V>::make(given[i]));
  }
}

/// Adds a gradient to what is there. What is kept is a value of its own, since the user may change it
/// in place; a gradient that nobody else holds is taken as it is. A tensor that the user holds, too (from
/// set_grad or grad()), keeps its values.
inline void accumulate(Node& node, const Array& gradient) {
  Array& kept = node.grad.array;
  if (!kept.defined()) {
    const bool is_ours = gradient.storage().references() == 1 && gradient.is_contiguous();
    kept = is_ours ? gradient : copy(gradient, gradient.dtype());
  } else if (node.grad.node || kept.storage().references() != 1 || kept.is_expanded()) {
    node.grad = {kept + gradient, nullptr};
  } else {
    const Array* inputs[] = {&kept, &gradient};
    zip_into(TL_ZIP_add, inputs, kept);
    kept.storage().changed();
  }
}

/// With a graph of its own the gradient is a new tensor each time.
template <class V> void accumulate(Node& node, const V& gradient) {
  const bool is_first = !node.grad.array.defined();
  node.grad = Values<V>::read(is_first ? gradient : Values<V>::make(node.grad) + gradient);
}

template <class V> void run(const Pass<V>& pass) {
  Pending<V> pending;
  for (const auto& [node, gradient] : pass.roots) pending.add(Ref<Node>(node), gradient);
  while (!pending.empty()) {
    auto [node, gradient] = pending.take();
    if (node->has_hooks()) {
      Variable variable = Values<V>::read(gradient);
      node->run_hooks(variable);
      gradient = Values<V>::make(variable);
    }
    if (pass.collect) {
      if (auto wanted = pass.collect->find(node.get()); wanted != pass.collect->end())
        wanted->second = gradient;
    } else if (node->is_leaf() && node->is_replaced) {
      throw Error(
          "backward: a leaf was given other data (set_data, Module::to) after it was used; run "
          "backward "
          "before, or forward again");
    } else if (node->is_leaf() || node->retains_grad) {
      accumulate(*node, gradient);
    }
    if (node->is_leaf()) continue;
    if (node->is_freed())
      throw Error(text(node->name(),
                       ": backward through a graph that was already freed; give the first "
                       "backward {.retain_graph = true} to run it twice"));
    if constexpr (std::same_as<V, Array>)
      if ((node->op() == Op::window || node->op() == Op::gather) &&
          pending.add_to_part(*node, gradient)) {
        if (!pass.retain_graph) node->free_values();
        continue;
      }
    std::vector<V> results(static_cast<std::size_t>(node->input_count()));
    Backward<V> backward(*node, gradient, results);
    if (node->op() == Op::custom)
      give_custom(*node, backward, gradient, pass.create_graph);
    else
      rule_of<V>(node->op()).run(backward);
    for (int i = 0; i < node->input_count(); ++i)
      if (node->input(i).node && Values<V>::read(results[i]).array.defined())
        pending.add(node->input(i).node, std::move(results[i]));
    if (!pass.retain_graph) node->free_values();
  }
}

}  // namespace torchlight::autograd
