#include <torchlight/backend.h>

#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"
#include "tensor/impl.h"

namespace torchlight {
namespace {

struct Entry {
  std::string_view name;
  Fn id;
};

constexpr Entry maps[] = {
#define TL_MAP(id, name, ...) {#name, id},
#include <torchlight/ops.def>
};
constexpr Entry zips[] = {
#define TL_ZIP(id, name, ...) {#name, id},
#include <torchlight/ops.def>
};
constexpr Entry reduces[] = {
#define TL_REDUCE(id, name, ...) {#name, id},
#include <torchlight/ops.def>
};

Fn find(const char* primitive, std::span<const Entry> entries, std::string_view name) {
  std::string known;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.id;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(text(primitive, ": no function is named \"", name, "\"; known are ", known));
}

Params params_of(const char* primitive, std::string_view fn, std::uint32_t wanted,
                 const std::vector<double>& given) {
  Params params{};
  if (given.size() != wanted)
    throw Error(text(primitive, " ", fn, ": ", given.size(), " parameters; it takes ", wanted));
  std::copy(given.begin(), given.end(), params.begin());
  return params;
}

const Array& on(Device device, const char* operation, const Tensor& x) {
  if (&array_of(x).device() != &device.handle())
    throw DeviceError(text(operation, ": the tensor is on ", x.device().name(), ", the backend is ",
                           device.name(), "; move it with to(\"", device.name(), "\")"));
  return array_of(x);
}

}  // namespace

Backend::Map Backend::map(std::string_view fn, const std::vector<double>& params) const {
  const Fn id = find("map", maps, fn);
  if (id >= TL_MAP_fill && id <= TL_MAP_eye)
    throw Error(text("map: \"", fn, "\" has no input; use the factories full, arange and eye"));
  return [device = device_, id, given = params_of("map", fn, map_params(id), params)](const Tensor& x) {
    return make_tensor(torchlight::map(id, on(device, map_name(id), x), given));
  };
}

Backend::Zip Backend::zip(std::string_view fn, const std::vector<double>& params) const {
  const Fn id = find("zip", zips, fn);
  if (id >= TL_ZIP_where && id <= TL_ZIP_addcmul)
    throw Error(text("zip: \"", fn, "\" has three inputs; use the function ", fn));
  return [device = device_, id, given = params_of("zip", fn, zip_params(id), params)](const Tensor& x,
                                                                                      const Tensor& y) {
    return make_tensor(
        torchlight::zip(id, on(device, zip_name(id), x), on(device, zip_name(id), y), given));
  };
}

Backend::Reduce Backend::reduce(std::string_view fn) const {
  const Fn id = find("reduce", reduces, fn);
  return [device = device_, id](const Tensor& x, const Dims& dims) {
    return make_tensor(torchlight::reduce(id, on(device, reduce_name(id), x), dims, true));
  };
}

Tensor Backend::matmul(const Tensor& a, const Tensor& b) const {
  if (a.dim() < 2 || b.dim() < 2)
    throw Error(
        text("matmul: the primitive takes matrices, got ", a.shape().str(), " @ ", b.shape().str()));
  return make_tensor(torchlight::matmul(on(device_, "matmul", a), on(device_, "matmul", b)));
}

Tensor Backend::attn_softmax_fw(const Tensor& x, const Tensor& mask) const {
  const Array m = mask.defined() ? on(device_, "attn_softmax_fw", mask) : Array();
  if (mask.defined() && !(broadcast_shapes(x.shape(), mask.shape()) == x.shape()))
    throw Error(text("attn_softmax_fw: a mask of shape ", mask.shape().str(), " doesn't broadcast to ",
                     x.shape().str()));
  return make_tensor(attn_softmax(on(device_, "attn_softmax_fw", x), m, {}));
}

Tensor Backend::attn_softmax_bw(const Tensor& grad, const Tensor& soft) const {
  return make_tensor(torchlight::attn_softmax_bw(on(device_, "attn_softmax_bw", grad),
                                                 on(device_, "attn_softmax_bw", soft), 1));
}

Tensor Backend::layernorm_fw(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                             double eps) const {
  return make_tensor(layer_norm(on(device_, "layernorm_fw", x), on(device_, "layernorm_fw", gamma),
                                on(device_, "layernorm_fw", beta), eps, static_cast<int>(gamma.dim()))
                         .output);
}

std::vector<Tensor> Backend::layernorm_bw(const Tensor& grad, const Tensor& x, const Tensor& gamma,
                                          double eps) const {
  const LayerNormGradients g =
      layer_norm_bw(on(device_, "layernorm_bw", grad), on(device_, "layernorm_bw", x),
                    on(device_, "layernorm_bw", gamma), {}, {}, eps, static_cast<int>(gamma.dim()),
                    {true, true, true});
  return {make_tensor(g.input), make_tensor(g.gamma), make_tensor(g.beta)};
}

Backend get_backend(const char* name) { return Backend(name && *name ? Device(name) : Device()); }

}  // namespace torchlight
