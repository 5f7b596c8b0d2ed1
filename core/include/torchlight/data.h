#pragma once

/// Datasets, batches and files of numbers.
#include <torchlight/data/csv.h>
#include <torchlight/data/data_loader.h>
#include <torchlight/data/dataset.h>
#include <torchlight/data/idx.h>
#include <torchlight/data/problems.h>
#include <torchlight/data/sampler.h>
#include <torchlight/data/text.h>
