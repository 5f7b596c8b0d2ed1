#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <exception>

#include <torchlight/error.h>
#include <torchlight/version.h>

#include "commands.h"

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

void add_train(CLI::App& app, TrainOptions& options) {
  CLI::App& digits = *app.add_subcommand("digits", "Learn handwritten digits");
  digits.add_option("--device", options.device,
                    "Device, or a list of which the first that works is taken");
  digits.add_option("--epochs", options.epochs, "How often to go through the digits")
      ->check(count())
      ->capture_default_str();
  digits.add_option("--batch", options.batch, "Digits in a step")
      ->check(count())
      ->capture_default_str();
  digits.add_option("--lr", options.lr, "Learning rate at the beginning")
      ->check(positive())
      ->capture_default_str();
  digits.add_option("--seed", options.seed, "Fixes everything random")
      ->check(seed())
      ->capture_default_str();
  digits.add_option("--out", options.out, "Where to save the weights")->capture_default_str();
  digits.add_option("--data", options.data,
                    "Other digits than those that come with the program (.csv, .csv.gz)");
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

int run(int argc, char** argv, Output& out) {
  CLI::App app("Tensors, autograd and training on hardware that is chosen when the program runs",
               "torchlight");
  app.set_version_flag("--version", "torchlight " TORCHLIGHT_VERSION);
  TrainOptions train;
  PredictOptions predicted;
  CLI::App* devices_command = app.add_subcommand("devices", "Show every device and every plug-in file");
  CLI::App* train_command = app.add_subcommand("train", "Train a model");
  CLI::App* predict_command =
      app.add_subcommand("predict", "Show digits and what a trained model sees in them");
  add_train(*train_command, train);
  add_predict(*predict_command, predicted);

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
  if (devices_command->parsed()) return devices(out);
  if (predict_command->parsed()) return predict(out, predicted);
  if (train_command->got_subcommand("digits")) return train_digits(out, train);
  throw BadInput("say what to do: devices, train digits or predict (--help says more)");
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  Output out;
  try {
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
