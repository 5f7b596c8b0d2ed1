#include "case_builder.h"
#include "cases.h"

namespace torchlight::test {
namespace {

struct Softmax {
  Dtype dtype = Dtype::float32;
  Shape shape = {1};
  Arrangement from = {}, to = {};
  Values input = {Fill::typical};
  bool has_mask = false;
  Shape mask_shape = {};  ///< broadcast to the input's
  Fill mask = Fill::mask;
  double scale = 1;
  bool causal = false;
  std::int64_t causal_offset = 0;
};

class SoftmaxCases {
 public:
  SoftmaxCases(std::vector<Case>& list, Dtype dtype) : list_(list) { base_.dtype = dtype; }

  void forward() {
    for (const Shape& shape : shapes()) add(shaped(shape));
    for (Arrangement a : dense_arrangements) {
      for (Arrangement b : {Arrangement::contiguous, Arrangement::mixed, a}) layout({3, 7, 37}, a, b);
    }
    for (Arrangement a : broadcast_arrangements) layout({3, 7, 37}, a, {});
    masks();
    causal();
    values();
  }

  void backward() {
    for (const Shape& shape : shapes()) add_backward(shape, {}, {}, {}, 1, Fill::typical);
    for (Arrangement a : dense_arrangements) {
      add_backward({3, 7, 37}, a, {}, {}, 1, Fill::typical);
      add_backward({3, 7, 37}, {}, a, a, 0.125, Fill::typical);
      add_backward({3, 7, 37}, a, a, {}, -2, Fill::moderate);
    }
    for (Arrangement a : broadcast_arrangements)
      add_backward({3, 7, 37}, a, {}, Arrangement::mixed, 1, Fill::typical);
    add_backward({4, 33}, {}, {}, {}, 1, Fill::one_nan);
    add_backward({4, 33}, {}, {}, {}, 1, Fill::constant);
    add_backward({4, 1025}, {}, {}, {}, 1, Fill::large_mean);
  }

 private:
  static std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (std::int64_t n : line_lengths()) all.push_back({3, n});
    all.insert(all.end(), {{1},
                           {37},
                           {0},
                           {0, 5},
                           {2, 0, 5},
                           {5, 1},
                           {7, 1025},
                           {70'000, 3},
                           {3, 20'011},
                           {2, 3, 4, 65},
                           {1, 2, 1, 3, 1, 2, 4, 9},
                           {400, 131}});
    return all;
  }

  Softmax shaped(const Shape& shape) const {
    Softmax s = base_;
    s.shape = shape;
    return s;
  }

  void layout(const Shape& shape, Arrangement from, Arrangement to) {
    Softmax s = shaped(shape);
    s.from = from, s.to = to;
    add(s);
    s.has_mask = true, s.mask_shape = shape, s.scale = 0.25;
    add(s);
  }

  void masks() {
    const Shape shape = {2, 3, 4, 19};  // batch, heads, rows, columns
    for (const Shape& mask : {Shape{19}, Shape{4, 19}, Shape{2, 1, 1, 19}, Shape{1, 1, 4, 19}, shape,
                              Shape{4, 1}, Shape{1}, Shape{3, 1, 19}}) {
      for (Fill fill : {Fill::mask, Fill::typical}) {
        for (double scale : {1.0, 0.125}) {
          Softmax s = shaped(shape);
          s.has_mask = true, s.mask_shape = mask, s.mask = fill, s.scale = scale;
          add(s);
        }
      }
    }
    Softmax same = shaped({2, 2, 2, 3});  // equal extents: a wrong axis does not show as a wrong shape
    same.has_mask = true, same.mask_shape = {2, 1, 1, 3};
    add(same);
  }

  void causal() {
    for (std::int64_t offset : {0, 3, -2, 100, -100}) {
      for (const Shape& shape : {Shape{9, 9}, Shape{2, 5, 40}, Shape{33}, Shape{70, 65}}) {
        Softmax s = shaped(shape);
        s.causal = true, s.causal_offset = offset, s.scale = 0.5;
        add(s);
        s.has_mask = true, s.mask_shape = {shape.back()}, s.from = Arrangement::mixed;
        add(s);
        s.input = {Fill::one_nan}, s.has_mask = false;
        add(s);
      }
    }
  }

  void values() {
    constexpr Real inf = std::numeric_limits<Real>::infinity();
    const Real most = largest(base_.dtype);
    for (const Values& v : {Values{Fill::constant, 88.72284L},
                            {Fill::constant, -inf},
                            {Fill::constant, inf},
                            {Fill::constant, -most},
                            {Fill::constant, most},
                            {Fill::mask},
                            {Fill::one_nan},
                            {Fill::tame},
                            {Fill::special},
                            {Fill::bits},
                            {Fill::large_mean, 1e4L},
                            {Fill::moderate},
                            {Fill::cancelling}}) {
      for (const Shape& shape : {Shape{9, 37}, Shape{5, 1}}) {
        Softmax s = shaped(shape);
        s.input = v;
        add(s);
      }
    }
    Softmax negative = shaped({5, 33});
    negative.scale = -3;
    add(negative);
    negative.scale = 0;
    add(negative);
  }

  void add(const Softmax& s) {
    Case c;
    c.op = Op::attn_softmax_fw, c.scale = s.scale, c.causal = s.causal,
    c.causal_offset = s.causal_offset;
    c.seed = list_.size();
    c.operands = {
        laid(s.dtype, s.shape, s.from, s.input, 7),
        s.has_mask ? Operand{s.dtype, broadcast(arrange(s.mask_shape), s.shape), {s.mask}} : absent(),
        laid(s.dtype, s.shape, s.to, {}, 8)};
    c.name = path("attn_softmax_fw", name(s.dtype), text(s.shape), name(s.input.fill),
                  std::string("from=") + name(s.from), std::string("to=") + name(s.to));
    if (s.input.fill == Fill::constant)
      c.name = path(c.name, std::to_string(static_cast<double>(s.input.a)));
    if (s.scale != 1) c.name = path(c.name, "scale=" + std::to_string(s.scale));
    if (s.has_mask) c.name = path(c.name, "mask=" + text(s.mask_shape), name(s.mask));
    if (s.causal) c.name = path(c.name, "causal=" + std::to_string(s.causal_offset));
    list_.push_back(std::move(c));
  }

  void add_backward(const Shape& shape, Arrangement grad, Arrangement soft, Arrangement to,
                    double scale, Fill fill) {
    Case c;
    c.op = Op::attn_softmax_bw, c.scale = scale, c.seed = list_.size();
    c.operands = {laid(base_.dtype, shape, grad, {fill, 100}, 9),
                  laid(base_.dtype, shape, soft, {Fill::probability}, 10),
                  laid(base_.dtype, shape, to, {}, 11)};
    c.name = path("attn_softmax_bw", name(base_.dtype), text(shape), name(fill),
                  std::string("grad=") + name(grad), std::string("soft=") + name(soft),
                  std::string("to=") + name(to), "scale=" + std::to_string(scale));
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Softmax base_;
};

}  // namespace

std::vector<Case> softmax_cases(Op op) {
  std::vector<Case> list;
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
    SoftmaxCases cases(list, dtype);
    op == Op::attn_softmax_fw ? cases.forward() : cases.backward();
  }
  return list;
}

}  // namespace torchlight::test
