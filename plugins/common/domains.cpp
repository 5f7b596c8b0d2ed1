#include "domains.h"

#include "check_common.h"

namespace plugins {
namespace {

constexpr uint32_t reals = bit_float32 | bit_float64, numbers = reals | bit_int64,
                   computed = numbers | bit_bool,
                   every = computed | bit_int32 | bit_uint8 | bit_float16 | bit_bfloat16;

constexpr Domain domain_real{"real", reals, 0}, domain_number{"number", numbers, 0},
    domain_any{"any", every, every}, domain_predicate{"predicate", computed, bit_bool},
    domain_logic{"logic", bit_bool, bit_bool}, domain_create{"create", 0, computed},
    domain_index{"index", numbers, bit_int64}, domain_gradient{"gradient", reals, 0};

/// A table by id. A function beyond `limit` doesn't compile.
constexpr uint32_t limit = 96;
struct Table {
  FunctionRow rows[limit];
};

constexpr FunctionRow none{nullptr, nullptr, 0, 0};

const FunctionRow& find(const Table& table, uint32_t fn) noexcept {
  return fn < limit ? table.rows[fn] : none;
}

}  // namespace

constexpr Domain domain_select{"select", computed, 0};

namespace {

constexpr Table make_maps() {
  Table table{};
#define TL_MAP(id, fn, domain, params, meaning) table.rows[id] = {#fn, &domain_##domain, 1, params};
#include <torchlight/ops.def>
  return table;
}

constexpr Table make_zips() {
  Table table{};
#define TL_ZIP(id, fn, domain, inputs, params, meaning) \
  table.rows[id] = {#fn, &domain_##domain, inputs, params};
#include <torchlight/ops.def>
  return table;
}

constexpr Table make_reductions() {
  Table table{};
#define TL_REDUCE(id, fn, domain, meaning) table.rows[id] = {#fn, &domain_##domain, 1, 0};
#include <torchlight/ops.def>
  return table;
}

constexpr Table maps = make_maps(), zips = make_zips(), reductions = make_reductions();

}  // namespace

const FunctionRow& map_row(uint32_t fn) noexcept { return find(maps, fn); }
const FunctionRow& zip_row(uint32_t fn) noexcept { return find(zips, fn); }
const FunctionRow& reduce_row(uint32_t fn) noexcept { return find(reductions, fn); }

uint32_t dtype_bit(tl_dtype dtype) noexcept {
  switch (dtype_key(dtype)) {
    case key_float32: return bit_float32;
    case key_float64: return bit_float64;
    case key_int64: return bit_int64;
    case key_bool: return bit_bool;
    case key_int32: return bit_int32;
    case key_uint8: return bit_uint8;
    case key_float16: return bit_float16;
    case key_bfloat16: return bit_bfloat16;
    default: return 0;
  }
}

}  // namespace plugins
