#pragma once

/// Optimizers and learning rate schedules.
#include <torchlight/optim/adagrad.h>
#include <torchlight/optim/adam.h>
#include <torchlight/optim/lr_scheduler.h>
#include <torchlight/optim/reduce_lr_on_plateau.h>
#include <torchlight/optim/rmsprop.h>
#include <torchlight/optim/sgd.h>
