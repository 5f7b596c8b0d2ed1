#pragma once

/// The layers and losses as functions of their inputs and weights: namespace torchlight::nn::functional.
#include <torchlight/nn/functional/activation.h>
#include <torchlight/nn/functional/attention.h>
#include <torchlight/nn/functional/layers.h>
#include <torchlight/nn/functional/losses.h>
#include <torchlight/nn/functional/masked.h>
#include <torchlight/nn/functional/normalization.h>
#include <torchlight/nn/functional/pad.h>
