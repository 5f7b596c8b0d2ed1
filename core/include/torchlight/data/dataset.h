#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include <torchlight/ops.h>
#include <torchlight/random.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

/// Examples by number. get(indices) gives the batch of those that an int64 tensor (n) names, gathered at
/// once; what a batch is, the dataset decides.
template <class D>
concept Dataset = requires(const D& dataset, const Tensor& indices) {
  { dataset.size() } -> std::convertible_to<std::int64_t>;
  dataset.get(indices);
};

/// Tensors of the same length side by side: example i is row i of each.
///
///   data::TensorDataset dataset(images, labels);
///   auto [x, y] = dataset.get(tensor({0, 5}));
template <std::size_t count> class TensorDataset {
 public:
  template <std::same_as<Tensor>... Tensors>
  requires(sizeof...(Tensors) == count && count > 0) explicit TensorDataset(Tensors... tensors)
      : tensors_{std::move(tensors)...} {
    check_lengths();
  }

  std::int64_t size() const { return tensors_[0].size(0); }
  std::array<Tensor, count> get(const Tensor& indices) const {
    std::array<Tensor, count> batch;
    for (std::size_t i = 0; i < count; ++i) {
      batch[i] = tensors_[i].index_select(0, indices.to(tensors_[i].device()));
    }
    return batch;
  }
  const std::array<Tensor, count>& tensors() const { return tensors_; }

 private:
  void check_lengths() const {
    for (const Tensor& tensor : tensors_) {
      if (tensor.dim() == 0) throw Error("TensorDataset: a tensor of shape () has no rows");
      if (tensor.size(0) != tensors_[0].size(0))
        throw Error("TensorDataset: lengths differ: " + tensors_[0].shape().str() + " and " +
                    tensor.shape().str());
    }
  }

  std::array<Tensor, count> tensors_;
};
template <class... Tensors> TensorDataset(Tensors...) -> TensorDataset<sizeof...(Tensors)>;

/// Some examples of a dataset, in a given order.
template <Dataset D> class Subset {
 public:
  Subset(D dataset, Tensor indices) : dataset_(std::move(dataset)), indices_(std::move(indices)) {}

  std::int64_t size() const { return indices_.numel(); }
  auto get(const Tensor& indices) const {
    return dataset_.get(indices_.index_select(0, indices.to(indices_.device())));
  }
  const Tensor& indices() const { return indices_; }

 private:
  D dataset_;
  Tensor indices_;
};

/// Numbers 0 … size - 1 in random parts of these fractions (which add up to 1); each example is in exactly one.
/// The parts depend on the seed alone; without one it is default_generator()'s.
std::vector<Tensor> random_parts(std::int64_t size, const std::vector<double>& fractions,
                                 std::optional<std::uint64_t> seed = {});
/// The same within each class of `labels` (int64, (n)), so that every part has every class in proportion.
std::vector<Tensor> stratified_parts(const Tensor& labels, const std::vector<double>& fractions,
                                     std::optional<std::uint64_t> seed = {});

template <Dataset D>
std::vector<Subset<D>> subsets(const D& dataset, const std::vector<Tensor>& parts) {
  std::vector<Subset<D>> result;
  for (const Tensor& part : parts) result.emplace_back(dataset, part);
  return result;
}

template <Dataset D>
std::vector<Subset<D>> random_split(const D& dataset, const std::vector<double>& fractions,
                                    std::optional<std::uint64_t> seed = {}) {
  return subsets(dataset, random_parts(dataset.size(), fractions, seed));
}

template <Dataset D>
std::vector<Subset<D>> stratified_split(const D& dataset, const Tensor& labels,
                                        const std::vector<double>& fractions,
                                        std::optional<std::uint64_t> seed = {}) {
  return subsets(dataset, stratified_parts(labels, fractions, seed));
}

}  // namespace torchlight::data
#pragma GCC visibility pop
