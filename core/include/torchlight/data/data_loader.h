#pragma once

#include <functional>
#include <iterator>
#include <memory>

#include <torchlight/data/dataset.h>
#include <torchlight/data/sampler.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;                       ///< leave out a last batch that isn't full
  std::optional<std::uint64_t> seed = {};       ///< of the shuffling; default_generator()'s if left out
  std::shared_ptr<const Sampler> sampler = {};  ///< decides instead of shuffle and seed
  /// Batches that are gathered in advance on a thread of their own, while this one computes: 0 means that
  /// each is gathered when it is asked for. The batches are the same ones. A dataset of your own is then
  /// used by that thread: it must not draw from default_generator().
  std::int64_t prefetch = 0;
};

/// Calls prepare(0), prepare(1), … prepare(count - 1) on a thread of its own, at most `ahead` beyond the one
/// that was last waited for.
class Prefetcher {
 public:
  Prefetcher(std::int64_t count, std::int64_t ahead, std::function<void(std::int64_t)> prepare);
  ~Prefetcher();  ///< doesn't wait for more than the call in progress

  /// Until prepare(i) is done; what it threw is thrown here. i doesn't get smaller.
  void wait(std::int64_t i);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What the options mean for a dataset of this size; Error for options that make no sense.
std::shared_ptr<const Sampler> make_sampler(std::int64_t size, const DataLoaderOptions& options);

/// Goes through a dataset in batches. Every loop is the next epoch, in a new order if it shuffles:
///
///   data::DataLoader loader(dataset, {.batch_size = 16, .shuffle = true, .seed = 7});
///   for (auto [x, y] : loader) …
///
/// The order depends on seed and epoch alone; set_epoch(n) resumes at epoch n. The loader must outlive its
/// loops.
template <Dataset D> class DataLoader {
 public:
  explicit DataLoader(D dataset, DataLoaderOptions options = {})
      : dataset_(std::move(dataset)),
        options_(options),
        sampler_(make_sampler(dataset_.size(), options)) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = std::ptrdiff_t;

    /// Gathers the batch, or waits for it.
    auto operator*() const {
      if (!ahead_) return loader_->batch(order_, batch_);
      ahead_->prefetcher->wait(batch_);
      return *ahead_->slot(batch_);
    }
    Iterator& operator++() {
      ++batch_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return batch_ == loader_->size(); }

   private:
    friend DataLoader;
    Iterator(const DataLoader* loader, Tensor order) : loader_(loader), order_(std::move(order)) {
      if (loader->options_.prefetch == 0) return;
      ahead_ = std::make_shared<Ahead>();
      ahead_->slots.resize(static_cast<std::size_t>(loader->options_.prefetch) + 1);
      ahead_->prefetcher.emplace(loader->size(), loader->options_.prefetch,
                                 [loader, order = order_, ahead = ahead_.get()](std::int64_t i) {
                                   ahead->slot(i).emplace(loader->batch(order, i));
                                 });
    }

    using Batch = decltype(std::declval<const D&>().get(std::declval<const Tensor&>()));
    /// What the other thread fills: the batch in use and those ahead of it, in turns.
    struct Ahead {
      std::vector<std::optional<Batch>> slots;
      std::optional<Prefetcher> prefetcher;  // goes first
      std::optional<Batch>& slot(std::int64_t i) {
        return slots[static_cast<std::size_t>(i) % slots.size()];
      }
    };

    const DataLoader* loader_;
    Tensor order_;
    std::int64_t batch_ = 0;
    std::shared_ptr<Ahead> ahead_;
  };

  Iterator begin() {
    Iterator first(this, sampler_->order(epoch_));
    ++epoch_;
    return first;
  }
  std::default_sentinel_t end() const { return {}; }

  /// Batches of an epoch.
  std::int64_t size() const {
    const std::int64_t full = sampler_->size() / options_.batch_size;
    const bool rest = sampler_->size() % options_.batch_size != 0;
    return full + (rest && !options_.drop_last);
  }
  std::int64_t epoch() const { return epoch_; }  ///< of the next loop
  void set_epoch(std::int64_t epoch) { epoch_ = epoch; }
  const D& dataset() const { return dataset_; }

 private:
  auto batch(const Tensor& order, std::int64_t i) const {
    const std::int64_t begin = i * options_.batch_size;
    return dataset_.get(order.slice(0, begin, std::min(begin + options_.batch_size, order.numel())));
  }

  D dataset_;
  DataLoaderOptions options_;
  std::shared_ptr<const Sampler> sampler_;
  std::int64_t epoch_ = 0;
};

}  // namespace torchlight::data
#pragma GCC visibility pop
