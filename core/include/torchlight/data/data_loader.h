#pragma once

#include <iterator>

#include <torchlight/data/dataset.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;                  ///< leave out a last batch that isn't full
  std::optional<std::uint64_t> seed = {};  ///< of the shuffling; default_generator()'s if left out
};

/// The order of `size` examples in an epoch: it depends on these arguments alone. Epochs are from 0 to
/// 2^23 - 2.
Tensor epoch_order(std::int64_t size, bool shuffle, std::uint64_t seed, std::int64_t epoch);

/// Goes through a dataset in batches. Every loop is the next epoch, in a new order if it shuffles:
///
///   data::DataLoader loader(dataset, {.batch_size = 16, .shuffle = true, .seed = 7});
///   for (auto [x, y] : loader) …
///
/// The order depends on seed and epoch alone; set_epoch(n) resumes at epoch n.
template <Dataset D> class DataLoader {
 public:
  explicit DataLoader(D dataset, DataLoaderOptions options = {})
      : dataset_(std::move(dataset)),
        options_(options),
        seed_(options.seed.value_or(default_generator().seed)) {
    if (options.batch_size < 1)
      throw Error("DataLoader: batch_size is " + std::to_string(options.batch_size) +
                  "; it must be at least 1");
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;

    /// Gathers the batch.
    auto operator*() const {
      const std::int64_t end = std::min(start_ + loader_->options_.batch_size, order_.numel());
      return loader_->dataset_.get(order_.slice(0, start_, end));
    }
    Iterator& operator++() {
      start_ += loader_->options_.batch_size;
      ++batch_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return batch_ == loader_->size(); }

   private:
    friend DataLoader;
    Iterator(const DataLoader* loader, Tensor order) : loader_(loader), order_(std::move(order)) {}

    const DataLoader* loader_;
    Tensor order_;
    std::int64_t start_ = 0;
    std::int64_t batch_ = 0;
  };

  Iterator begin() {
    Iterator first(this, epoch_order(dataset_.size(), options_.shuffle, seed_, epoch_));
    ++epoch_;
    return first;
  }
  std::default_sentinel_t end() const { return {}; }

  /// Batches of an epoch.
  std::int64_t size() const {
    const std::int64_t full = dataset_.size() / options_.batch_size;
    const bool rest = dataset_.size() % options_.batch_size != 0;
    return full + (rest && !options_.drop_last);
  }
  std::int64_t epoch() const { return epoch_; }  ///< of the next loop
  void set_epoch(std::int64_t epoch) { epoch_ = epoch; }
  const D& dataset() const { return dataset_; }

 private:
  D dataset_;
  DataLoaderOptions options_;
  std::uint64_t seed_;
  std::int64_t epoch_ = 0;
};

}  // namespace torchlight::data
#pragma GCC visibility pop
