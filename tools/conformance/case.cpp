#include "case.h"

#include <stdexcept>

namespace torchlight::test {
namespace {

constexpr Slot map_slots[] = {{"input", false, true}, {"output", true, false}};
constexpr Slot zip_slots[] = {
    {"x", false, false}, {"y", false, false}, {"z", false, true}, {"output", true, false}};
constexpr Slot reduce_slots[] = {{"input", false, false}, {"output", true, false}};
constexpr Slot matmul_slots[] = {
    {"a", false, false}, {"b", false, false}, {"bias", false, true}, {"output", true, false}};
constexpr Slot softmax_fw_slots[] = {
    {"input", false, false}, {"mask", false, true}, {"output", true, false}};
constexpr Slot softmax_bw_slots[] = {
    {"grad", false, false}, {"soft", false, false}, {"output", true, false}};
constexpr Slot layernorm_fw_slots[] = {{"input", false, false}, {"gamma", false, true},
                                       {"beta", false, true},   {"output", true, false},
                                       {"mean", true, true},    {"rstd", true, true}};
constexpr Slot layernorm_bw_slots[] = {
    {"grad", false, false}, {"input", false, false}, {"gamma", false, true}, {"mean", false, true},
    {"rstd", false, true},  {"dinput", true, true},  {"dgamma", true, true}, {"dbeta", true, true}};
constexpr Slot index_slots[] = {
    {"source", false, false}, {"index", false, false}, {"output", true, false}};
constexpr Slot random_slots[] = {{"output", true, false}};
constexpr Slot optim_slots[] = {
    {"grad", false, false}, {"param", true, false}, {"state0", true, true}, {"state1", true, true}};

constexpr Row all_rows[] = {
#define TL_MAP(id, name, domain, params, ...) {Op::map, id, #name, #domain, 1, params},
#define TL_ZIP(id, name, domain, inputs, params, ...) {Op::zip, id, #name, #domain, inputs, params},
#define TL_REDUCE(id, name, domain, ...) {Op::reduce, id, #name, #domain, 1, 0},
#include <torchlight/ops.def>
};

}  // namespace

const char* name(Op op) {
  constexpr std::array names = {"map",
                                "zip",
                                "reduce",
                                "matmul",
                                "attn_softmax_fw",
                                "attn_softmax_bw",
                                "layernorm_fw",
                                "layernorm_bw",
                                "gather",
                                "scatter_add",
                                "scan",
                                "random",
                                "optim"};
  return names[static_cast<std::size_t>(op) - 1];
}

std::span<const Slot> slots(Op op) {
  switch (op) {
    case Op::map: return map_slots;
    case Op::zip: return zip_slots;
    case Op::reduce:
    case Op::scan: return reduce_slots;
    case Op::matmul: return matmul_slots;
    case Op::attn_softmax_fw: return softmax_fw_slots;
    case Op::attn_softmax_bw: return softmax_bw_slots;
    case Op::layernorm_fw: return layernorm_fw_slots;
    case Op::layernorm_bw: return layernorm_bw_slots;
    case Op::gather:
    case Op::scatter_add: return index_slots;
    case Op::random: return random_slots;
    case Op::optim: return optim_slots;
  }
  __builtin_unreachable();
}

std::size_t slot(Op op, std::string_view name) {
  const auto all = slots(op);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (name == all[i].name) return i;
  }
  throw std::logic_error("no operand " + std::string(name));
}

std::span<const Row> rows() { return all_rows; }

const Row* find_row(Op op, std::uint32_t fn) {
  for (const Row& row : all_rows) {
    if (row.op == op && row.fn == fn) return &row;
  }
  return nullptr;
}

std::span<const Dtype> input_dtypes(std::string_view domain) {
  static constexpr std::array ordered = {Dtype::float32, Dtype::float64, Dtype::int64, Dtype::boolean};
  const std::span<const Dtype> all(ordered);
  if (domain == "real" || domain == "gradient") return all.first(2);
  if (domain == "number" || domain == "index") return all.first(3);
  if (domain == "predicate" || domain == "select" || domain == "create") return all;
  if (domain == "logic") return all.last(1);
  if (domain == "any") return all_dtypes;
  throw std::logic_error("ops.def has a domain that the tests don't know: " + std::string(domain));
}

Dtype output_dtype(std::string_view domain, Dtype input) {
  if (domain == "predicate" || domain == "logic") return Dtype::boolean;
  return domain == "index" ? Dtype::int64 : input;
}

}  // namespace torchlight::test
