#pragma once

/// Everything of Torchlight in one include:
///   namespace tl = torchlight;
#include <torchlight/autograd.h>
#include <torchlight/backend.h>
#include <torchlight/data.h>
#include <torchlight/device.h>
#include <torchlight/dtype.h>
#include <torchlight/error.h>
#include <torchlight/io.h>
#include <torchlight/nn.h>
#include <torchlight/ops.h>
#include <torchlight/optim.h>
#include <torchlight/random.h>
#include <torchlight/shape.h>
#include <torchlight/state_dict.h>
#include <torchlight/tensor.h>
#include <torchlight/threads.h>
#include <torchlight/trace.h>
#include <torchlight/version.h>
