#pragma once

#include <concepts>
#include <queue>
#include <unordered_map>

#include "autograd/mode.h"
#include "autograd/rules.h"
#include "dispatch/observer.h"
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
    make_whole(*node);
    auto [place, is_new] = gradients_.try_emplace(node.get(), gradient);
    if (!is_new)
      place->second = place->second + gradient;
    else
      queue_.push({node->sequence(), std::move(node)});
  }
  /// Adds the gradient of a part that `choice`, a window or a gather, took of its input, touching that part
  /// alone: to a gradient of the whole that waits and that nobody else holds, or to the rows that are kept
  /// of a leaf. False where there is neither.
  bool add_to_part(Node& choice, const Array& part) requires std::same_as<V, Array> {
    if (keep_rows(choice, part)) return true;
    make_whole(*choice.input(0).node);
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
  /// The next node. What waits for it is then to be taken, or left with it.
  Ref<Node> next() {
    Ref<Node> node = queue_.top().node;
    queue_.pop();
    return node;
  }
  V take(Node& node) {
    make_whole(node);
    auto place = gradients_.find(&node);
    V gradient = std::move(place->second);
    gradients_.erase(place);
    return gradient;
  }
  /// Leaves rows with the leaf that they wait for. False where none do, or where the whole is asked for.
  bool leave_rows(Node& leaf) {
    if (rows_.empty()) return false;
    const auto waiting = rows_.find(&leaf);
    if (waiting == rows_.end() || leaf.has_hooks() || leaf.is_replaced) return false;
    leaf.keep_rows(std::move(waiting->second));
    rows_.erase(waiting);
    return true;
  }

 private:
  /// While operations are observed, the whole is made: what a trace shows then is what replay can do.
  bool keep_rows(Node& choice, const Array& part) {
    const Node::Input& table = choice.input(0);
    if (choice.op() != Op::gather || !table.node->is_leaf() || gradients_.contains(table.node.get()) ||
        dispatch::is_observed())
      return false;
    const Array& index = choice.value(choice.input(1).saved);
    const auto waiting = rows_.find(table.node.get());
    if (waiting != rows_.end())
      return waiting->second.keep(table.saved.array, choice.attributes.dim, index, part);
    RowGradients rows;
    if (!rows.keep(table.saved.array, choice.attributes.dim, index, part)) return false;
    rows_.emplace(table.node.get(), std::move(rows));
    queue_.push({table.node->sequence(), table.node});
    return true;
  }
  void make_whole(Node& node) {
    if (rows_.empty()) return;
    if constexpr (std::same_as<V, Array>)
      if (const auto rows = rows_.extract(&node)) gradients_.emplace(&node, rows.mapped().whole());
  }

  struct Entry {
    std::uint64_t sequence;
    Ref<Node> node;
    bool operator<(const Entry& other) const { return sequence < other.sequence; }
  };
  std::priority_queue<Entry> queue_;
  std::unordered_map<Node*, V> gradients_;
  std::unordered_map<Node*, RowGradients> rows_;  // of leaves that have nothing in gradients_
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

inline void accumulate(Node& node, const Array& gradient) { node.add_grad(gradient); }

/// With a graph of its own the gradient is a new tensor each time.
template <class V> void accumulate(Node& node, const V& gradient) {
  const Variable& kept = node.grad();
  node.set_grad(Values<V>::read(kept.array.defined() ? Values<V>::make(kept) + gradient : gradient));
}

template <class V> void run(const Pass<V>& pass) {
  Pending<V> pending;
  for (const auto& [node, gradient] : pass.roots) pending.add(Ref<Node>(node), gradient);
  while (!pending.empty()) {
    const Ref<Node> node = pending.next();
    if (!pass.collect && pending.leave_rows(*node)) continue;
    V gradient = pending.take(*node);
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
