// A training run of any length takes the memory of its first steps.
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include <doctest/doctest.h>
#include <torchlight/torchlight.h>

#include "support/host_memory.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
namespace F = torchlight::nn::functional;
using tl::Tensor;

namespace {

#if defined(TORCHLIGHT_SANITIZED)
constexpr int all_steps = 180;                 // it is the accesses that count there, and
constexpr std::int64_t most_growth = 1 << 30;  // released memory is kept to catch whoever uses it
#else
constexpr int all_steps = 10'000;
constexpr std::int64_t most_growth = 2 << 20;
#endif

/// Pages of this process that are in memory.
std::int64_t resident_pages() {
  std::int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

/// A bit of everything: lookups, a recurrent layer with lengths, attention, normalisation, dropout, convolution.
struct Model : nn::Module {
  nn::Embedding& vectors = register_module("vectors", nn::Embedding(20, 8, {.padding_idx = 0}));
  nn::GRU& reader = register_module("reader", nn::GRU(8, 8, {.batch_first = true}));
  nn::MultiheadAttention& attention =
      register_module("attention", nn::MultiheadAttention(8, 2, {.batch_first = true}));
  nn::LayerNorm& norm = register_module("norm", nn::LayerNorm(8));
  nn::Conv1d& conv = register_module("conv", nn::Conv1d(8, 4, 3, {.padding = 1}));
  nn::BatchNorm1d& batch_norm = register_module("batch_norm", nn::BatchNorm1d(4));
  nn::Dropout& dropout = register_module("dropout", nn::Dropout(0.1));
  nn::Linear& output = register_module("output", nn::Linear(4, 3));

  Tensor forward(const Tensor& words) override {
    const Tensor lengths = (words != 0).sum(1).clamp(1, {});
    const Tensor read = reader(vectors(words), {}, lengths).output;
    const Tensor looked = norm(read + attention(read, read, read, {.is_causal = true}).output);
    const Tensor features = batch_norm(conv(looked.transpose(1, 2)).relu());
    return output(dropout(features.max(2)));
  }
};

/// How much more a run of this many steps takes at its end than after its first ones, in bytes.
struct Growth {
  std::int64_t in_use, peak, resident;
};

Growth train(int steps, std::vector<Tensor>* kept = nullptr) {
  tl::manual_seed(1);
  Model model;
  tl::optim::AdamW optimizer(model.parameters(), {.lr = 1e-3});
  tl::optim::CosineAnnealingLR schedule(optimizer, steps);
  const tl::data::TensorDataset examples(tl::randint(0, 20, {240, 5}), tl::randint(0, 3, {240}));
  tl::data::DataLoader loader(examples, {.batch_size = 8, .shuffle = true, .seed = 1, .prefetch = 2});

  tl::host_memory::Statistics first;
  std::int64_t pages = 0;
  for (int step = 0; step < steps;) {
    for (auto [words, labels] : loader) {
      const Tensor scores = model(words);
      const Tensor loss = F::cross_entropy(scores, labels);
      if (kept) kept->push_back(scores);
      optimizer.zero_grad();
      loss.backward({}, {.retain_graph = kept != nullptr});
      nn::utils::clip_grad_norm_(model.parameters(), 1);
      optimizer.step();
      schedule.step();
      ++step;
    }
    if (step == 90) first = tl::host_memory::statistics(), pages = resident_pages();
  }
  const tl::host_memory::Statistics end = tl::host_memory::statistics();
  const auto more = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); };
  return {more(end.in_use, first.in_use), more(end.peak, first.peak),
          (resident_pages() - pages) * sysconf(_SC_PAGESIZE)};
}

constexpr std::int64_t some_batches = 64 << 10;  // the loader's thread may be further by some batches

}  // namespace

TEST_CASE("10,000 training steps take the memory of the first ones") {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // the system may turn small pages into a huge one at any time
  const Growth growth = train(all_steps);
  CHECK(growth.in_use < some_batches);
  CHECK(growth.peak < some_batches);
  CHECK(growth.resident < most_growth);
}

TEST_CASE("a run that keeps what it computed takes more with each step") {  // the control
  std::vector<Tensor> kept;
  CHECK(train(300, &kept).in_use > some_batches);
}
