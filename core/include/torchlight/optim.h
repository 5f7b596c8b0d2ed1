#pragma once

/// Optimizers and learning rate schedules.
#include <torchlight/optim/adam.h>
#include <torchlight/optim/lr_scheduler.h>
#include <torchlight/optim/sgd.h>
