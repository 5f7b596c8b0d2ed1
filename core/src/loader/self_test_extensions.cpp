#include "loader/call.h"
#include "loader/self_test_cases.h"

namespace torchlight::loader {
namespace {

template <class T> void test_gather(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_index_args>();
  args.source = trial.input<T>({10, 20, 30}, {3});
  args.index = trial.input<std::int64_t>({2, 0}, {2});
  args.output = trial.output<T>({2});
  if (trial.run(primitive_gather, args.head, of<T>("gather"))) trial.expect<T>(args.output, {30, 10});
}

template <class T> void test_scatter_add(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_index_args>();
  args.source = trial.input<T>({5, 6, 7}, {3});
  args.index = trial.input<std::int64_t>({2, 0, 2}, {3});
  args.output = trial.input<T>({1, 1, 1}, {3});
  if (trial.run(primitive_scatter_add, args.head, of<T>("scatter_add")))
    trial.expect<T>(args.output, {7, 1, 13});
}

template <class T> void test_scan(OpenDevice& device) {
  Trial trial(device);
  auto args = filled<tl_scan_args>(TL_REDUCE_sum);
  args.input = trial.input<T>({1, 2, 4, 8}, {2, 2});
  args.output = trial.output<T>({2, 2});
  args.axis = 1;
  if (trial.run(primitive_scan, args.head, of<T>("scan sum")))
    trial.expect<T>(args.output, {1, 3, 4, 12});
}

/// Philox4x32-10 of key 0 and counter 0 starts with these words.
template <class T> void test_random(OpenDevice& device) {
  constexpr std::uint64_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  std::vector<T> expected;
  for (int i = 0; i < 2; ++i)
    expected.push_back(
        sizeof(T) == sizeof(float)
            ? static_cast<T>(static_cast<double>(words[i] >> 8) * 0x1p-24)
            : static_cast<T>(static_cast<double>((words[2 * i] | words[2 * i + 1] << 32) >> 11) *
                             0x1p-53));
  Trial trial(device);
  auto args = filled<tl_random_args>();
  args.distribution = TL_RANDOM_UNIFORM;
  args.output = trial.output<T>({2});
  args.params[1] = 1;
  if (trial.run(primitive_random, args.head, of<T>("random uniform")))
    trial.expect(args.output, expected);
}

/// A step of one parameter [1, -2, 4] with the gradient [0.5, 1, -2], lr 0.5, weight decay 0.25, and 0.5 for each
/// of the other numbers. `state` is what is remembered before, one after the other.
struct OptimCase {
  const char* name;
  std::uint32_t fn, flags;
  std::vector<double> state0, state1;
  std::vector<double> new_param, new_state0, new_state1;
};

template <class T> std::vector<T> as(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

template <class T> void test_optim(OpenDevice& device, const OptimCase& c) {
  Trial trial(device);
  tl_optim_item item{};
  item.param = trial.input<T>({1, -2, 4}, {3});
  item.grad = trial.input<T>({T(0.5), 1, -2}, {3});
  item.state[0] = trial.input<T>(as<T>(c.state0), {3});
  if (!c.state1.empty()) item.state[1] = trial.input<T>(as<T>(c.state1), {3});
  auto args = filled<tl_optim_args>(c.fn);
  args.flags = c.flags;
  args.count = 1, args.item_size = sizeof item, args.items = &item;
  args.lr = args.momentum = args.beta1 = args.beta2 = args.correction1 = args.correction2 = 0.5;
  args.weight_decay = 0.25;
  if (!trial.run(primitive_optim, args.head, of<T>(c.name))) return;
  trial.expect<T>(item.param, as<T>(c.new_param), close);
  trial.expect<T>(item.state[0], as<T>(c.new_state0), close);
  if (!c.state1.empty()) trial.expect<T>(item.state[1], as<T>(c.new_state1), close);
}

template <class T> void test_optims(OpenDevice& device) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const OptimCase cases[] = {
      {"optim sgd", TL_OPTIM_SGD, 0, {1, 2, 3}, {}, {0.375, -2.75, 3.75}, {1.25, 1.5, 0.5}, {}},
      {"optim sgd, the first step",
       TL_OPTIM_SGD,
       TL_OPTIM_FIRST,
       {nan, nan, nan},
       {},
       {0.625, -2.25, 4.5},
       {0.75, 0.5, -1},
       {}},
      {"optim sgd by Nesterov",
       TL_OPTIM_SGD,
       TL_OPTIM_NESTEROV,
       {1, 2, 3},
       {},
       {0.3125, -2.625, 4.375},
       {1.25, 1.5, 0.5},
       {}},
      {"optim adam",
       TL_OPTIM_ADAM,
       0,
       {1, 2, 3},
       {1, 4, 16},
       {0.30000000000000004, -2.6063390625908323, 3.757464374963667},
       {0.875, 1.25, 1},
       {0.78125, 2.125, 8.5}},
      {"optim adamw",
       TL_OPTIM_ADAMW,
       0,
       {1, 2, 3},
       {1, 4, 16},
       {0.20417960675006308, -2.420820393249937, 3.3881966011250104},
       {0.75, 1.5, 0.5},
       {0.625, 2.5, 10}},
  };
  for (const OptimCase& c : cases) test_optim<T>(device, c);
}

}  // namespace

template <class T> void test_extension(OpenDevice& device, std::uint32_t primitive) {
  switch (primitive) {
    case primitive_gather: return test_gather<T>(device);
    case primitive_scatter_add: return test_scatter_add<T>(device);
    case primitive_scan: return test_scan<T>(device);
    case primitive_random: return test_random<T>(device);
    case primitive_optim: return test_optims<T>(device);
    default: return;
  }
}
template void test_extension<float>(OpenDevice& device, std::uint32_t primitive);
template void test_extension<double>(OpenDevice& device, std::uint32_t primitive);

}  // namespace torchlight::loader
