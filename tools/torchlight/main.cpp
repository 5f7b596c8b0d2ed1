#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <exception>

#include <torchlight/error.h>
#include <torchlight/version.h>

#include "commands.h"
#include "verify/core_parts.h"

namespace {

using namespace command;

// A check of our own on the whole text, as CLI11 takes "-1" for a huge unsigned number and "" for 0.
template <class T>
CLI::Validator number(const char* name, bool (*good)(T), const std::string& complaint) {
  const auto check = [=](const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && good(value) ? std::string() : "\"" + text + "\" is not " + complaint;
  };
  return CLI::Validator(check, name);
}

CLI::Validator count() {
  return number<std::int64_t>(
      "COUNT", [](std::int64_t n) { return n >= 1 && n <= 1'000'000; }, "a number from 1 to 1000000");
}
CLI::Validator positive() {
  return number<double>(
      "POSITIVE", [](double x) { return x > 0 && std::isfinite(x); }, "a positive number");
}
CLI::Validator seed() {
  return number<std::uint64_t>(
      "SEED", [](std::uint64_t) { return true; }, "a number from 0 to 2^64 - 1");
}

/// What `torchlight train NAME` knows.
struct Project {
  const char* name;
  const char* description;
  const char* data;  ///< what --data means
  int (*train)(Output& out, const TrainOptions& options);
  TrainOptions options;  ///< as they are if nothing is said
  struct Column {
    const char *option, *description;
  } input = {}, target = {};  ///< where the data is a table of texts

  bool needs_data() const { return input.option != nullptr; }
};

constexpr const char* own_digits = "Other digits than those that come with the program (.csv, .csv.gz)";
constexpr const char* own_table = "A table of texts: .csv, or .tsv with tabs; maybe .gz";

std::vector<Project> projects() {
  return {
      {"digits",
       "Learn to read handwritten digits",
       own_digits,
       train_digits,
       {.out = "digits.safetensors", .epochs = 20, .batch = 16, .lr = 2e-3}},
      {"breast-cancer",
       "Learn to tell malignant from benign tumours",
       "Other tumours than those that come with the program (.csv, .csv.gz)",
       train_breast_cancer,
       {.out = "breast-cancer.safetensors", .epochs = 60, .batch = 16, .lr = 2e-3}},
      {"autoencoder",
       "Learn to paint handwritten digits from a few numbers",
       own_digits,
       train_autoencoder,
       {.out = "autoencoder.safetensors", .epochs = 60, .batch = 16, .lr = 2e-3}},
      {"sentiment",
       "Learn to which class a text belongs",
       own_table,
       train_sentiment,
       {.out = "sentiment.safetensors",
        .epochs = 10,
        .batch = 32,
        .lr = 5e-3,
        .input_column = "text",
        .target_column = "label"},
       {"--text", "Column of the texts, by name or number"},
       {"--label", "Column of the classes, by name or number"}},
      {"seq2seq",
       "Learn to translate sentences",
       own_table,
       train_seq2seq,
       {.out = "seq2seq.safetensors",
        .epochs = 20,
        .batch = 64,
        .lr = 2e-3,
        .input_column = "source",
        .target_column = "target"},
       {"--source", "Column of the sentences, by name or number"},
       {"--target", "Column of their translations, by name or number"}},
  };
}

void add_project(CLI::App& app, Project& project) {
  CLI::App& own = *app.add_subcommand(project.name, project.description);
  TrainOptions& options = project.options;
  own.add_option("--data", options.data, project.data)->required(project.needs_data());
  if (project.needs_data()) {
    own.add_option(project.input.option, options.input_column, project.input.description)
        ->capture_default_str();
    own.add_option(project.target.option, options.target_column, project.target.description)
        ->capture_default_str();
  }
  own.add_option("--device", options.device,
                 "Device, or a list of which the first that works is taken");
  own.add_option("--epochs", options.epochs, "How often to go through the examples")
      ->check(count())
      ->capture_default_str();
  own.add_option("--batch", options.batch, "Examples in a step")->check(count())->capture_default_str();
  own.add_option("--lr", options.lr, "Learning rate at the beginning")
      ->check(positive())
      ->capture_default_str();
  own.add_option("--seed", options.seed, "Fixes everything random")
      ->check(seed())
      ->capture_default_str();
  own.add_option("--out", options.out, "Where to save the weights")->capture_default_str();
}

void add_predict(CLI::App& app, PredictOptions& options) {
  app.add_option("--weights", options.weights, "What training saved")->capture_default_str();
  CLI::Option* how_many =
      app.add_option("--count", options.count, "How many of the held-out digits to show")
          ->check(count())
          ->capture_default_str();
  app.add_option("--index", options.indices, "Digits by their place in the data, from 0")
      ->excludes(how_many);
  app.add_option("--seed", options.seed, "The seed of training, which says what was held out")
      ->check(seed())
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "Device, or a list of which the first that works is taken");
  app.add_option("--data", options.data,
                 "Other digits than those that come with the program (.csv, .csv.gz)");
}

void add_verify(CLI::App& app, VerifyOptions& options) {
  app.add_option("FILE", options.files, "Plug-ins and kernel drop-ins")->required();
  app.add_option("--part", options.part, "Only this part, as a report names it");
  app.add_option("--case", options.only,
                 "Cases whose name contains this, without the parts above the table");
  app.add_option("--random", options.random, "How many random cases beside the listed ones")
      ->check(seed())
      ->capture_default_str();
  CLI::Option* const given =
      app.add_option("--seed", options.seed, "Of all values; drawn anew and shown if not given")
          ->check(seed());
  app.add_flag("--hide-seed", options.hide_seed, "Draw a seed and show it nowhere")->excludes(given);
  app.add_flag("--complete", options.complete, "Declining what the contract lists is a failure");
  app.add_flag("--speed,!--no-speed", options.speed, "Also show how fast operations are beside cpu");
  app.add_option("--patience", options.patience, "Seconds in which something must go on")
      ->check(positive())
      ->capture_default_str();
  app.add_option("--json", options.json, "Where to write the report");
}

void add_verify_part(CLI::App& app, VerifyPartOptions& options) {
  app.group("");  // not shown
  app.add_option("FILE", options.file)->required();
  app.add_option("--part", options.part)->required();
  app.add_option("--json", options.json)->required();
  app.add_option("--activity", options.activity)->required();
}

int run(int argc, char** argv, Output& out) {
  CLI::App app("Tensors, autograd and training on hardware that is chosen when the program runs",
               "torchlight");
  app.set_version_flag("--version", "torchlight " TORCHLIGHT_VERSION);
  std::vector<Project> all = projects();
  PredictOptions predicted;
  CLI::App* devices_command = app.add_subcommand("devices", "Show every device and every plug-in file");
  bool quick = false;
  devices_command->add_flag("--quick", quick, "Compile and try nothing that no call has wanted yet");
  CLI::App* train_command = app.add_subcommand("train", "Train a model");
  CLI::App* predict_command =
      app.add_subcommand("predict", "Show digits and what a trained model sees in them");
  for (Project& project : all) add_project(*train_command, project);
  add_predict(*predict_command, predicted);
  VerifyOptions verified;
  VerifyPartOptions part;
  CLI::App* verify_command =
      app.add_subcommand("verify", "Try everything that is asked of a plug-in or kernel drop-in");
  CLI::App* part_command = app.add_subcommand("verify-part");
  app.add_subcommand("twin", "Compile, run, check and judge CUDA kernels without a GPU");
  NewPluginOptions made;
  CLI::App* new_command = app.add_subcommand("new-plugin", "Start a plug-in of your own");
  new_command->add_option("NAME", made.name, "What its device is called")->required();
  new_command->add_option("--out", made.folder, "The folder to make; else it has the name");
  new_command->add_option("--language", made.language, "What it is written in")
      ->check(CLI::IsMember({"c", "c++"}))
      ->capture_default_str();
  add_verify(*verify_command, verified);
  add_verify_part(*part_command, part);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    out.line(version.what());
    return done;
  } catch (const CLI::CallForHelp&) {
    out.lines(app.help());
    return done;
  } catch (const CLI::ParseError& error) {
    throw BadInput(torchlight::printable(error.what()) + " (--help says more)");
  }
  if (devices_command->parsed()) return devices(out, quick);
  if (predict_command->parsed()) return predict(out, predicted);
  if (new_command->parsed()) return new_plugin(out, made);
  if (verify_command->parsed()) return verify(out, verified);
  if (part_command->parsed()) return verify_part(part);
  std::string names;
  for (const Project& project : all) {
    if (train_command->got_subcommand(project.name)) return project.train(out, project.options);
    names += (names.empty() ? "" : ", ") + std::string(project.name);
  }
  if (train_command->parsed())
    throw BadInput("say what to train: " + names + " (train --help says more)");
  throw BadInput("say what to do: devices, train " + std::string(all[0].name) +
                 ", predict, verify or twin (--help says more)");
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  Output out;
  try {
    if (argc > 1 && argv[1] == std::string("twin")) twin(argv + 1);
    const int status = run(argc, argv, out);
    return status == done && out.lost() ? failed : status;
  } catch (const BadInput& error) {
    out.complain(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    out.complain(error.what());
    return failed;
  }
}
