#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "output.h"

namespace command {

/// Something that the user should have said differently, nearly always found before any work: exit status 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Exit statuses.
enum Status { done = 0, failed = 1, bad_input = 2, stopped = 128 /* + the signal */ };

/// What each project takes; its own defaults are in the table of projects.
struct TrainOptions {
  std::string out;
  std::int64_t epochs = 20;
  std::int64_t batch = 16;
  double lr = 2e-3;
  std::string input_column = {}, target_column = {};  ///< of a table that the user gives
  std::uint64_t seed = 0;
  std::string device = {};  ///< empty: the default device
  std::string data = {};    ///< empty: the file that comes with the program
};

struct PredictOptions {
  std::string device;
  std::string data;
  std::string weights = "digits.safetensors";
  std::int64_t count = 3;
  std::vector<std::int64_t> indices;  ///< instead of the first `count` that training held out
  std::uint64_t seed = 0;
};

struct VerifyOptions {
  std::vector<std::string> files;
  std::string part;  ///< empty: all
  std::string only;  ///< cases whose name contains this; empty: everything
  std::uint64_t random = 10'000;
  std::optional<std::uint64_t> seed;  ///< of all values; drawn where none is given
  bool hide_seed = false;
  bool complete = false;  ///< declining what the contract lists is a failure
  bool speed = true;
  double patience = 120;  ///< seconds in which something must go on
  std::string json;
};

/// One part of it in a process of its own; not for people.
struct VerifyPartOptions {
  std::string file, part, json, activity;
};

struct NewPluginOptions {
  std::string name;
  std::string folder;          ///< empty: the name
  std::string language = "c";  ///< or c++
};

// Each gives the exit status.
int new_plugin(Output& out, const NewPluginOptions& options);
/// Hands over to the twin's own program; comes back only where there is none, by an exception.
[[noreturn]] void twin(char** words);
int verify(Output& out, const VerifyOptions& options);
int devices(Output& out, bool quick);
int train_digits(Output& out, const TrainOptions& options);
int train_breast_cancer(Output& out, const TrainOptions& options);
int train_autoencoder(Output& out, const TrainOptions& options);
int train_sentiment(Output& out, const TrainOptions& options);
int train_seq2seq(Output& out, const TrainOptions& options);
int predict(Output& out, const PredictOptions& options);

}  // namespace command
