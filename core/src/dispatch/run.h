#pragma once

#include <cstdint>

#include "loader/open_device.h"

/// The choke point: every computation of every tensor passes here on its way to a plug-in. Here a device
/// proves itself before first use, gets the scratch memory it asks for, may decline, and is then stood
/// in for by `cpu` under the policy TORCHLIGHT_FALLBACK.
namespace torchlight::dispatch {

using loader::OpenDevice;

/// The table's primitives under the ABI's ids, then the functions of the extensions.
enum class Primitive : std::uint32_t {
  map = TL_PRIMITIVE_MAP,
  zip = TL_PRIMITIVE_ZIP,
  reduce = TL_PRIMITIVE_REDUCE,
  matmul = TL_PRIMITIVE_MATMUL,
  attn_softmax_fw = TL_PRIMITIVE_ATTN_SOFTMAX_FW,
  attn_softmax_bw = TL_PRIMITIVE_ATTN_SOFTMAX_BW,
  layernorm_fw = TL_PRIMITIVE_LAYERNORM_FW,
  layernorm_bw = TL_PRIMITIVE_LAYERNORM_BW,
  gather,
  scatter_add,
  scan,
  random,
  optim,
};

/// One call: which primitive, for whose sake (the operation's name in messages), with which arguments.
struct Call {
  Primitive primitive;
  const char* operation;
  tl_args* args;  ///< the head of the primitive's own argument struct
};

/// Runs the call, on the device or, where that declines, on cpu. Error if it fails or policy forbids it.
void run(OpenDevice& device, const Call& call);

/// Runs the call if the device offers it. False where it declines: nothing was changed, compose it.
bool try_run(OpenDevice& device, const Call& call);

/// Whether the device lets this call write its output over an input that is the very same view.
bool allows_in_place(OpenDevice& device, const Call& call);

}  // namespace torchlight::dispatch
