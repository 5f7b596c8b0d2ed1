#include "cases.h"

#include <set>

namespace torchlight::test {

std::vector<Case> map_cases();
std::vector<Case> zip_cases();
std::vector<Case> reduce_cases();
std::vector<Case> matmul_cases();
std::vector<Case> softmax_cases(Op op);
std::vector<Case> layernorm_cases(Op op);
std::vector<Case> index_cases(Op op);
std::vector<Case> scan_cases();
std::vector<Case> random_number_cases();
std::vector<Case> optim_cases();

namespace {

std::vector<Case> listed(Op op) {
  switch (op) {
    case Op::map: return map_cases();
    case Op::zip: return zip_cases();
    case Op::reduce: return reduce_cases();
    case Op::matmul: return matmul_cases();
    case Op::attn_softmax_fw:
    case Op::attn_softmax_bw: return softmax_cases(op);
    case Op::layernorm_fw:
    case Op::layernorm_bw: return layernorm_cases(op);
    case Op::gather:
    case Op::scatter_add: return index_cases(op);
    case Op::scan: return scan_cases();
    case Op::random: return random_number_cases();
    case Op::optim: return optim_cases();
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<Case> cases(Op op) {
  std::vector<Case> list = listed(op);
  std::set<std::string> names;  // the lists overlap
  std::erase_if(list, [&](const Case& c) { return !names.insert(c.name).second; });
  return list;
}

}  // namespace torchlight::test
