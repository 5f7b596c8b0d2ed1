#include <algorithm>
#include <string_view>

#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"

namespace torchlight {
namespace {

using dispatch::Primitive;

/// The domains of ops.def.
enum class Domain { real, number, any, predicate, logic, select, create, index, gradient };

struct Row {
  const char* name = nullptr;
  Domain domain = Domain::any;
  std::uint32_t params = 0;
};

constexpr std::size_t max_rows = 128;
constexpr auto map_rows = [] {
  std::array<Row, max_rows> rows{};
#define TL_MAP(id, name, domain, params, ...) rows[id] = {#name, Domain::domain, params};
#include <torchlight/ops.def>
  return rows;
}();
constexpr auto zip_rows = [] {
  std::array<Row, max_rows> rows{};
#define TL_ZIP(id, name, domain, inputs, params, ...) rows[id] = {#name, Domain::domain, params};
#include <torchlight/ops.def>
  return rows;
}();

bool is_compute(Dtype dtype) {
  return dtype == float32 || dtype == float64 || dtype == int64 || dtype == boolean;
}

void require_compute(const char* row, Dtype dtype) {
  if (!is_compute(dtype))
    throw Error(
        text(written_name(row), ": ", name_of(dtype),
             " tensors are stored and converted, not computed with; convert with to(float32) or "
             "to(int64) first"));
}

/// What a function of this domain computes with, given the promoted dtype of its inputs.
Dtype working_dtype(Domain domain, Dtype dtype) {
  switch (domain) {
    case Domain::real:
    case Domain::gradient: return dtype == float64 ? float64 : float32;
    case Domain::number: return dtype == boolean ? int64 : dtype;
    case Domain::logic: return boolean;
    default: return dtype;
  }
}

Dtype result_dtype(Domain domain, Dtype working) {
  return domain == Domain::predicate || domain == Domain::logic ? boolean : working;
}

/// The same where a scalar takes part.
Dtype scalar_working_dtype(Fn fn, Domain domain, Dtype dtype, const Params& params) {
  const Dtype working = working_dtype(domain, dtype);
  const bool has_scalar = fn >= TL_MAP_add_scalar && fn <= TL_MAP_ge_scalar;
  if (!has_scalar || is_floating(working)) return working;
  return fn == TL_MAP_pow_scalar && params[0] < 0 ? float32 : scalar_dtype(working, params[0]);
}

void run_map(Fn fn, const Array& x, const Array& out, const Params& params) {
  if (out.numel() == 0) return;
  const tl_view in = x.view(), to = out.view();
  tl_map_args args{{sizeof(tl_map_args), 0, nullptr}, fn, map_rows[fn].params, &in, &to, {}};
  std::copy(params.begin(), params.end(), args.params);
  dispatch::run(out.device(), {Primitive::map, map_rows[fn].name, &args.head});
}

void run_zip(Fn fn, std::span<const Array* const> inputs, const Array& out, const Params& params) {
  if (out.numel() == 0) return;
  tl_view views[3];
  const tl_view to = out.view();
  tl_zip_args args{{sizeof(tl_zip_args), 0, nullptr},
                   fn,
                   static_cast<std::uint32_t>(inputs.size()),
                   {},
                   &to,
                   zip_rows[fn].params,
                   0,
                   {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Array& x = *inputs[i];
    views[i] = x.view(out.shape(), broadcast_strides(x.shape(), x.strides(), out.shape()));
    args.inputs[i] = &views[i];
  }
  std::copy(params.begin(), params.end(), args.params);
  dispatch::run(out.device(), {Primitive::zip, zip_rows[fn].name, &args.head});
}

/// The inputs of a zip in one dtype, and the shape of its result.
struct Operands {
  std::array<Array, 3> arrays;
  std::array<const Array*, 3> pointers{};
  std::size_t count = 0;
  Shape shape;
  Dtype result = float32;

  std::span<const Array* const> inputs() const { return {pointers.data(), count}; }
};

Operands prepare(Fn fn, std::span<const Array* const> inputs, const Params& params) {
  const Row& row = zip_rows[fn];
  Operands o;
  o.count = inputs.size();
  const std::size_t first = row.domain == Domain::select ? 1 : 0;  // the condition stays bool
  Dtype dtype = inputs[first]->dtype();
  o.shape = inputs[0]->shape();
  for (std::size_t i = 0; i < o.count; ++i) {
    const Array& x = *inputs[i];
    require_compute(row.name, x.dtype());
    if (i > 0) require_same_device(row.name, *inputs[0], x);
    if (i > first) dtype = promote(row.name, dtype, x.dtype());
    if (i > 0 && !(o.shape == x.shape())) {
      try {
        o.shape = broadcast_shapes(o.shape, x.shape());
      } catch (const Error& e) {
        throw Error(text(row.name, ": ", e.what()));
      }
    }
  }
  if (first == 1 && inputs[0]->dtype() != boolean)
    throw Error(text(row.name, ": the condition must be bool, it is ", name_of(inputs[0]->dtype()),
                     "; compare first, for example x != 0"));
  if (row.domain == Domain::logic && dtype != boolean)
    throw Error(text(row.name, ": takes bool tensors, got ", name_of(dtype),
                     "; compare first, for example x != 0"));
  Dtype working = working_dtype(row.domain, dtype);
  if (fn == TL_ZIP_addcmul) working = scalar_dtype(working, params[0]);
  for (std::size_t i = 0; i < o.count; ++i) {
    if (i >= first && inputs[i]->dtype() != working) {
      o.arrays[i] = copy(*inputs[i], working);
      o.pointers[i] = &o.arrays[i];
    } else {
      o.pointers[i] = inputs[i];
    }
  }
  o.result = result_dtype(row.domain, working);
  return o;
}

Array run_new_zip(Fn fn, std::span<const Array* const> inputs, const Params& params) {
  const Operands o = prepare(fn, inputs, params);
  Array out = empty(o.shape, o.result, inputs[0]->device());
  run_zip(fn, o.inputs(), out, params);
  return out;
}

bool overlaps(const Array& a, const Array& b) { return overlap(memory_range(a), memory_range(b)); }

bool is_same_window(const Array& a, const Array& b) {
  return memory_range(a).begin == memory_range(b).begin && a.dtype() == b.dtype() &&
         a.shape() == b.shape() && a.strides() == b.strides();
}

/// Whether the input may be left where it is although the output is written over it.
bool may_alias(const Array& x, const Array& out, const dispatch::Call& call) {
  return !overlaps(x, out) || (is_same_window(x, out) && dispatch::allows_in_place(out.device(), call));
}

}  // namespace

const char* map_name(Fn fn) { return map_rows[fn].name; }
const char* zip_name(Fn fn) { return zip_rows[fn].name; }

std::uint32_t map_params(Fn fn) { return map_rows[fn].params; }
std::uint32_t zip_params(Fn fn) { return zip_rows[fn].params; }

Dtype promote(const char* operation, Dtype a, Dtype b) {
  require_compute(operation, a);
  require_compute(operation, b);
  const auto order = [](Dtype d) { return d == boolean ? 0 : d == int64 ? 1 : d == float32 ? 2 : 3; };
  return order(a) >= order(b) ? a : b;
}

Array map(Fn fn, const Array& x, const Params& params) {
  const Row& row = map_rows[fn];
  require_compute(row.name, x.dtype());
  const Dtype working = scalar_working_dtype(fn, row.domain, x.dtype(), params);
  Array out = empty(x.shape(), result_dtype(row.domain, working), x.device());
  run_map(fn, x.dtype() == working ? x : copy(x, working), out, params);
  return out;
}

Array zip(Fn fn, const Array& x, const Array& y, const Params& params) {
  const Array* inputs[] = {&x, &y};
  return run_new_zip(fn, inputs, params);
}

Array zip(Fn fn, const Array& x, const Array& y, const Array& z, const Params& params) {
  const Array* inputs[] = {&x, &y, &z};
  return run_new_zip(fn, inputs, params);
}

void map_into(Fn fn, const Array& x, const Array& out, const Params& params) {
  const Row& row = map_rows[fn];
  require_compute(row.name, x.dtype());
  const Dtype working = scalar_working_dtype(fn, row.domain, x.dtype(), params);
  if (x.dtype() != working || result_dtype(row.domain, working) != out.dtype())
    throw Error(text(written_name(row.name), "_: the result is ",
                     name_of(result_dtype(row.domain, working)), ", which a tensor of ",
                     name_of(out.dtype()), " can't hold in place; use ", written_name(row.name)));
  const tl_view view = out.view();
  tl_map_args args{{sizeof(tl_map_args), 0, nullptr}, fn, row.params, &view, &view, {}};
  std::copy(params.begin(), params.end(), args.params);
  if (may_alias(x, out, {Primitive::map, row.name, &args.head}))
    run_map(fn, x, out, params);
  else
    copy_into(map(fn, x, params), out);
}

void zip_into(Fn fn, std::span<const Array* const> inputs, const Array& out, const Params& params) {
  const Row& row = zip_rows[fn];
  const Operands o = prepare(fn, inputs, params);
  if (o.result != out.dtype())
    throw Error(text(row.name, "_: the result is ", name_of(o.result), ", which a tensor of ",
                     name_of(out.dtype()), " can't hold in place; use ", row.name));
  if (!(o.shape == out.shape()))
    throw Error(text(row.name, "_: the result has shape ", o.shape.str(), ", which a tensor of shape ",
                     out.shape().str(), " can't hold in place; use ", row.name));
  const tl_view view = out.view();
  tl_zip_args args{{sizeof(tl_zip_args), 0, nullptr},
                   fn,
                   static_cast<std::uint32_t>(o.count),
                   {&view, &view, o.count == 3 ? &view : nullptr},
                   &view,
                   zip_rows[fn].params,
                   0,
                   {}};
  std::copy(params.begin(), params.end(), args.params);
  const dispatch::Call call{Primitive::zip, row.name, &args.head};
  const bool in_place =
      std::ranges::all_of(o.inputs(), [&](const Array* x) { return may_alias(*x, out, call); });
  if (in_place)
    run_zip(fn, o.inputs(), out, params);
  else
    copy_into(run_new_zip(fn, o.inputs(), params), out);
}

void fill(const Array& out, double value) {
  if (out.numel() == 0) return;
  if (!is_compute(out.dtype()))
    return copy_into(full({}, value, is_floating(out.dtype()) ? float32 : int64, out.device()), out);
  const tl_view view = out.view();
  tl_map_args args{{sizeof(tl_map_args), 0, nullptr}, TL_MAP_fill, 1, nullptr, &view, {value}};
  dispatch::run(out.device(), {Primitive::map, "fill", &args.head});
}

void copy_into(const Array& x, const Array& out) {
  if (out.numel() == 0) return;
  if (overlaps(x, out)) {
    if (is_same_window(x, out)) return;
    return copy_into(copy(x, x.dtype()), out);
  }
  run_map(TL_MAP_copy,
          x.window(out.shape(), broadcast_strides(x.shape(), x.strides(), out.shape()), x.offset()),
          out, {});
}

Array copy(const Array& x, Dtype dtype) {
  Array out = empty(x.shape(), dtype, x.device());
  run_map(TL_MAP_copy, x, out, {});
  return out;
}

Array cast(const Array& x, Dtype dtype) { return x.dtype() == dtype ? x : copy(x, dtype); }
Array contiguous(const Array& x) { return x.is_contiguous() ? x : copy(x, x.dtype()); }

Array where(const Array& condition, const Array& x, const Array& y) {
  return zip(TL_ZIP_where, condition, x, y);
}
Array where(const Array& condition, const Array& x, double y) {
  return where(condition, x, full({}, y, x.dtype(), x.device()));
}
Array where(const Array& condition, double x, const Array& y) {
  return where(condition, full({}, x, y.dtype(), y.device()), y);
}

}  // namespace torchlight
