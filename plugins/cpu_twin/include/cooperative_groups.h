#pragma once

// Cooperative groups: a block, tiles of it, the threads that happen to run together, and the grid.

#include "cuda_runtime.h"

#if defined(__CUDA__)
#include "twin/cg/coalesced_group.h"
#include "twin/cg/grid_group.h"
#include "twin/cg/partition.h"
#include "twin/cg/thread_block.h"
#include "twin/cg/tile.h"
#endif
