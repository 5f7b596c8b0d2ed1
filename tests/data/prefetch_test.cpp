#include <atomic>
#include <thread>

#include <torchlight/autograd.h>
#include <torchlight/data.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace data = torchlight::data;
using tl::test::error_of, tl::test::says;

namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

data::TensorDataset<1> numbers(std::int64_t count) {
  return data::TensorDataset(tl::arange(static_cast<double>(count)));
}

template <class Loader> Batches epoch_of(Loader& loader) {
  Batches batches;
  for (auto [x] : loader) batches.push_back(x.template to_vector<std::int64_t>());
  return batches;
}

/// Counts what is asked of it, and fails at one example if a test wants so.
struct Watched {
  std::shared_ptr<std::atomic<int>> gathered = std::make_shared<std::atomic<int>>(0);
  std::int64_t bad = -1;
  std::int64_t size() const { return 100; }
  tl::Tensor get(const tl::Tensor& indices) const {
    for (const std::int64_t i : indices.to_vector<std::int64_t>())
      if (i == bad) throw tl::FileError("example 42 is damaged");
    ++*gathered;
    return indices;
  }
};

}  // namespace

TEST_CASE("prefetch: the same batches in the same order as without, epoch after epoch") {
  for (const std::int64_t prefetch : {1, 2, 50}) {
    data::DataLoader plain(numbers(23), {.batch_size = 4, .shuffle = true, .seed = 5});
    data::DataLoader ahead(numbers(23),
                           {.batch_size = 4, .shuffle = true, .seed = 5, .prefetch = prefetch});
    CHECK(epoch_of(ahead) == epoch_of(plain));
    CHECK(epoch_of(ahead) == epoch_of(plain));
  }
  data::DataLoader nothing(numbers(0), {.prefetch = 2});
  CHECK(epoch_of(nothing).empty());
}

TEST_CASE("prefetch: no more is gathered than asked for, and a loop may be left early") {
  const Watched dataset;
  data::DataLoader loader(dataset, {.batch_size = 10, .prefetch = 2});
  for (const tl::Tensor& batch : loader) {
    CHECK(batch.numel() == 10);
    break;
  }
  CHECK(*dataset.gathered <= 3);
  CHECK(*dataset.gathered >= 1);
}

TEST_CASE("prefetch: an error of the dataset comes with its batch, not before") {
  for (const std::int64_t prefetch : {0, 3}) {
    data::DataLoader loader(Watched{.bad = 42}, {.batch_size = 10, .prefetch = prefetch});
    int batches = 0;
    const std::string error = error_of([&] {
      for (const tl::Tensor& batch : loader) batches += batch.numel() == 10;
    });
    CHECK(says(error, "example 42"));
    CHECK(batches == 4);
  }
}

TEST_CASE("prefetch: history is recorded, or not, as where the loop stands") {
  tl::Tensor x = tl::rand({8}).requires_grad_();
  const data::TensorDataset dataset(x);
  data::DataLoader loader(dataset, {.batch_size = 4, .prefetch = 1});
  for (auto [batch] : loader) CHECK(batch.requires_grad());
  const tl::no_grad guard;
  for (auto [batch] : loader) CHECK_FALSE(batch.requires_grad());
}

TEST_CASE("loader: a sampler decides which examples and in which order") {
  struct Backwards : data::Sampler {
    std::int64_t size() const override { return 3; }
    tl::Tensor order(std::int64_t epoch) const override {
      return tl::tensor(std::vector<std::int64_t>{2 + epoch, 1 + epoch, epoch});
    }
  };
  data::DataLoader loader(numbers(9), {.batch_size = 2, .sampler = std::make_shared<Backwards>()});
  CHECK(loader.size() == 2);
  CHECK(epoch_of(loader) == Batches{{2, 1}, {0}});
  CHECK(epoch_of(loader) == Batches{{3, 2}, {1}});
  CHECK(says(error_of([] {
               data::DataLoader(numbers(9),
                                {.shuffle = true, .sampler = std::make_shared<Backwards>()});
             }),
             "sampler", "shuffle"));
  CHECK(says(error_of([] { data::DataLoader(numbers(9), {.prefetch = -1}); }), "prefetch", "-1"));
}
