#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "array/operations.h"
#include "autograd/op.h"
#include "autograd/rows.h"
#include "support/ref.h"

namespace torchlight {

class Node;

/// An array with its history: what a tensor is, without the handle.
struct Variable {
  Array array;
  Ref<Node> node;  ///< null where no gradient is wanted
};

/// What an operation was called with beside its inputs, as far as its rule asks for it.
struct Attributes {
  Params params{};
  Dims dims{};
  bool keepdim = false;
  std::int64_t dim = 0, size = 0, step = 0;
  bool reverse = false;
  Window window{};
};

/// An array kept for backward, with the version its storage had then.
struct Saved {
  Array array;  ///< without values where the rule needs only its shape
  std::uint64_t version = 0;

  Saved() = default;
  Saved(const Array& x, bool with_values) : array(with_values ? x : x.without_values()) {
    if (with_values) version = x.storage().version();
  }
};

/// A rule given by the user: the gradient of the result in, one gradient for each input out.
using CustomRule = std::function<std::vector<Variable>(const Variable& gradient, bool create_graph)>;

/// One recorded operation, or a leaf: a tensor made by the user, where gradients arrive. A tensor that
/// requires grad holds a node; a node holds those of its inputs. Freed without recursion.
class Node final : public RefCounted {
 public:
  Node(Op op, std::uint64_t sequence) : op_(op), sequence_(sequence) {}
  static void destroy(Node* node);

  struct Input {
    Ref<Node> node;
    Saved saved;
  };

  Op op() const { return op_; }
  const char* name() const { return custom_ ? custom_->name.c_str() : name_of(op_); }
  std::uint64_t sequence() const { return sequence_; }
  bool is_leaf() const { return op_ == Op::leaf; }

  // ---- what the rule works on
  void reserve_inputs(int count);
  void add_input(Ref<Node> node, const Array& array, bool with_values) {
    inputs()[count_++] = {std::move(node), Saved(array, with_values)};
  }
  int input_count() const { return count_; }
  Input& input(int i) { return inputs()[i]; }
  /// The values of an input or the output. Error where they were changed in place or already freed.
  const Array& value(const Saved& saved) const;
  Saved output;
  Attributes attributes;
  std::vector<Array> extras;  ///< what forward computed for backward only

  /// After backward: values go, shapes stay, a second run is an error.
  void free_values();
  bool is_freed() const { return freed_; }

  struct Custom {
    std::string name;
    CustomRule rule;
  };
  void set_custom(std::string name, CustomRule rule) {
    custom_ = std::make_unique<Custom>(Custom{std::move(name), std::move(rule)});
  }
  const CustomRule& custom_rule() const { return custom_->rule; }

  // ---- where gradients arrive
  /// What backward left here; undefined where nothing. Rows that were kept are added first, by the first
  /// of several readers.
  const Variable& grad() {
    if (has_rows_.load(std::memory_order_acquire)) add_rows();
    return grad_;
  }
  void set_grad(Variable grad);  ///< in place of all that is here
  /// Adds a gradient to what is there. What is kept is a value of its own, since the user may change it
  /// in place; a gradient that nobody else holds is taken as it is. A tensor that the user holds, too
  /// (from set_grad or grad()), keeps its values.
  void add_grad(const Array& gradient);
  /// The same later, when somebody reads it.
  void keep_rows(autograd::RowGradients rows);
  /// All of the gradient by rows, a pass each; none where it is, or became, an array.
  std::span<const autograd::RowGradients> rows() const {
    return grad_.array.defined() ? std::span<const autograd::RowGradients>() : rows_;
  }
  bool retains_grad = false;
  /// A leaf whose tensor was given other data: gradients of the old values belong to nobody.
  bool is_replaced = false;
  using Hook = std::function<void(Variable& gradient)>;
  std::uint64_t add_hook(Hook hook);
  void remove_hook(std::uint64_t id);
  void run_hooks(Variable& gradient) const;
  bool has_hooks() const { return !hooks_.empty(); }

 private:
  ~Node() = default;
  Input* inputs() { return many_ ? many_.get() : few_.data(); }
  void add_rows();
  void add_to_grad(const Array& gradient);

  Op op_;
  bool freed_ = false;
  std::atomic<bool> has_rows_ = false;
  int count_ = 0;
  std::uint64_t sequence_;
  std::array<Input, 3> few_;
  std::unique_ptr<Input[]> many_;
  std::unique_ptr<Custom> custom_;
  std::vector<std::pair<std::uint64_t, Hook>> hooks_;
  Variable grad_;
  std::vector<autograd::RowGradients> rows_;  // to be added to grad_, in order
};

}  // namespace torchlight
