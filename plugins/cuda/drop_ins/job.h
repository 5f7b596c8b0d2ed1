#pragma once

#include <torchlight/plugin.h>

#include <functional>
#include <string>

#include "call.h"

/// From the ABI's calls to those that a launcher can do, and back.
namespace torchlight::drop_ins {

struct Job {
  std::string why_not;  ///< not empty: this isn't for a drop-in
  Call call;
  /// Puts the inputs into the call's buffers.
  std::function<void(float* const* buffers)> fill;
  /// Takes the outputs out of them. What is wrong with them, as a sentence about the drop-in, or
  /// nothing: in that case the call's own outputs are as they were.
  std::function<std::string(float* const* buffers)> collect;
};

/// The arguments are sound ones, by the rules of plugin.h; their memory is the host's, and is looked at
/// by fill and collect only. Inputs may have any strides.
Job job_of(const tl_attn_softmax_fw_args& args, const Form& form);
Job job_of(const tl_attn_softmax_bw_args& args, const Form& form);
Job job_of(const tl_layernorm_fw_args& args, const Form& form);
Job job_of(const tl_layernorm_bw_args& args, const Form& form);
Job job_of(const tl_map_args& args, const Form& form);
Job job_of(const tl_zip_args& args, const Form& form);
Job job_of(const tl_reduce_args& args, const Form& form);
Job job_of(const tl_matmul_args& args, const Form& form);

constexpr Op op_of(const tl_attn_softmax_fw_args&) { return Op::softmax_fw; }
constexpr Op op_of(const tl_attn_softmax_bw_args&) { return Op::softmax_bw; }
constexpr Op op_of(const tl_layernorm_fw_args&) { return Op::layernorm_fw; }
constexpr Op op_of(const tl_layernorm_bw_args&) { return Op::layernorm_bw; }
constexpr Op op_of(const tl_map_args&) { return Op::map; }
constexpr Op op_of(const tl_zip_args&) { return Op::zip; }
constexpr Op op_of(const tl_reduce_args&) { return Op::reduce; }
constexpr Op op_of(const tl_matmul_args&) { return Op::matmul; }

}  // namespace torchlight::drop_ins
