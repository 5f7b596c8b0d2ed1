#include "verify/core_parts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include <torchlight/torchlight.h>
#include <nlohmann/json.hpp>

#include "text.h"
#include "verify/drop_in.h"

namespace command {
namespace {

namespace tl = torchlight;
namespace nn = tl::nn;
namespace F = tl::nn::functional;
using Json = nlohmann::ordered_json;

/// What the parent looks at to see that something goes on.
class Activity {
 public:
  explicit Activity(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {}
  void operator()(const std::string& text) {
    static_cast<void>(!::pwrite(file_, text.c_str(), text.size() + 1, 0));
  }

 private:
  int file_;
};

/// The result of a part, in the form of the conformance runner's.
struct Found {
  Json failures = Json::array();
  Json notes = Json::object();
  std::uint64_t done = 0;

  void check(const std::string& name, bool right, const std::string& text) {
    if (right)
      ++done;
    else
      failures.push_back({{"case", name}, {"check", "core"}, {"text", text}});
  }
};

tl::Device open(const std::string& file) {
  const std::string name = tl::load_plugin(file);
  return name == "cpu_simd" ? tl::Device("cpu") : tl::Device(name);  // that device's own name
}

void identity(tl::Device device, Found& found) {
  const tl::Tensor x = tl::ones({2, 3}, {.device = device});
  const double sum = ((x + x) * 2).exp().sum().to("cpu").item<double>();
  found.check("identity/sum_of_exp", std::abs(sum - 6 * std::exp(4.0)) < 1e-3,
              format("6 exp(4) is %g, the device says %g", 6 * std::exp(4.0), sum));
  found.notes["device"] = device.name();
}

/// What the file is used for, with limits; a file of which nothing is used fails.
void drop_in(const std::string& file, Found& found) {
  const DropInReport report = examine_drop_in(file);
  found.check("drop_in", report.refusal.empty(), report.refusal);
  for (const auto& [primitive, route] : report.routes) found.notes[primitive] = route;
}

/// What is differentiated: through each primitive at least once, forward and backward.
struct Differentiable {
  const char* name;
  std::function<tl::Tensor(const std::vector<tl::Tensor>&)> run;
};

const std::vector<Differentiable>& differentiable() {
  using Inputs = const std::vector<tl::Tensor>&;
  static const auto* const all = new std::vector<Differentiable>{
      {"map/exp", [](Inputs x) { return x[0].exp(); }},
      {"map/log", [](Inputs x) { return x[0].log(); }},
      {"map/sqrt", [](Inputs x) { return x[0].sqrt(); }},
      {"map/tanh", [](Inputs x) { return x[0].tanh(); }},
      {"map/sigmoid", [](Inputs x) { return x[0].sigmoid(); }},
      {"map/gelu", [](Inputs x) { return F::gelu(x[0]); }},
      {"map/silu", [](Inputs x) { return F::silu(x[0]); }},
      {"map/reciprocal", [](Inputs x) { return x[0].reciprocal(); }},
      {"zip/add", [](Inputs x) { return x[0] + x[1]; }},
      {"zip/mul", [](Inputs x) { return x[0] * x[1]; }},
      {"zip/div", [](Inputs x) { return x[0] / x[1]; }},
      {"zip/pow", [](Inputs x) { return x[0].pow(x[1]); }},
      {"zip/maximum", [](Inputs x) { return tl::maximum(x[0], x[1] * 2); }},
      {"reduce/sum", [](Inputs x) { return x[0].sum(1).square(); }},
      {"reduce/mean", [](Inputs x) { return x[0].mean(0).square(); }},
      {"reduce/max", [](Inputs x) { return x[0].max(1, true).square(); }},
      {"reduce/prod", [](Inputs x) { return x[0].prod(1); }},
      {"matmul", [](Inputs x) { return x[0].matmul(x[1].t()); }},
      {"attn_softmax", [](Inputs x) { return x[0].softmax(1) * x[1]; }},
      {"log_softmax", [](Inputs x) { return x[0].log_softmax(1) * x[1]; }},
      {"layernorm", [](Inputs x) { return tl::layer_norm(x[0], {5}, x[1][0], x[1][1]) * x[0]; }},
      {"gather",
       [](Inputs x) {
         const tl::Tensor rows = tl::tensor({2, 0, 2, 2}, {.dtype = tl::int64, .device = "cpu"});
         return x[0].index_select(0, rows.to(x[0].device())).square();
       }},
      {"scan/cumsum", [](Inputs x) { return x[0].cumsum(1).square(); }}};
  return *all;
}

void gradients(tl::Device device, Activity& activity, Found& found) {
  for (const Differentiable& one : differentiable()) {
    activity(std::string("gradients/") + one.name);
    std::vector<tl::Tensor> inputs;
    for (double from : {0.5, 0.9}) {  // positive, apart from each other, and no two alike
      std::vector<double> values;
      for (int i = 0; i < 15; ++i) values.push_back(from + i * 7 % 15 / 15.0);
      const tl::Tensor x = tl::tensor(values, {.device = "cpu"}).reshape({3, 5});
      inputs.push_back(x.to(device).requires_grad_());
    }
    std::string wrong;
    try {
      tl::gradcheck(one.run, inputs);
    } catch (const tl::Error& error) {
      wrong = error.what();
    }
    found.check(std::string("gradients/") + one.name, wrong.empty(), wrong);
  }
}

/// A bit of what networks are made of.
struct Network : nn::Module {
  nn::Linear& input = register_module("input", nn::Linear(12, 16));
  nn::MultiheadAttention& attention =
      register_module("attention", nn::MultiheadAttention(16, 2, {.batch_first = true}));
  nn::LayerNorm& norm = register_module("norm", nn::LayerNorm(16));
  nn::Linear& output = register_module("output", nn::Linear(16, 4));

  tl::Tensor forward(const tl::Tensor& x) override {
    const tl::Tensor h = F::gelu(input(x));
    const tl::Tensor looked = norm(h + attention(h, h, h, {.is_causal = true}).output);
    return output(looked.mean(1));
  }
};

struct Run {
  std::vector<double> losses;
  tl::StateDict gradients;  // of the first step
};

Run train(tl::Device device, Activity& activity) {
  tl::manual_seed(1);
  Network model;
  const tl::Tensor x = tl::randn({8, 5, 12}, {.device = "cpu"}).to(device);
  const tl::Tensor labels = tl::randint(0, 4, {8}, {.device = "cpu"}).to(device);
  model.to(device);
  tl::optim::AdamW optimizer(model.parameters(), {.lr = 1e-2});
  Run run;
  for (int step = 0; step < 20; ++step) {
    activity(format("training, step %d on %s", step, device.name().c_str()));
    const tl::Tensor loss = F::cross_entropy(model(x), labels);
    optimizer.zero_grad();
    loss.backward();
    if (step == 0)
      for (const auto& [name, parameter] : model.named_parameters())
        run.gradients.push_back({name, parameter.grad().to("cpu").clone()});
    optimizer.step();
    run.losses.push_back(loss.to("cpu").item<double>());
  }
  return run;
}

void training(tl::Device device, Activity& activity, Found& found) {
  tl::set_default_device("cpu");
  const Run wanted = train("cpu", activity), got = train(device, activity);
  for (std::size_t i = 0; i < wanted.gradients.size(); ++i) {
    const tl::Tensor &a = wanted.gradients[i].tensor, &b = got.gradients[i].tensor;
    const double largest = a.abs().max().item<double>(), off = (a - b).abs().max().item<double>();
    found.check("training/gradient/" + wanted.gradients[i].name, off <= 1e-4 * largest + 1e-6,
                format("differs by %g from cpu's, whose largest element is %g", off, largest));
  }
  for (std::size_t i = 0; i < wanted.losses.size(); ++i)
    found.check(format("training/loss/%zu", i),
                std::abs(wanted.losses[i] - got.losses[i]) <= 1e-3 * std::abs(wanted.losses[i]) + 1e-6,
                format("is %g, on cpu %g", got.losses[i], wanted.losses[i]));
  Json fallbacks = Json::array();
  for (const tl::DeviceReport& report : tl::list_devices())
    if (report.name == device.name())
      for (const std::string& fallback : report.fallbacks) fallbacks.push_back(fallback);
  found.notes["done on cpu"] = fallbacks;
}

/// What each thread computes: (n) numbers.
std::vector<float> one_result(tl::Device device, int which) {
  const tl::no_grad guard;
  const tl::Tensor x =
      (tl::arange(600, {.dtype = tl::float32, .device = "cpu"}).reshape({20, 30}) / 300 + which)
          .to(device);
  const tl::Tensor y = x.matmul(x.t()).softmax(1) + x.sum(1, true).tanh();
  return y.to("cpu").to_vector<float>();
}

void threads(tl::Device device, Activity& activity, Found& found) {
  constexpr int count = 4, rounds = 50;
  std::vector<std::vector<float>> wanted;
  for (int i = 0; i < count; ++i) wanted.push_back(one_result(device, i));
  std::atomic<int> wrong{0};
  std::vector<std::string> errors(count);
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < count; ++i)
      all.emplace_back([&, i] {
        try {
          for (int round = 0; round < rounds; ++round)
            if (one_result(device, i) != wanted[static_cast<std::size_t>(i)]) ++wrong;
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(i)] = error.what();
        }
      });
    activity("threads");
  }
  found.check(
      "threads/values", wrong == 0,
      format("%d of %d results of threads differ from those of one", wrong.load(), count * rounds));
  for (int i = 0; i < count; ++i)
    found.check(format("threads/errors/%d", i), errors[static_cast<std::size_t>(i)].empty(),
                errors[static_cast<std::size_t>(i)]);
}

void run_part(const VerifyPartOptions& options, Activity& activity, Found& found) {
  if (options.part == "drop_in") return drop_in(options.file, found);
  const tl::Device device = open(options.file);
  activity(options.part);
  if (options.part == "identity") identity(device, found);
  if (options.part == "gradients") gradients(device, activity, found);
  if (options.part == "training") training(device, activity, found);
  if (options.part == "threads") threads(device, activity, found);
}

}  // namespace

int verify_part(const VerifyPartOptions& options) {
  Activity activity(options.activity);
  Found found;
  ::setenv("TORCHLIGHT_FALLBACK", "allow", 1);  // what falls back is listed
  try {
    run_part(options, activity, found);
  } catch (const std::exception& error) {
    found.failures.push_back({{"case", options.part}, {"check", "core"}, {"text", error.what()}});
  }
  const Json report{{"passed", found.failures.empty()},
                    {"done", found.done},
                    {"declined", 0},
                    {"failures", found.failures},
                    {"notes", found.notes}};
  std::ofstream(options.json) << report;
  return found.failures.empty() ? done : failed;
}

}  // namespace command
