#pragma once

#include <cstdint>
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

struct TrainOptions {
  std::string device;  ///< empty: the default device
  std::string data;    ///< empty: the installed file
  std::string out = "digits.safetensors";
  std::int64_t epochs = 10;
  std::int64_t batch = 16;
  double lr = 2e-3;
  std::uint64_t seed = 0;
};

struct PredictOptions {
  std::string device;
  std::string data;
  std::string weights = "digits.safetensors";
  std::int64_t count = 3;
  std::vector<std::int64_t> indices;  ///< instead of the first `count` that training held out
  std::uint64_t seed = 0;
};

// Each gives the exit status.
int devices(Output& out);
int train_digits(Output& out, const TrainOptions& options);
int predict(Output& out, const PredictOptions& options);

}  // namespace command
