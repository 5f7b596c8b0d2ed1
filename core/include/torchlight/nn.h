#pragma once

/// Layers, losses and initialisation.
#include <torchlight/nn/activation.h>
#include <torchlight/nn/attention.h>
#include <torchlight/nn/batch_norm.h>
#include <torchlight/nn/clip_grad.h>
#include <torchlight/nn/conv.h>
#include <torchlight/nn/dropout.h>
#include <torchlight/nn/embedding.h>
#include <torchlight/nn/flatten.h>
#include <torchlight/nn/functional.h>
#include <torchlight/nn/init.h>
#include <torchlight/nn/linear.h>
#include <torchlight/nn/loss.h>
#include <torchlight/nn/module.h>
#include <torchlight/nn/module_list.h>
#include <torchlight/nn/normalization.h>
#include <torchlight/nn/pooling.h>
#include <torchlight/nn/recurrent.h>
#include <torchlight/nn/sequential.h>
#include <torchlight/nn/transformer.h>
