// oneDNN through its C++ API (libdnnl-dev 2.6). Primitives are created once, execution is timed.

#include <omp.h>
#include <dnnl.hpp>
#include <memory>
#include "peers.h"
namespace peers_dnn {
using namespace dnnl;
using peers::Case;
using peers::Work;
using dims = memory::dims;
inline engine& eng() {
  static engine e(engine::kind::cpu, 0);
  return e;
}
inline stream& strm() {
  static stream s(eng());
  return s;
}
inline memory::desc md(dims d, dims s) { return {d, memory::data_type::f32, s}; }
inline dims rs(const dims& d) {
  dims s(d.size(), 1);
  for (int i = (int)d.size() - 2; i >= 0; i--) s[i] = s[i + 1] * d[i + 1];
  return s;
}
inline memory mem(dims d, int stream) {
  memory m(md(d, rs(d)), eng());
  int64_t n = 1;
  for (auto v : d) n *= v;
  if (stream) peers::fill((float*)m.get_data_handle(), n, stream);
  return m;
}
inline Work W(primitive p, std::unordered_map<int, memory> a, memory out) {
  int64_t n = out.get_desc().get_size() / 4;
  return {[=] {
            p.execute(strm(), a);
            strm().wait();
          },
          [=] { return peers::probe((float*)out.get_data_handle(), n); }};
}
inline Work make(const Case& c) {
  auto& d = c.shape;
  const std::string& op = c.op;
  if (op == "mm") {
    dims A{d[0], d[1], d[3]}, B{d[0], d[3], d[2]}, C{d[0], d[1], d[2]};
    dims sa = rs(A), sb = rs(B);
    if (c.detail & 1) sa = {d[1] * d[3], 1, d[1]};
    if (c.detail & 2) sb = {d[2] * d[3], 1, d[3]};
    memory ma = mem(A, 1), mb = mem(B, 2), mc = mem(C, 0);
    memory va(md(A, sa), eng(), ma.get_data_handle()), vb(md(B, sb), eng(), mb.get_data_handle());
    auto keep = std::make_shared<std::vector<memory>>(std::vector<memory>{ma, mb});
#if DNNL_VERSION_MAJOR >= 3
    matmul p(matmul::primitive_desc(eng(), va.get_desc(), vb.get_desc(), mc.get_desc()));
#else
    matmul p(matmul::primitive_desc(matmul::desc(va.get_desc(), vb.get_desc(), mc.get_desc()), eng()));
#endif
    auto w = W(p, {{DNNL_ARG_SRC, va}, {DNNL_ARG_WEIGHTS, vb}, {DNNL_ARG_DST, mc}}, mc);
    auto r = w.run;
    w.run = [=] {
      (void)keep;
      r();
    };
    return w;
  }
  if (c.op.size() && (op == "exp" || op == "sigmoid" || op == "tanh" || op == "gelu")) {
    if (!c.preallocated) return {};
    auto al = op == "exp"       ? algorithm::eltwise_exp
              : op == "sigmoid" ? algorithm::eltwise_logistic
              : op == "tanh"    ? algorithm::eltwise_tanh
                                : algorithm::eltwise_gelu_tanh;
    memory x = mem({d[0]}, 1), y = mem({d[0]}, 0);
#if DNNL_VERSION_MAJOR >= 3
    eltwise_forward p(eltwise_forward::primitive_desc(eng(), prop_kind::forward_inference, al,
                                                      x.get_desc(), y.get_desc(), 0.f, 0.f));
#else
    eltwise_forward p(eltwise_forward::primitive_desc(
        eltwise_forward::desc(prop_kind::forward_inference, al, x.get_desc(), 0.f, 0.f), eng()));
#endif
    return W(p, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}}, y);
  }
  if (op == "add" || op == "mul" || op == "addrow" || op == "addcol") {
    if (!c.preallocated) return {};
    dims A = d, B = d;
    if (op == "addrow") B[0] = 1;
    if (op == "addcol") B[1] = 1;
    memory a = mem(A, 1), b = mem(B, 2), y = mem(A, 0);
    auto al = op == "mul" ? algorithm::binary_mul : algorithm::binary_add;
#if DNNL_VERSION_MAJOR >= 3
    binary p(binary::primitive_desc(eng(), al, a.get_desc(), b.get_desc(), y.get_desc()));
#else
    binary p(binary::primitive_desc(binary::desc(al, a.get_desc(), b.get_desc(), y.get_desc()), eng()));
#endif
    return W(p, {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, y}}, y);
  }
  if (op == "copyT") {
    if (!c.preallocated) return {};
    memory a = mem({d[0], d[1]}, 1), y = mem({d[1], d[0]}, 0);
    memory at(md({d[1], d[0]}, {1, d[1]}), eng(), a.get_data_handle());
    reorder p(at, y);
    auto keep = std::make_shared<memory>(a);
    return {[=] {
              (void)keep;
              auto q = p;
              auto s = at, t = y;
              q.execute(strm(), s, t);
              strm().wait();
            },
            [=] { return peers::probe((float*)y.get_data_handle(), d[0] * d[1]); }};
  }
  if (op == "sum" || op == "max") {
    dims x = d, y = d;
    if (c.detail < 0)
      for (auto& v : y) v = 1;
    else
      y[c.detail] = 1;
    memory a = mem(x, 1), b = mem(y, 0);
    auto al = op == "sum" ? algorithm::reduction_sum : algorithm::reduction_max;
#if DNNL_VERSION_MAJOR >= 3
    reduction p(reduction::primitive_desc(eng(), al, a.get_desc(), b.get_desc(), 0.f, 0.f));
#else
    reduction p(
        reduction::primitive_desc(reduction::desc(al, a.get_desc(), b.get_desc(), 0.f, 0.f), eng()));
#endif
    return W(p, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}}, b);
  }
  if (op == "softmax_fw" || op == "softmax_bw") {
    memory x = mem(d, 1), mk = mem({1, d[1]}, 2), y = mem(d, 0), g = mem(d, 3), t = mem(d, 0);
#if DNNL_VERSION_MAJOR >= 3
    softmax_forward::primitive_desc pd(eng(), prop_kind::forward_training, algorithm::softmax_accurate,
                                       x.get_desc(), y.get_desc(), 1);
    binary ad(binary::primitive_desc(eng(), algorithm::binary_add, x.get_desc(), mk.get_desc(),
                                     t.get_desc()));
    softmax_backward bw(softmax_backward::primitive_desc(
        eng(), algorithm::softmax_accurate, g.get_desc(), g.get_desc(), y.get_desc(), 1, pd));
#else
    softmax_forward::primitive_desc pd(
        softmax_forward::desc(prop_kind::forward_training, x.get_desc(), 1), eng());
    binary ad(binary::primitive_desc(
        binary::desc(algorithm::binary_add, x.get_desc(), mk.get_desc(), t.get_desc()), eng()));
    softmax_backward bw(softmax_backward::primitive_desc(
        softmax_backward::desc(g.get_desc(), y.get_desc(), 1), eng(), pd));
#endif
    softmax_forward fw(pd);
    int64_t n = d[0] * d[1];
    if (op == "softmax_fw")
      return {[=] {
                ad.execute(strm(), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, mk}, {DNNL_ARG_DST, t}});
                fw.execute(strm(), {{DNNL_ARG_SRC, t}, {DNNL_ARG_DST, y}});
                strm().wait();
              },
              [=] { return peers::probe((float*)y.get_data_handle(), n); }};
    fw.execute(strm(), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    return W(bw, {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, g}, {DNNL_ARG_DIFF_SRC, t}}, t);
  }
  if (op == "ln_fw" || op == "ln_bw") {
    memory x = mem(d, 1), y = mem(d, 0), g = mem(d, 4), dx = mem(d, 0), mu = mem({d[0]}, 0),
           va = mem({d[0]}, 0);
#if DNNL_VERSION_MAJOR >= 3
    auto fl = normalization_flags::use_scale | normalization_flags::use_shift;
    memory ga = mem({d[1]}, 2), be = mem({d[1]}, 3), dga = mem({d[1]}, 0), dbe = mem({d[1]}, 0);
    layer_normalization_forward::primitive_desc pd(eng(), prop_kind::forward_training, x.get_desc(),
                                                   y.get_desc(), 1e-5f, fl);
    layer_normalization_backward bw(layer_normalization_backward::primitive_desc(
        eng(), prop_kind::backward, g.get_desc(), g.get_desc(), x.get_desc(), 1e-5f, fl, pd));
    std::unordered_map<int, memory> fa{{DNNL_ARG_SRC, x},    {DNNL_ARG_DST, y},
                                       {DNNL_ARG_MEAN, mu},  {DNNL_ARG_VARIANCE, va},
                                       {DNNL_ARG_SCALE, ga}, {DNNL_ARG_SHIFT, be}};
    std::unordered_map<int, memory> ba{
        {DNNL_ARG_SRC, x},    {DNNL_ARG_DIFF_DST, g},     {DNNL_ARG_DIFF_SRC, dx},
        {DNNL_ARG_MEAN, mu},  {DNNL_ARG_VARIANCE, va},    {DNNL_ARG_SCALE, ga},
        {DNNL_ARG_SHIFT, be}, {DNNL_ARG_DIFF_SCALE, dga}, {DNNL_ARG_DIFF_SHIFT, dbe}};
#else
    auto fl = normalization_flags::use_scale | normalization_flags::use_shift;
    memory ga = mem({d[1]}, 2), be = mem({d[1]}, 3), dga = mem({d[1]}, 0), dbe = mem({d[1]}, 0);
    layer_normalization_forward::primitive_desc pd(
        layer_normalization_forward::desc(prop_kind::forward_training, x.get_desc(), 1e-5f, fl), eng());
    layer_normalization_backward bw(layer_normalization_backward::primitive_desc(
        layer_normalization_backward::desc(prop_kind::backward, g.get_desc(), x.get_desc(), 1e-5f, fl),
        eng(), pd));
    std::unordered_map<int, memory> fa{{DNNL_ARG_SRC, x},    {DNNL_ARG_DST, y},
                                       {DNNL_ARG_MEAN, mu},  {DNNL_ARG_VARIANCE, va},
                                       {DNNL_ARG_SCALE, ga}, {DNNL_ARG_SHIFT, be}};
    std::unordered_map<int, memory> ba{
        {DNNL_ARG_SRC, x},    {DNNL_ARG_DIFF_DST, g},     {DNNL_ARG_DIFF_SRC, dx},
        {DNNL_ARG_MEAN, mu},  {DNNL_ARG_VARIANCE, va},    {DNNL_ARG_SCALE, ga},
        {DNNL_ARG_SHIFT, be}, {DNNL_ARG_DIFF_SCALE, dga}, {DNNL_ARG_DIFF_SHIFT, dbe}};
#endif
    layer_normalization_forward fw(pd);
    if (op == "ln_fw") return W(fw, fa, y);
    fw.execute(strm(), fa);
    strm().wait();
    return W(bw, ba, dx);
  }
  return {};
}
}  // namespace peers_dnn
peers::Contestant make_onednn() {
  return {"onednn", [](int t) { omp_set_num_threads(t); }, peers_dnn::make};
}
