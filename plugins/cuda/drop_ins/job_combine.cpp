#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "functions.h"
#include "views.h"

namespace torchlight::drop_ins {
namespace {

/// The row of a table by which a library does a function of the ABI.
template <std::size_t n>
std::optional<std::uint32_t> row_of(std::uint32_t tl, const Function (&functions)[n],
                                    const Form& form) {
  for (std::uint32_t i = 0; i < n; ++i)
    if (functions[i].tl == tl && (form.functions >> i & 1) != 0) return i;
  return {};
}

std::string no_function(const Form& form, const char* kind, std::uint32_t fn) {
  return std::string("it has no ") + kind + " function " + std::to_string(fn) +
         (form.reason[0] ? std::string("; ") + form.reason : std::string());
}

void take(const tl_view* output, const float* from) {
  std::memcpy(data(output), from, static_cast<std::size_t>(elements(output)) * sizeof(float));
}

}  // namespace

Job job_of(const tl_map_args& args, const Form& form) {
  if (!args.input || args.param_count != 0)
    return declined("drop-ins know neither creation nor parameters");
  if (std::string why_not = unfit({args.input}, {args.output}); !why_not.empty())
    return declined(why_not);
  const auto row = row_of(args.fn, map_functions, form);
  if (!row) return declined(no_function(form, "map", args.fn));
  Job job;
  job.call.op = Op::map;
  job.call.fn = *row;
  if (!fits(job, form, {elements(args.input)})) return job;
  job.fill = [&args](float* const* buffers) { gather(args.input, buffers[0]); };
  job.collect = [&args, fn = &map_functions[*row], n = job.call.dims[0]](float* const* buffers) {
    if (fn->mend_nan)
      for (std::int32_t i = 0; i < n; ++i)
        if (std::isnan(buffers[0][i])) buffers[1][i] = NAN;
    take(args.output, buffers[1]);
    return std::string();
  };
  return job;
}

Job job_of(const tl_zip_args& args, const Form& form) {
  if (args.input_count != 2 || args.param_count != 0)
    return declined("drop-ins know only functions of two inputs");
  if (std::string why_not = unfit({args.inputs[0], args.inputs[1]}, {}); !why_not.empty())
    return declined(why_not);
  const auto row = row_of(args.fn, zip_functions, form);
  if (!row) return declined(no_function(form, "zip", args.fn));
  if (!is_dense(args.output)) return declined("drop-ins write dense outputs only");
  Job job;
  job.call.op = Op::zip;
  job.call.fn = *row;
  if (!fits(job, form, {elements(args.output)})) return job;
  const Function* fn = &zip_functions[*row];
  job.fill = [&args, fn](float* const* buffers) {
    gather(args.inputs[0], buffers[fn->swapped ? 1 : 0]);
    gather(args.inputs[1], buffers[fn->swapped ? 0 : 1]);
  };
  job.collect = [&args, fn, n = job.call.dims[0]](float* const* buffers) {
    for (std::int32_t i = 0; fn->mend_nan && i < n; ++i)
      if (std::isnan(buffers[0][i]) || std::isnan(buffers[1][i])) buffers[2][i] = NAN;
    if (!fn->predicate) return take(args.output, buffers[2]), std::string();
    for (std::int32_t i = 0; i < n; ++i) data<std::uint8_t>(args.output)[i] = buffers[2][i] != 0;
    return std::string();
  };
  return job;
}

Job job_of(const tl_reduce_args& args, const Form& form) {
  if (std::string why_not = unfit({args.input}, {args.output}); !why_not.empty())
    return declined(why_not);
  const auto row = row_of(args.fn, reduce_functions, form);
  if (!row) return declined(no_function(form, "reduce", args.fn));
  // The reduced axes last, and all is rows.
  tl_view turned = *args.input;
  turned.rank = 0;
  std::int64_t counts[2] = {1, 1};
  for (const std::uint32_t reduced : {0u, 1u})
    for (std::uint32_t d = 0; d < args.input->rank; ++d) {
      if ((args.axis_mask >> d & 1) != reduced) continue;
      turned.extent[turned.rank] = args.input->extent[d];
      turned.stride[turned.rank++] = args.input->stride[d];
    }
  const std::uint32_t kept =
      args.input->rank - static_cast<std::uint32_t>(__builtin_popcount(args.axis_mask));
  counts[0] = extent_product(&turned, 0, kept);
  counts[1] = extent_product(&turned, kept, turned.rank);
  Job job;
  job.call.op = Op::reduce;
  job.call.fn = *row;
  if (!fits(job, form, {counts[0], counts[1]})) return job;
  job.fill = [&args, turned](float* const* buffers) mutable {
    turned.base = args.input->base;
    gather(&turned, buffers[0]);
  };
  job.collect = [&args, fn = &reduce_functions[*row], rows = counts[0],
                 columns = counts[1]](float* const* buffers) {
    for (std::int64_t i = 0; fn->mend_nan && i < rows * columns; ++i)
      if (std::isnan(buffers[0][i])) buffers[1][i / columns] = NAN;
    take(args.output, buffers[1]);
    return std::string();
  };
  return job;
}

Job job_of(const tl_matmul_args& args, const Form& form) {
  if (args.bias || args.alpha != 1 || args.beta != 0 || args.activation != TL_FN_NONE)
    return declined("drop-ins know the plain product only");
  if (std::string why_not = unfit({args.a, args.b}, {args.output}); !why_not.empty())
    return declined(why_not);
  const std::uint32_t rank = args.a->rank;
  if (rank < 2) return declined("not a matrix");
  const std::int64_t m = args.a->extent[rank - 2], k = args.a->extent[rank - 1],
                     n = args.b->extent[rank - 1];
  if (form.square_only && m != n)
    return declined(std::string("it does square results only: ") + form.reason);
  Job job;
  job.call.op = Op::matmul;
  if (!fits(job, form, {extent_product(args.a, 0, rank - 2), m, k, n})) return job;
  const Layout layout = layout_of(job.call);
  struct Sizes {
    std::int64_t a, b, out;
  };
  const auto size = [&](int i) { return static_cast<std::int64_t>(layout.buffers[i].elements); };
  const auto calm = std::make_shared<bool>(false);
  job.fill = [&args, sizes = Sizes{size(0), size(1), size(2)}, calm](float* const* buffers) {
    gather(args.a, buffers[0]);
    gather(args.b, buffers[1]);
    *calm = is_calm(buffers[0], sizes.a) && is_calm(buffers[1], sizes.b);
  };
  job.collect = [&args, count = size(2), calm](float* const* buffers) {
    std::string wrong = *calm ? nan_in(buffers[2], count) : std::string();
    if (wrong.empty()) take(args.output, buffers[2]);
    return wrong;
  };
  return job;
}

}  // namespace torchlight::drop_ins
