#include <CLI/CLI.hpp>
#include <cmath>
#include <exception>

#include <torchlight/error.h>
#include <torchlight/version.h>

#include "commands.h"

namespace {

using namespace command;

CLI::Validator positive_number() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value);
    return good ? std::string() : text + " is not a positive number";
  };
  return CLI::Validator(check, "POSITIVE");
}

void add_train(CLI::App& app, TrainOptions& options) {
  app.require_subcommand(1);
  CLI::App& digits = *app.add_subcommand("digits", "Learn handwritten digits");
  const CLI::Range count(1, 1'000'000);
  digits.add_option("--device", options.device,
                    "Device, or a list of which the first that works is taken");
  digits.add_option("--epochs", options.epochs, "How often to go through the digits")
      ->check(count)
      ->capture_default_str();
  digits.add_option("--batch", options.batch, "Digits in a step")->check(count)->capture_default_str();
  digits.add_option("--lr", options.lr, "Learning rate at the beginning")
      ->check(positive_number())
      ->capture_default_str();
  digits.add_option("--seed", options.seed, "Fixes everything random")->capture_default_str();
  digits.add_option("--out", options.out, "Where to save the weights")->capture_default_str();
  digits.add_option("--data", options.data,
                    "Other digits than those that come with the program (.csv, .csv.gz)");
}

void add_predict(CLI::App& app, PredictOptions& options) {
  app.add_option("--weights", options.weights, "What training saved")->capture_default_str();
  CLI::Option* count =
      app.add_option("--count", options.count, "How many of the held-out digits to show")
          ->check(CLI::Range(1, 1'000'000))
          ->capture_default_str();
  app.add_option("--index", options.indices, "Digits by their place in the data, from 0")
      ->excludes(count);
  app.add_option("--seed", options.seed, "The seed of training, which says what was held out")
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
  app.require_subcommand(1);
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
    out.line(app.help());
    return done;
  } catch (const CLI::ParseError& error) {
    throw BadInput(std::string(error.what()) + " (--help says more)");
  }
  if (devices_command->parsed()) return devices(out);
  if (predict_command->parsed()) return predict(out, predicted);
  return train_digits(out, train);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  Output out;
  try {
    const int status = run(argc, argv, out);
    return status == done && out.lost() ? failed : status;
  } catch (const BadInput& error) {
    complain(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return failed;
  }
}
