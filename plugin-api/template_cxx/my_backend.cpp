// A Torchlight backend in one file: host memory, plain loops, C++20. Copy it, rename it, and replace the
// loops by what your hardware does. It shows everything that a backend must do and little it may do:
//
//   say what it is     TL_PLUGIN_NOTE, the table, the one exported function at the end
//   know its limits    check_… decides for `supports` and for the call alike, so they never disagree
//   respect the views  any rank up to 8, any strides: 0 repeats an element, negative ones run backwards
//   keep C++ inside    functions are noexcept, primitives allocate nothing, no static object has a destructor
//
// What it declines, the core composes from what it offers or gives to another backend. Build it with the
// CMakeLists.txt beside it, and see docs/adding-a-plugin.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include <torchlight/plugin.h>

TL_PLUGIN_NOTE("my_backend", "0.1.0", 0);

struct tl_device {};  // what a device of yours has to remember; here it is nothing

namespace {

// ---- saying no: TL_DECLINED to what is not offered, TL_E_ARGUMENT to what makes no sense -------------

[[gnu::format(printf, 3, 4)]] int32_t refuse(int32_t status, tl_error* error, const char* format,
                                             ...) noexcept {
  std::va_list values;
  va_start(values, format);
  if (error->capacity > 0) std::vsnprintf(error->text, error->capacity, format, values);
  va_end(values);
  return status;
}

/// A caller from the future may say more than is known here, as long as it is all zeros.
int32_t check_size(const void* memory, uint32_t size, uint32_t known, tl_error* error) noexcept {
  if (size < known) return refuse(TL_E_ARGUMENT, error, "a struct of %u bytes is too short", size);
  const std::span bytes(static_cast<const unsigned char*>(memory), size);
  const auto tail = bytes.subspan(known);
  if (std::all_of(tail.begin(), tail.end(), [](unsigned char byte) { return byte == 0; })) return TL_OK;
  return refuse(TL_DECLINED, error, "my_backend is older than this call");
}

template <class Args> int32_t check_head(const Args& args, tl_error* error) noexcept {
  if (args.head.flags != 0)
    return refuse(TL_DECLINED, error, "flags 0x%x are unknown", args.head.flags);
  return check_size(&args, args.head.size, sizeof args, error);
}

enum class Type { unknown, boolean, float32, float64 };

Type type_of(const tl_view& view) noexcept {
  const tl_dtype dtype = view.dtype;
  if (dtype.lanes != 1) return Type::unknown;
  if (dtype.code == TL_BOOL && dtype.bits == 8) return Type::boolean;
  if (dtype.code == TL_FLOAT && dtype.bits == 32) return Type::float32;
  if (dtype.code == TL_FLOAT && dtype.bits == 64) return Type::float64;
  return Type::unknown;
}

std::span<const int64_t> extents(const tl_view& view) noexcept { return {view.extent, view.rank}; }

int32_t check_view(const tl_view* view, tl_error* error) noexcept {
  if (!view) return refuse(TL_E_ARGUMENT, error, "a view is missing");
  const int32_t status = check_size(view, view->size, sizeof *view, error);
  if (status != TL_OK) return status;
  if (view->flags & ~uint32_t{TL_VIEW_ALIGNED}) return refuse(TL_DECLINED, error, "view flags unknown");
  if (view->rank > TL_MAX_RANK) return refuse(TL_E_ARGUMENT, error, "rank %u is above 8", view->rank);
  if (type_of(*view) != Type::unknown) return TL_OK;
  return refuse(TL_DECLINED, error, "my_backend has no such element type");
}

/// An input of the output's extents. Only floats go in; they come out as they are, or as a bool.
int32_t check_input(const tl_view* input, const tl_view& output, tl_error* error) noexcept {
  const int32_t status = check_view(input, error);
  if (status != TL_OK) return status;
  if (type_of(*input) == Type::boolean)
    return refuse(TL_DECLINED, error, "my_backend computes in floats alone");
  const auto theirs = extents(*input), ours = extents(output);
  if (!std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end()))
    return refuse(TL_E_ARGUMENT, error, "the extents of an input and the output differ");
  return TL_OK;
}

int32_t check_type(const tl_view& view, Type type, tl_error* error) noexcept {
  return type_of(view) == type ? TL_OK : refuse(TL_DECLINED, error, "not for these element types");
}

// ---- elements of views -------------------------------------------------------------------------------

using Index = std::array<int64_t, TL_MAX_RANK>;

int64_t offset_of(const tl_view& view, const Index& index) noexcept {  // in elements
  int64_t offset = 0;
  for (uint32_t k = 0; k < view.rank; ++k) offset += index[k] * view.stride[k];
  return offset;
}

/// The elements of a view along its last axis, from an index on.
template <class T> struct Row {
  Row(const tl_view& view, const Index& index) noexcept
      : data(reinterpret_cast<T*>(static_cast<char*>(view.base) + view.byte_offset) +
             offset_of(view, index)),
        stride(view.rank > 0 ? view.stride[view.rank - 1] : 0) {}
  T& operator[](int64_t i) const noexcept { return data[i * stride]; }

  T* data;
  int64_t stride;
};

int64_t row_length(const tl_view& view) noexcept {
  return view.rank > 0 ? view.extent[view.rank - 1] : 1;
}

/// Calls use(index of the first element) for each row of a shape that has elements.
template <std::invocable<const Index&> Use> void for_each_row(const tl_view& shape, Use use) noexcept {
  for (const int64_t extent : extents(shape))
    if (extent == 0) return;
  Index index{};
  for (;;) {
    use(index);
    uint32_t k = shape.rank > 0 ? shape.rank - 1 : 0;
    while (k > 0 && ++index[k - 1] == shape.extent[k - 1]) index[--k] = 0;
    if (k == 0) return;
  }
}

/// to[i] = f(from[i]…). The first loop is one that compilers turn into vector instructions.
template <class To, class F, class... From>
void transform(int64_t count, Row<To> to, F f, Row<From>... from) noexcept {
  if (to.stride == 1 && ((from.stride == 1) && ...)) {
    for (int64_t i = 0; i < count; ++i) to.data[i] = static_cast<To>(f(from.data[i]...));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(f(from[i]...));
  }
}

/// Calls use(T{}) with the type of a view's elements.
template <class Use> void with_float(const tl_view& view, Use use) noexcept {
  if (type_of(view) == Type::float32) return use(float{});
  use(double{});
}

template <class Use> void with_type(const tl_view& view, Use use) noexcept {
  if (type_of(view) == Type::boolean) return use(bool{});
  with_float(view, use);
}

// ---- map ---------------------------------------------------------------------------------------------

/// Calls use(the function of this id); false for one that is not offered. What may lose accuracy in a
/// float32 is computed in double and rounded once.
template <std::floating_point T, class Use> bool with_map(uint32_t fn, T a, Use use) noexcept {
  switch (fn) {
    case TL_MAP_copy: return use([](T x) { return x; }), true;
    case TL_MAP_neg: return use([](T x) { return -x; }), true;
    case TL_MAP_abs: return use([](T x) { return std::abs(x); }), true;
    case TL_MAP_sqrt: return use([](T x) { return std::sqrt(x); }), true;
    case TL_MAP_exp: return use([](T x) { return std::exp(double{x}); }), true;
    case TL_MAP_log: return use([](T x) { return std::log(double{x}); }), true;
    case TL_MAP_tanh: return use([](T x) { return std::tanh(double{x}); }), true;
    case TL_MAP_sigmoid: return use([](T x) { return 1 / (1 + std::exp(-double{x})); }), true;
    case TL_MAP_relu: return use([](T x) { return x < 0 ? T{0} : x; }), true;  // keeps NaN
    case TL_MAP_add_scalar: return use([a](T x) { return x + a; }), true;
    case TL_MAP_mul_scalar: return use([a](T x) { return x * a; }), true;
    default: return false;
  }
}

bool is_map(uint32_t fn) noexcept {
  return fn == TL_MAP_fill || with_map(fn, 0.0, [](auto) {});
}

int32_t check_map(const tl_map_args& a, tl_error* error) noexcept {
  int32_t status = check_head(a, error);
  if (status == TL_OK) status = check_view(a.output, error);
  if (status != TL_OK) return status;
  if (!is_map(a.fn)) return refuse(TL_DECLINED, error, "no map function %u", a.fn);
  const bool scalar = a.fn == TL_MAP_fill || a.fn == TL_MAP_add_scalar || a.fn == TL_MAP_mul_scalar;
  if (a.param_count != (scalar ? 1 : 0)) return refuse(TL_E_ARGUMENT, error, "wrong parameters");
  if (a.fn == TL_MAP_fill) return a.input ? refuse(TL_E_ARGUMENT, error, "fill has no input") : TL_OK;
  status = check_input(a.input, *a.output, error);
  if (status != TL_OK || a.fn == TL_MAP_copy) return status;  // copy converts to any type
  return check_type(*a.output, type_of(*a.input), error);
}

template <class To> void fill(const tl_view& output, double value) noexcept {
  for_each_row(output, [&](const Index& index) {
    transform(row_length(output), Row<To>(output, index), [&] { return value; });
  });
}

int32_t map(tl_device*, tl_stream*, const tl_map_args* a, tl_error* error) noexcept {
  const int32_t status = check_map(*a, error);
  if (status != TL_OK) return status;
  const tl_view& output = *a->output;
  if (a->fn == TL_MAP_fill) {
    with_type(output, [&]<class To>(To) { fill<To>(output, a->params[0]); });
    return TL_OK;
  }
  const auto run = [&]<class From, class To>(From, To) {
    // A parameter has the input's type.
    const auto parameter = static_cast<From>(a->param_count > 0 ? a->params[0] : 0);
    with_map(a->fn, parameter, [&](auto f) {
      for_each_row(output, [&](const Index& index) {
        transform(row_length(output), Row<To>(output, index), f, Row<const From>(*a->input, index));
      });
    });
  };
  with_float(*a->input, [&](auto from) {
    if (a->fn == TL_MAP_copy) return with_type(output, [&](auto to) { run(from, to); });
    run(from, from);
  });
  return TL_OK;
}

// ---- zip ---------------------------------------------------------------------------------------------

/// NaN if either is.
constexpr auto larger = [](auto x, auto y) { return x != x || x > y ? x : y; };
constexpr auto smaller = [](auto x, auto y) { return x != x || x < y ? x : y; };

template <std::floating_point T, class Use> bool with_zip(uint32_t fn, Use use) noexcept {
  switch (fn) {
    case TL_ZIP_add: return use([](T x, T y) { return x + y; }), true;
    case TL_ZIP_sub: return use([](T x, T y) { return x - y; }), true;
    case TL_ZIP_mul: return use([](T x, T y) { return x * y; }), true;
    case TL_ZIP_div: return use([](T x, T y) { return x / y; }), true;
    case TL_ZIP_maximum: return use(larger), true;
    case TL_ZIP_minimum: return use(smaller), true;
    case TL_ZIP_eq: return use([](T x, T y) { return x == y; }), true;
    case TL_ZIP_lt: return use([](T x, T y) { return x < y; }), true;
    default: return false;
  }
}

int32_t check_zip(const tl_zip_args& a, tl_error* error) noexcept {
  int32_t status = check_head(a, error);
  if (status == TL_OK && a.reserved) status = refuse(TL_DECLINED, error, "my_backend is too old");
  if (status == TL_OK) status = check_view(a.output, error);
  if (status != TL_OK) return status;
  if (!with_zip<double>(a.fn, [](auto) {}))
    return refuse(TL_DECLINED, error, "no zip function %u", a.fn);
  if (a.input_count != 2 || a.param_count) return refuse(TL_E_ARGUMENT, error, "two inputs needed");
  for (int i = 0; i < 2 && status == TL_OK; ++i) status = check_input(a.inputs[i], *a.output, error);
  if (status == TL_OK) status = check_type(*a.inputs[1], type_of(*a.inputs[0]), error);
  if (status != TL_OK) return status;
  const bool compares = a.fn == TL_ZIP_eq || a.fn == TL_ZIP_lt;
  return check_type(*a.output, compares ? Type::boolean : type_of(*a.inputs[0]), error);
}

int32_t zip(tl_device*, tl_stream*, const tl_zip_args* a, tl_error* error) noexcept {
  const int32_t status = check_zip(*a, error);
  if (status != TL_OK) return status;
  const tl_view& output = *a->output;
  with_float(*a->inputs[0], [&]<class T>(T) {
    with_zip<T>(a->fn, [&](auto f) {
      using To = std::invoke_result_t<decltype(f), T, T>;  // T, or bool where it compares
      for_each_row(output, [&](const Index& index) {
        transform(row_length(output), Row<To>(output, index), f, Row<const T>(*a->inputs[0], index),
                  Row<const T>(*a->inputs[1], index));
      });
    });
  });
  return TL_OK;
}

// ---- reduce ------------------------------------------------------------------------------------------

/// The input with extent 1 along the axes that are reduced, or along those that are not.
tl_view part_of(const tl_reduce_args& a, bool reduced) noexcept {
  tl_view part = *a.input;
  part.size = sizeof part;
  for (uint32_t k = 0; k < part.rank; ++k)
    if ((a.axis_mask >> k & 1) == reduced) part.extent[k] = 1;
  return part;
}

int32_t check_reduce(const tl_reduce_args& a, tl_error* error) noexcept {
  int32_t status = check_head(a, error);
  if (status == TL_OK) status = check_view(a.output, error);
  if (status == TL_OK) status = check_view(a.input, error);
  if (status != TL_OK) return status;
  if (a.fn != TL_REDUCE_sum && a.fn != TL_REDUCE_max && a.fn != TL_REDUCE_min)
    return refuse(TL_DECLINED, error, "my_backend has no reduction %u", a.fn);
  if (a.axis_mask >> a.input->rank) return refuse(TL_E_ARGUMENT, error, "there is no such axis");
  const tl_view kept = part_of(a, true);
  status = check_input(&kept, *a.output, error);
  return status == TL_OK ? check_type(*a.output, type_of(*a.input), error) : status;
}

/// A sum that remembers what rounding took away, so that its error doesn't grow with its length.
class Sum {
 public:
  void operator()(double x) noexcept {
    const double sum = total_ + x;
    lost_ += std::abs(total_) >= std::abs(x) ? (total_ - sum) + x : (x - sum) + total_;
    total_ = sum;
  }
  double value() const noexcept { return std::isfinite(total_) ? total_ + lost_ : total_; }

 private:
  double total_ = 0, lost_ = 0;
};

template <class F> class Best {
 public:
  Best(F f, double worst) noexcept : f_(f), value_(worst) {}
  void operator()(double x) noexcept { value_ = f_(x, value_); }
  double value() const noexcept { return value_; }

 private:
  F f_;
  double value_;
};

template <class T, class Total> T total_of(const tl_view& group, Total total) noexcept {
  for_each_row(group, [&](const Index& index) {
    const Row<const T> row(group, index);
    for (int64_t i = 0; i < row_length(group); ++i) total(double{row[i]});
  });
  return static_cast<T>(total.value());
}

int32_t reduce(tl_device*, tl_stream*, const tl_reduce_args* a, tl_error* error) noexcept {
  const int32_t status = check_reduce(*a, error);
  if (status != TL_OK) return status;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const tl_view& output = *a->output;
  with_float(output, [&]<class T>(T) {
    const auto total = [&](const tl_view& group) noexcept {
      if (a->fn == TL_REDUCE_sum) return total_of<T>(group, Sum());
      if (a->fn == TL_REDUCE_max) return total_of<T>(group, Best(larger, -infinity));
      return total_of<T>(group, Best(smaller, infinity));
    };
    for_each_row(output, [&](Index index) {
      const Row<T> to(output, index);
      tl_view group =
          part_of(*a, false);  // what falls into one element of the output: a view like any other
      for (int64_t i = 0; i < row_length(output); ++i) {
        if (output.rank > 0) index[output.rank - 1] = i;
        // A number, not a pointer: where there is nothing to add up there may be no memory, either.
        group.byte_offset =
            a->input->byte_offset + static_cast<uint64_t>(offset_of(*a->input, index)) * sizeof(T);
        to[i] = total(group);
      }
    });
  });
  return TL_OK;
}

// ---- matmul ------------------------------------------------------------------------------------------

/// (…, m, k) (…, k, n) → (…, m, n).
int32_t check_matmul(const tl_matmul_args& a, tl_error* error) noexcept {
  int32_t status = check_head(a, error);
  if (status == TL_OK && (a.activation != TL_FN_NONE || a.reserved))
    status = refuse(TL_DECLINED, error, "my_backend's matmul has no activation");
  for (const tl_view* view : {a.output, a.a, a.b})
    if (status == TL_OK) status = check_view(view, error);
  if (status != TL_OK) return status;
  const uint32_t rank = a.output->rank;
  if (rank < 2 || a.a->rank != rank || a.b->rank != rank)
    return refuse(TL_E_ARGUMENT, error, "the ranks don't fit");
  if (a.a->extent[rank - 1] != a.b->extent[rank - 2]) return refuse(TL_E_ARGUMENT, error, "k differs");
  tl_view left = *a.a, right = *a.b;  // with the output's extents where k stood
  left.size = right.size = sizeof left;
  left.extent[rank - 1] = a.output->extent[rank - 1];
  right.extent[rank - 2] = a.output->extent[rank - 2];
  for (const tl_view* input :
       {static_cast<const tl_view*>(&left), static_cast<const tl_view*>(&right), a.bias}) {
    if (!input) break;  // the bias is optional
    status = check_input(input, *a.output, error);
    if (status == TL_OK) status = check_type(*input, type_of(*a.output), error);
    if (status != TL_OK) break;
  }
  return status;
}

template <class T>
double dot(Row<const T> left, const T* right, int64_t right_stride, int64_t count) noexcept {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += double{left[k]} * double{right[k * right_stride]};
  return sum;
}

template <class T> void multiply(const tl_matmul_args& a) noexcept {
  const tl_view& output = *a.output;
  const int64_t count = a.a->extent[output.rank - 1], down = a.b->stride[output.rank - 2];
  for_each_row(output, [&](const Index& index) {
    Index column = index;
    column[output.rank - 2] = 0;  // b's first row of the same batch
    const Row<T> to(output, index);
    const bool is_empty = count == 0;  // then a and b may stand nowhere, and nothing is read
    const Row<const T> left(is_empty ? output : *a.a, index), right(is_empty ? output : *a.b, column);
    for (int64_t j = 0; j < row_length(output); ++j) {
      double sum = a.alpha * dot(left, &right[j], down, count);
      if (a.beta != 0) sum += a.beta * double{to[j]};  // with 0 it may hold anything
      if (a.bias) sum += double{Row<const T>(*a.bias, index)[j]};
      to[j] = static_cast<T>(sum);
    }
  });
}

int32_t matmul(tl_device*, tl_stream*, const tl_matmul_args* a, tl_error* error) noexcept {
  const int32_t status = check_matmul(*a, error);
  if (status == TL_OK) with_float(*a->output, [&]<class T>(T) { multiply<T>(*a); });
  return status;
}

// ---- the device --------------------------------------------------------------------------------------

constinit tl_device the_device;

int32_t device_count(uint32_t* count, tl_error*) noexcept {
  *count = 1;  // 0 where the hardware is missing; that is no error
  return TL_OK;
}

/// A caller of another age may have room for less or more than is known here; its size is its own.
template <class Answer> void answer(Answer* theirs, const Answer& ours) noexcept {
  const uint32_t bytes = std::min(theirs->size, ours.size);
  constexpr size_t skip = sizeof theirs->size;
  if (bytes > skip)
    std::memcpy(reinterpret_cast<char*>(theirs) + skip, reinterpret_cast<const char*>(&ours) + skip,
                bytes - skip);
}

int32_t check_index(uint32_t index, tl_error* error) noexcept {
  return index == 0 ? TL_OK
                    : refuse(TL_E_ARGUMENT, error, "my_backend has one device, not %u", index + 1);
}

int32_t device_info(uint32_t index, tl_device_info* info, tl_error* error) noexcept {
  const int32_t status = check_index(index, error);
  if (status == TL_OK)
    answer(info, {sizeof(tl_device_info), TL_SPACE_HOST, 0, 0, 0, "plain C++ loops", "none"});
  return status;
}

int32_t open_device(uint32_t index, tl_device** device, tl_error* error) noexcept {
  const int32_t status = check_index(index, error);
  if (status == TL_OK) *device = &the_device;
  return status;
}

void close_device(tl_device*) noexcept {}

int32_t check(uint32_t primitive, const tl_args* args, tl_error* error) noexcept {
  switch (primitive) {
    case TL_PRIMITIVE_MAP: return check_map(*reinterpret_cast<const tl_map_args*>(args), error);
    case TL_PRIMITIVE_ZIP: return check_zip(*reinterpret_cast<const tl_zip_args*>(args), error);
    case TL_PRIMITIVE_REDUCE:
      return check_reduce(*reinterpret_cast<const tl_reduce_args*>(args), error);
    case TL_PRIMITIVE_MATMUL:
      return check_matmul(*reinterpret_cast<const tl_matmul_args*>(args), error);
    default: return refuse(TL_DECLINED, error, "my_backend has no primitive %u", primitive);
  }
}

int32_t supports(tl_device*, uint32_t primitive, const tl_args* args, tl_support* support,
                 tl_error* error) noexcept {
  tl_support ours = {sizeof ours, TL_TRAIT_REPEATABLE | TL_TRAIT_SLOW, 0};
  if (primitive <= TL_PRIMITIVE_ZIP) ours.traits |= TL_TRAIT_IN_PLACE;  // read first, then written
  const int32_t status = check(primitive, args, error);
  if (status == TL_OK) answer(support, ours);
  return status;
}

// ---- the table and the one exported function ---------------------------------------------------------

// The core owns the memory of HOST devices, and they work at once: no memory and stream functions.
constexpr tl_backend table = [] {
  tl_backend b{};
  b.size = sizeof b;
  b.abi_major = TL_ABI_MAJOR;
  b.abi_minor = TL_ABI_MINOR;
  b.name = "my_backend";
  b.version = "0.1.0";
  b.device_count = device_count;
  b.device_info = device_info;
  b.open = open_device;
  b.close = close_device;
  b.supports = supports;
  b.map = map;
  b.zip = zip;
  b.reduce = reduce;
  b.matmul = matmul;
  return b;
}();

}  // namespace

// The host has a log, settings and a thread pool: keep it to use them.
int32_t torchlight_plugin_v1(const tl_host*, const tl_backend** backend, tl_error*) noexcept {
  *backend = &table;
  return TL_OK;
}
