#include "dispatch/args.h"

#include <algorithm>
#include <cstring>

namespace torchlight::dispatch {

AnyArgs copy_of(const tl_args& args) {
  AnyArgs copy;
  std::memcpy(&copy, &args, std::min<std::size_t>(args.size, sizeof copy));
  return copy;
}

std::vector<Slot> slots_of(Primitive primitive, AnyArgs& a) {
  switch (primitive) {
    case Primitive::map: return {{&a.map.input, false}, {&a.map.output, true}};
    case Primitive::zip:
      return {{&a.zip.inputs[0], false},
              {&a.zip.inputs[1], false},
              {&a.zip.inputs[2], false},
              {&a.zip.output, true}};
    case Primitive::reduce: return {{&a.reduce.input, false}, {&a.reduce.output, true}};
    case Primitive::matmul:
      return {{&a.matmul.a, false},
              {&a.matmul.b, false},
              {&a.matmul.bias, false},
              {&a.matmul.output, true}};
    case Primitive::attn_softmax_fw:
      return {{&a.attn_softmax_fw.input, false},
              {&a.attn_softmax_fw.mask, false},
              {&a.attn_softmax_fw.output, true}};
    case Primitive::attn_softmax_bw:
      return {{&a.attn_softmax_bw.grad, false},
              {&a.attn_softmax_bw.soft, false},
              {&a.attn_softmax_bw.output, true}};
    case Primitive::layernorm_fw:
      return {{&a.layernorm_fw.input, false}, {&a.layernorm_fw.gamma, false},
              {&a.layernorm_fw.beta, false},  {&a.layernorm_fw.output, true},
              {&a.layernorm_fw.mean, true},   {&a.layernorm_fw.rstd, true}};
    case Primitive::layernorm_bw:
      return {{&a.layernorm_bw.grad, false},  {&a.layernorm_bw.input, false},
              {&a.layernorm_bw.gamma, false}, {&a.layernorm_bw.mean, false},
              {&a.layernorm_bw.rstd, false},  {&a.layernorm_bw.dinput, true},
              {&a.layernorm_bw.dgamma, true}, {&a.layernorm_bw.dbeta, true}};
    case Primitive::gather:
    case Primitive::scatter_add:
      return {{&a.index.source, false}, {&a.index.index, false}, {&a.index.output, true}};
    case Primitive::scan: return {{&a.scan.input, false}, {&a.scan.output, true}};
    case Primitive::random: return {{&a.random.output, true}};
    case Primitive::optim: return {};  // a list of views; composed where it is declined
  }
  return {};
}

}  // namespace torchlight::dispatch
