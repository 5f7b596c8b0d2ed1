#include "autograd/node.h"

#include <algorithm>
#include <mutex>

#include "autograd/mode.h"
#include "support/text.h"

namespace torchlight {

const char* name_of(Op op) {
  static constexpr const char* names[] = {
#define TL_MAP(id, name, ...) #name,
#define TL_ZIP(id, name, ...) #name,
#define TL_REDUCE(id, name, ...) #name,
#include <torchlight/ops.def>
      "std",        "logsumexp", "norm",    "cumsum", "matmul",      "attn_softmax", "log_softmax",
      "layer_norm", "reshape",   "permute", "expand", "slice",       "slice_write",  "unfold",
      "fold",       "cat",       "to",      "gather", "scatter_add", "custom",       "leaf"};
  static_assert(std::size(names) == op_count);
  return names[static_cast<int>(op)];
}

void Node::destroy(Node* node) {
  // Deleting a node drops its inputs, which may be their last holders' end, too: a list in place of the
  // call stack, so that a graph of any length goes.
  static thread_local std::vector<Node*>* pending = nullptr;
  if (pending) {
    pending->push_back(node);
    return;
  }
  std::vector<Node*> list{node};
  pending = &list;
  while (!list.empty()) {
    Node* next = list.back();
    list.pop_back();
    delete next;
  }
  pending = nullptr;
}

void Node::reserve_inputs(int count) {
  if (count > static_cast<int>(few_.size()))
    many_ = std::make_unique<Input[]>(static_cast<std::size_t>(count));
}

const Array& Node::value(const Saved& saved) const {
  if (freed_)
    throw Error(text(name(),
                     ": backward through a graph that was already freed; give the first backward "
                     "{.retain_graph = true} to run it twice"));
  if (saved.array.storage().version() != saved.version)
    throw Error(text(name(), ": a tensor of shape ", saved.array.shape().str(),
                     " that backward needs was changed in place after ", name(),
                     " used it; change a clone(), or use the operation that isn't in place"));
  return saved.array;
}

void Node::free_values() {
  if (is_leaf()) return;
  freed_ = true;
  for (int i = 0; i < count_; ++i) {
    Array& array = input(i).saved.array;
    if (array.has_storage()) array = array.without_values();
  }
  if (output.array.has_storage()) output.array = output.array.without_values();
  extras.clear();
}

void Node::set_grad(Variable grad) {
  rows_.clear();
  has_rows_.store(false, std::memory_order_release);
  grad_ = std::move(grad);
}

void Node::add_grad(const Array& gradient) {
  add_rows();
  add_to_grad(gradient);
}

void Node::add_to_grad(const Array& gradient) {
  Array& kept = grad_.array;
  if (!kept.defined()) {
    kept = autograd::owned(gradient);
  } else if (grad_.node || kept.storage().references() != 1 || kept.is_expanded()) {
    grad_ = {kept + gradient, nullptr};
  } else {
    const Array* inputs[] = {&kept, &gradient};
    zip_into(TL_ZIP_add, inputs, kept);
    kept.storage().changed();
  }
}

void Node::keep_rows(autograd::RowGradients rows) {
  std::int64_t count = 0;
  rows_.push_back(std::move(rows));
  has_rows_.store(true, std::memory_order_release);
  for (const autograd::RowGradients& pass : rows_) count += pass.row_count;
  if (!autograd::are_few(count, rows_[0].table)) add_rows();  // lest they grow without a reader
}

// Each pass as an array, and those added up: the bits are those of adding them as they came.
void Node::add_rows() {
  static constinit std::mutex one_at_a_time;
  if (!has_rows_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(one_at_a_time);
  for (; !rows_.empty(); rows_.erase(rows_.begin())) add_to_grad(rows_.front().whole());
  has_rows_.store(false, std::memory_order_release);
}

std::uint64_t Node::add_hook(Hook hook) {
  hooks_.emplace_back(autograd::next_sequence(), std::move(hook));
  return hooks_.back().first;
}

void Node::remove_hook(std::uint64_t id) {
  std::erase_if(hooks_, [id](const auto& hook) { return hook.first == id; });
}

void Node::run_hooks(Variable& gradient) const {
  const auto hooks = hooks_;  // a hook may add hooks and remove them, itself among them
  for (const auto& [id, hook] : hooks) hook(gradient);
}

}  // namespace torchlight
