// The primitives of `remote`: loops of its own, without some functions and without anything fused, so that the
// core has to compose and to fall back.
#include "calls.h"
#include "checks.h"
#include "computing.h"
#include "kernels.h"

namespace remote {
namespace {

std::int32_t supports(tl_device* device, std::uint32_t primitive, const tl_args* args,
                      tl_support* given, tl_error* error) noexcept {
  tl_support full{given->size, TL_TRAIT_REPEATABLE | TL_TRAIT_SLOW, 0};
  tl_support* const answer = &full;
  const std::int32_t status = guarded(error, [&] {
    device->require_present();
    switch (primitive) {
      case TL_PRIMITIVE_MAP: check_map(*reinterpret_cast<const tl_map_args*>(args)); break;
      case TL_PRIMITIVE_ZIP: check_zip(*reinterpret_cast<const tl_zip_args*>(args)); break;
      case TL_PRIMITIVE_REDUCE:
        answer->workspace_bytes = check_reduce(*reinterpret_cast<const tl_reduce_args*>(args));
        return;
      case TL_PRIMITIVE_MATMUL:
        answer->workspace_bytes = check_matmul(*reinterpret_cast<const tl_matmul_args*>(args));
        return;
      default: throw declined("this device has map, zip, reduce and matmul");
    }
    answer->traits |= TL_TRAIT_IN_PLACE;  // element by element, each read before it is written
  });
  if (status == TL_OK) remote::answer(given, full);
  return status;
}

/// The scratch memory that `supports` asked for.
Operand workspace_of(tl_device* device, const tl_args& head, std::uint64_t bytes) {
  require_workspace(head, bytes);
  return bytes == 0 ? Operand() : Operand(*device, *head.workspace);
}

double* doubles_of(const Operand& workspace) {
  return workspace.rank == 0 ? nullptr : reinterpret_cast<double*>(workspace.data());
}

std::int32_t map(tl_device* device, tl_stream* stream, const tl_map_args* args,
                 tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    check_map(*args);
    const tl_map_args a = *args;
    const Operand output(*device, *a.output);
    const Operand input = a.input ? Operand(*device, *a.input) : Operand();
    device->stream(stream).enqueue({"map", [=, has_input = a.input != nullptr] {
                                      run_map(a.fn, has_input ? &input : nullptr, output, a.params);
                                    }});
  });
}

std::int32_t zip(tl_device* device, tl_stream* stream, const tl_zip_args* args,
                 tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    check_zip(*args);
    const tl_zip_args a = *args;
    const Operand output(*device, *a.output);
    std::vector<Operand> inputs;
    for (std::uint32_t i = 0; i < a.input_count; ++i) inputs.emplace_back(*device, *a.inputs[i]);
    device->stream(stream).enqueue({"zip", [=] { run_zip(a.fn, inputs, output, a.params); }});
  });
}

std::int32_t reduce(tl_device* device, tl_stream* stream, const tl_reduce_args* args,
                    tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const std::uint64_t bytes = check_reduce(*args);
    const Operand input(*device, *args->input), output(*device, *args->output);
    const Operand scratch = workspace_of(device, args->head, bytes);
    device->stream(stream).enqueue({"reduce", [=, fn = args->fn, axes = args->axis_mask] {
                                      run_reduce(fn, axes, input, output, doubles_of(scratch));
                                    }});
  });
}

std::int32_t matmul(tl_device* device, tl_stream* stream, const tl_matmul_args* args,
                    tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const std::uint64_t bytes = check_matmul(*args);
    const Operand a(*device, *args->a), b(*device, *args->b), output(*device, *args->output);
    const Operand scratch = workspace_of(device, args->head, bytes);
    device->stream(stream).enqueue({"matmul", [=, alpha = args->alpha, beta = args->beta] {
                                      run_matmul(a, b, output, alpha, beta, doubles_of(scratch));
                                    }});
  });
}

}  // namespace

std::int32_t prepare_computing(const tl_host*, tl_error*) { return TL_OK; }

void add_primitives(tl_backend& table) {
  table.supports = supports;
  table.map = map;
  table.zip = zip;
  table.reduce = reduce;
  table.matmul = matmul;
}

const void* find_extension(const char*) { return nullptr; }

}  // namespace remote
