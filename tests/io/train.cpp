// io_train SEED STEPS FROM|- TO: trains so many steps, from a checkpoint or from the start, and saves one.
#include <iostream>
#include <string>

#include "training_run.h"

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    torchlight::manual_seed(std::stoull(arguments[1]));
    torchlight::test::TrainingRun run;
    if (std::string(arguments[3]) != "-") run.state.load(arguments[3]);
    run.train(std::stoi(arguments[2]));
    run.state.save(arguments[4]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
