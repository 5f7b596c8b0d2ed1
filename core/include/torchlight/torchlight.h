#pragma once

/// Everything of Torchlight in one include:
///   namespace tl = torchlight;
#include <torchlight/autograd.h>
#include <torchlight/backend.h>
#include <torchlight/device.h>
#include <torchlight/dtype.h>
#include <torchlight/error.h>
#include <torchlight/ops.h>
#include <torchlight/random.h>
#include <torchlight/shape.h>
#include <torchlight/tensor.h>
#include <torchlight/threads.h>
#include <torchlight/version.h>
