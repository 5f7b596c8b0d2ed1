#pragma once

#include <torchlight/plugin.h>

#include <string>

#include "wire.h"

namespace torchlight::drop_ins {

/// Compiles a `.cu` into a shared object, given by the plug-in: nvcc for cuda, its own compiler for
/// cpu_twin. `so_path` says where it is to stand, and afterwards where it stands. Called by one thread
/// at a time, seldom.
using Compile = bool (*)(const char* cu_path, std::string* so_path, std::string* error);

struct Options {
  std::string directories;  ///< TORCHLIGHT_CUDA_KERNEL_DIR
  std::string installed;    ///< lib/torchlight/cuda_kernels; empty: none
  std::string helper;       ///< libexec/torchlight/drop-in-host; empty: looked for and not found
  std::string cache;        ///< where `compile` puts what it made; empty: sources aren't compiled
  Compile compile = nullptr;
  std::string compiler;    ///< which, of which version, for which device: part of the cache's keys
  bool off = false;        ///< TORCHLIGHT_DROP_INS=off
  bool trust_all = false;  ///< TORCHLIGHT_TRUST_ALL=1
  Limits limits;
  Limits source_limits;  ///< of what `compile` made: kernels may be compiled when they are launched
};

/// From the core's settings, and from where the plug-in's own file lies: `anchor` is the address of
/// anything in it. In an elevated process nothing that the environment names counts.
Options options_from(const tl_host& host, const void* anchor);

}  // namespace torchlight::drop_ins
