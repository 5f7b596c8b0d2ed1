#include "checks.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "element.h"
#include "failure.h"

namespace remote {
namespace {

enum class Domain { real, number, any, predicate, logic, select, create, index, gradient };

struct Row {
  std::uint32_t fn;
  const char* name;
  Domain domain;
  std::uint32_t inputs;
  std::uint32_t params;
};

#define TL_MAP(id, name, domain, params, meaning) {id, #name, Domain::domain, 1, params},
constexpr Row map_rows[] = {
#include <torchlight/ops.def>
};
#define TL_ZIP(id, name, domain, inputs, params, meaning) {id, #name, Domain::domain, inputs, params},
constexpr Row zip_rows[] = {
#include <torchlight/ops.def>
};
#define TL_REDUCE(id, name, domain, meaning) {id, #name, Domain::domain, 1, 0},
constexpr Row reduce_rows[] = {
#include <torchlight/ops.def>
};

/// Rows left out on purpose, so that the core's fallback has something to do.
bool left_out(std::uint32_t primitive, std::uint32_t fn) {
  switch (primitive) {
    case TL_PRIMITIVE_MAP:
      return fn == TL_MAP_gelu_tanh || fn == TL_MAP_softplus || fn == TL_MAP_rpow_scalar;
    case TL_PRIMITIVE_ZIP:
      return fn == TL_ZIP_pow || fn == TL_ZIP_addcmul || fn == TL_ZIP_gelu_tanh_bw ||
             fn == TL_ZIP_softplus_bw;
    default: return fn == TL_REDUCE_prod || fn == TL_REDUCE_argmin;
  }
}

bool is_one_of(Kind kind, std::initializer_list<Kind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_allowed(Domain domain, Kind in, Kind out) {
  switch (domain) {
    case Domain::real:
    case Domain::gradient: return in == out && is_one_of(in, {Kind::f32, Kind::f64});
    case Domain::number: return in == out && is_one_of(in, {Kind::f32, Kind::f64, Kind::i64});
    case Domain::any: return in != Kind::unknown && out != Kind::unknown;
    case Domain::predicate:
      return out == Kind::b8 && is_one_of(in, {Kind::f32, Kind::f64, Kind::i64, Kind::b8});
    case Domain::logic: return in == Kind::b8 && out == Kind::b8;
    case Domain::select: return in == out && is_one_of(in, {Kind::f32, Kind::f64, Kind::i64, Kind::b8});
    case Domain::create: return is_one_of(out, {Kind::f32, Kind::f64, Kind::i64, Kind::b8});
    case Domain::index: return out == Kind::i64 && is_one_of(in, {Kind::f32, Kind::f64, Kind::i64});
  }
  return false;
}

/// Whatever a struct of a newer core says beyond what is known here must be nothing.
template <class Struct>
void check_size(const Struct& given, std::uint32_t size, const std::string& what) {
  if (size < sizeof given) throw declined(what + " of an older core");
  const char* bytes = reinterpret_cast<const char*>(&given);
  if (std::any_of(bytes + sizeof given, bytes + size, [](char byte) { return byte != 0; }))
    throw declined(what + " with something unknown at their end");
}

template <class Args> void check_head(const Args& args) {
  check_size(args, args.head.size, "arguments");
  if (args.head.flags != 0) throw declined("unknown flags");
}

void check_view(const tl_view* view, const char* what) {
  if (!view) throw bad_argument(std::string(what) + " is missing");
  check_size(*view, view->size, what);
  if (view->rank > TL_MAX_RANK) throw bad_argument(std::string(what) + " has too many dimensions");
  if (view->flags & ~std::uint32_t{TL_VIEW_ALIGNED})
    throw declined(std::string(what) + " has unknown flags");
  if (kind_of(view->dtype) == Kind::unknown)
    throw declined(std::string(what) + " is of a type this device lacks");
  for (std::uint32_t d = 0; d < view->rank; ++d)
    if (view->extent[d] < 0) throw bad_argument(std::string(what) + " has a negative extent");
}

Row find_row(std::span<const Row> rows, std::uint32_t primitive, std::uint32_t fn) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.fn == fn; });
  if (row == rows.end()) throw declined("unknown function " + std::to_string(fn));
  if (left_out(primitive, fn)) throw declined(std::string("this device doesn't do ") + row->name);
  return *row;
}

void check_domain(const Row& row, Kind in, Kind out) {
  if (!is_allowed(row.domain, in, out))
    throw declined(std::string(row.name) + " doesn't do these types");
}

bool same_extents(const tl_view& a, const tl_view& b) {
  return a.rank == b.rank && std::equal(a.extent, a.extent + a.rank, b.extent);
}

void check_extents(const tl_view& a, const tl_view& b) {
  if (!same_extents(a, b)) throw bad_argument("extents differ");
}

}  // namespace

std::uint64_t check_map(const tl_map_args& args) {
  check_head(args);
  const Row row = find_row(map_rows, TL_PRIMITIVE_MAP, args.fn);
  check_view(args.output, "the output");
  const Kind out = kind_of(args.output->dtype);
  if (args.param_count != row.params) throw bad_argument("wrong number of parameters");
  if (row.domain == Domain::create) {
    if (args.input) throw bad_argument("an input where none is due");
    check_domain(row, Kind::unknown, out);
    if (args.fn == TL_MAP_eye && args.output->rank < 2) throw bad_argument("eye needs two axes");
    return 0;
  }
  check_view(args.input, "the input");
  check_domain(row, kind_of(args.input->dtype), out);
  check_extents(*args.input, *args.output);
  return 0;
}

std::uint64_t check_zip(const tl_zip_args& args) {
  check_head(args);
  const Row row = find_row(zip_rows, TL_PRIMITIVE_ZIP, args.fn);
  check_view(args.output, "the output");
  if (args.input_count != row.inputs) throw bad_argument("wrong number of inputs");
  if (args.param_count != row.params) throw bad_argument("wrong number of parameters");
  if (args.reserved != 0) throw declined("a reserved field is in use");
  const std::uint32_t last = row.inputs - 1;
  for (std::uint32_t i = 0; i < row.inputs; ++i) check_view(args.inputs[i], "an input");
  for (std::uint32_t i = 0; i < row.inputs; ++i) {
    check_extents(*args.inputs[i], *args.output);
    const Kind kind = kind_of(args.inputs[i]->dtype);
    const bool is_condition = row.domain == Domain::select && i == 0;
    if (kind != (is_condition ? Kind::b8 : kind_of(args.inputs[last]->dtype)))
      throw declined("types differ");
  }
  check_domain(row, kind_of(args.inputs[last]->dtype), kind_of(args.output->dtype));
  return 0;
}

std::uint64_t check_reduce(const tl_reduce_args& args) {
  check_head(args);
  const Row row = find_row(reduce_rows, TL_PRIMITIVE_REDUCE, args.fn);
  check_view(args.input, "the input");
  check_view(args.output, "the output");
  check_domain(row, kind_of(args.input->dtype), kind_of(args.output->dtype));
  const std::uint32_t rank = args.input->rank;
  if (args.output->rank != rank || args.axis_mask >> rank != 0) throw bad_argument("ranks differ");
  for (std::uint32_t d = 0; d < rank; ++d) {
    const std::int64_t expected = (args.axis_mask >> d & 1) ? 1 : args.input->extent[d];
    if (args.output->extent[d] != expected) throw bad_argument("extents differ");
  }
  return 2 * sizeof(double);
}

std::uint64_t check_matmul(const tl_matmul_args& args) {
  check_head(args);
  check_view(args.a, "a");
  check_view(args.b, "b");
  check_view(args.output, "the output");
  if (args.reserved != 0) throw declined("a reserved field is in use");
  if (args.bias || args.activation != TL_FN_NONE)
    throw declined("this device adds no bias and activates nothing");
  const tl_view &a = *args.a, &b = *args.b, &c = *args.output;
  const Kind kind = kind_of(c.dtype);
  if (!is_one_of(kind, {Kind::f32, Kind::f64}) || kind_of(a.dtype) != kind || kind_of(b.dtype) != kind)
    throw declined("matmul doesn't do these types");
  const std::uint32_t rank = c.rank;
  if (rank < 2 || a.rank != rank || b.rank != rank) throw bad_argument("ranks differ");
  const bool batches = std::equal(a.extent, a.extent + rank - 2, c.extent) &&
                       std::equal(b.extent, b.extent + rank - 2, c.extent);
  if (!batches || a.extent[rank - 2] != c.extent[rank - 2] ||
      b.extent[rank - 1] != c.extent[rank - 1] || a.extent[rank - 1] != b.extent[rank - 2])
    throw bad_argument("extents differ");
  return static_cast<std::uint64_t>(c.extent[rank - 1]) * sizeof(double);
}

}  // namespace remote
