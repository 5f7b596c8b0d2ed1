#pragma once

#include <limits>

#include "kernels/registers.h"
#include "kernels/types.h"

/// What is reduced: each policy folds a contiguous run of elements, or rows of columns, into states.
///   State identity(); void fold(State&, const State&); Out finish(const State&)
///   State run(const In* p, int64_t n)
///   void columns(const char* p, int64_t rows, int64_t stride, int64_t n, State* states)
namespace cpu_simd::TL_ISA {

/// Terms that are added in the element's own type before they go into a Total.
constexpr int64_t short_sum = 16;

template <class T> struct SumOf {
  using In = T;
  using Out = T;
  using State = Total<T>;
  static constexpr int64_t width = lanes<T>;

  CPU_SIMD_INLINE static State identity() noexcept { return {}; }
  CPU_SIMD_INLINE static void fold(State& a, const State& b) noexcept { a.add(b); }
  CPU_SIMD_INLINE static Out finish(const State& s) noexcept { return s.result(); }

  CPU_SIMD_INLINE static void add_lanes(State* states, const Vec<T>& v,
                                        int64_t count = width) noexcept {
    alignas(64) T a[width];
    v.store_aligned(a);
    for (int64_t i = 0; i < count; ++i) states[i].add(static_cast<double>(a[i]));
  }

  /// Has a short sum left float32's range? Its terms are then added again in float64, in which the rest
  /// may bring the sum back. float64 has nothing wider to turn to.
  CPU_SIMD_INLINE static bool left_range(const Vec<T>& sum) noexcept {
    return std::is_same_v<T, float> && xsimd::any(differs(sum - sum, splat(T(0))));
  }

  static State run(const T* p, int64_t n) noexcept {
    constexpr int64_t block = 4 * width * short_sum;  // of four short sums side by side
    const auto add = [](const Vec<T>& a, const Vec<T>& b) { return a + b; };
    State lane[width];
    for (int64_t first = 0; first < n; first += block) {
      const auto at = [=](int64_t i, auto part) { return load(p + first + i, part); };
      const auto step = [&](const Vec<T>& sum, int64_t i, auto part) { return sum + at(i, part); };
      const int64_t count = least(block, n - first);
      const Vec<T> sum = fold_registers<T>(count, splat(T(0)), step, add);
      if (left_range(sum))
        for_registers<T>(count, [&](int64_t i, auto part) { add_lanes(lane, at(i, part)); });
      else
        add_lanes(lane, sum);
    }
    for (int64_t half = width / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) lane[l].add(lane[l + half]);
    return lane[0];
  }

  static void columns(const char* p, int64_t rows, int64_t stride, int64_t n, State* states) noexcept {
    for (int64_t first = 0; first < rows; first += short_sum) {
      const int64_t count = rows - first < short_sum ? rows - first : short_sum;
      const char* row = p + first * stride;
      for (int64_t c = 0; c < n; c += width) {
        const bool is_whole = n - c >= width;
        const auto at = [&](int64_t r) noexcept {
          const T* q = reinterpret_cast<const T*>(row + r * stride) + c;
          return is_whole ? load(q) : load_part(q, n - c);
        };
        Vec<T> sum = at(0);
        for (int64_t r = 1; r < count; ++r) sum += at(r);
        const int64_t wanted = is_whole ? width : n - c;
        if (left_range(sum))
          for (int64_t r = 0; r < count; ++r) add_lanes(states + c, at(r), wanted);
        else
          add_lanes(states + c, sum, wanted);
      }
    }
  }
};

template <class T> struct Largest {
  CPU_SIMD_INLINE static T start() noexcept { return -std::numeric_limits<T>::infinity(); }
  CPU_SIMD_INLINE static Vec<T> of(const Vec<T>& a, const Vec<T>& b) noexcept { return maximum(a, b); }
  CPU_SIMD_INLINE static T of(T a, T b) noexcept { return a != a || a > b ? a : b; }
};
template <class T> struct Smallest {
  CPU_SIMD_INLINE static T start() noexcept { return std::numeric_limits<T>::infinity(); }
  CPU_SIMD_INLINE static Vec<T> of(const Vec<T>& a, const Vec<T>& b) noexcept { return minimum(a, b); }
  CPU_SIMD_INLINE static T of(T a, T b) noexcept { return a != a || a < b ? a : b; }
};

/// Largest or smallest of real numbers, NaN if any is.
template <class T, class Choose> struct ExtremeOf {
  using In = T;
  using Out = T;
  using State = T;
  static constexpr int64_t width = lanes<T>;

  CPU_SIMD_INLINE static State identity() noexcept { return Choose::start(); }
  CPU_SIMD_INLINE static void fold(State& a, const State& b) noexcept { a = Choose::of(a, b); }
  CPU_SIMD_INLINE static Out finish(const State& s) noexcept { return s; }

  static State run(const T* p, int64_t n) noexcept {
    State best = identity();
    if (n < width) {
      for (int64_t i = 0; i < n; ++i) fold(best, p[i]);
      return best;
    }
    Vec<T> a = load(p), b = a, c = a, d = a;
    int64_t i = width;
    for (; i + 4 * width <= n; i += 4 * width) {
      a = Choose::of(a, load(p + i));
      b = Choose::of(b, load(p + i + width));
      c = Choose::of(c, load(p + i + 2 * width));
      d = Choose::of(d, load(p + i + 3 * width));
    }
    for (; i + width <= n; i += width) a = Choose::of(a, load(p + i));
    b = Choose::of(b, load(p + n - width));  // the rest, some of it once more
    alignas(64) T lane[width];
    Choose::of(Choose::of(a, b), Choose::of(c, d)).store_aligned(lane);
    for (int64_t l = 0; l < width; ++l) fold(best, lane[l]);
    return best;
  }

  static void columns(const char* p, int64_t rows, int64_t stride, int64_t n, State* states) noexcept {
    for (int64_t c = 0; c < n; c += width) {
      const bool is_whole = n - c >= width;
      Vec<T> best = is_whole ? load(states + c) : load_part(states + c, n - c);
      for (int64_t r = 0; r < rows; ++r) {
        const T* q = reinterpret_cast<const T*>(p + r * stride) + c;
        best = Choose::of(best, is_whole ? load(q) : load_part(q, n - c));
      }
      if (is_whole)
        store(states + c, best);
      else
        store_part(states + c, best, n - c);
    }
  }
};

/// A policy of single values: the compiler makes vectors of its loops where it can.
template <class InType, class OutType, class StateType, class Each> struct Simple {
  using In = InType;
  using Out = OutType;
  using State = StateType;

  CPU_SIMD_INLINE static State identity() noexcept { return Each::start(); }
  CPU_SIMD_INLINE static void fold(State& a, const State& b) noexcept { a = Each::join(a, b); }
  CPU_SIMD_INLINE static Out finish(const State& s) noexcept { return Each::finish(s); }

  static State run(const In* p, int64_t n) noexcept {
    constexpr int64_t ways = 16;  // independent chains
    State lane[ways];
    for (State& s : lane) s = identity();
    int64_t i = 0;
    for (; i + ways <= n; i += ways)
      for (int64_t l = 0; l < ways; ++l) lane[l] = Each::step(lane[l], p[i + l]);
    for (int64_t l = 0; i < n; ++i, ++l) lane[l] = Each::step(lane[l], p[i]);
    for (int64_t half = ways / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) fold(lane[l], lane[l + half]);
    return lane[0];
  }

  static void columns(const char* p, int64_t rows, int64_t stride, int64_t n, State* states) noexcept {
    for (int64_t r = 0; r < rows; ++r) {
      const In* q = reinterpret_cast<const In*>(p + r * stride);
      for (int64_t c = 0; c < n; ++c) states[c] = Each::step(states[c], q[c]);
    }
  }
};

/// Products of real numbers are taken in float64, and rounded once.
template <class T> struct Multiply {
  CPU_SIMD_INLINE static double start() noexcept { return 1; }
  CPU_SIMD_INLINE static double step(double a, T x) noexcept { return a * static_cast<double>(x); }
  CPU_SIMD_INLINE static double join(double a, double b) noexcept { return a * b; }
  CPU_SIMD_INLINE static T finish(double a) noexcept { return static_cast<T>(a); }
};

struct IntAdd {
  CPU_SIMD_INLINE static Int start() noexcept { return {0}; }
  CPU_SIMD_INLINE static Int step(Int a, Int x) noexcept { return a + x; }
  CPU_SIMD_INLINE static Int join(Int a, Int b) noexcept { return a + b; }
  CPU_SIMD_INLINE static Int finish(Int a) noexcept { return a; }
};
struct IntMultiply {
  CPU_SIMD_INLINE static Int start() noexcept { return {1}; }
  CPU_SIMD_INLINE static Int step(Int a, Int x) noexcept { return a * x; }
  CPU_SIMD_INLINE static Int join(Int a, Int b) noexcept { return a * b; }
  CPU_SIMD_INLINE static Int finish(Int a) noexcept { return a; }
};
struct IntLargest {
  CPU_SIMD_INLINE static Int start() noexcept { return {std::numeric_limits<int64_t>::min()}; }
  CPU_SIMD_INLINE static Int step(Int a, Int x) noexcept { return maximum(a, x); }
  CPU_SIMD_INLINE static Int join(Int a, Int b) noexcept { return maximum(a, b); }
  CPU_SIMD_INLINE static Int finish(Int a) noexcept { return a; }
};
struct IntSmallest {
  CPU_SIMD_INLINE static Int start() noexcept { return {std::numeric_limits<int64_t>::max()}; }
  CPU_SIMD_INLINE static Int step(Int a, Int x) noexcept { return minimum(a, x); }
  CPU_SIMD_INLINE static Int join(Int a, Int b) noexcept { return minimum(a, b); }
  CPU_SIMD_INLINE static Int finish(Int a) noexcept { return a; }
};

CPU_SIMD_INLINE bool is_true(float x) noexcept { return x != 0; }
CPU_SIMD_INLINE bool is_true(double x) noexcept { return x != 0; }
CPU_SIMD_INLINE bool is_true(Int x) noexcept { return x.value != 0; }
CPU_SIMD_INLINE bool is_true(Bool x) noexcept { return truth(x); }

template <class T> struct AnyTrue {
  CPU_SIMD_INLINE static uint8_t start() noexcept { return 0; }
  CPU_SIMD_INLINE static uint8_t step(uint8_t a, T x) noexcept {
    return a | static_cast<uint8_t>(is_true(x));
  }
  CPU_SIMD_INLINE static uint8_t join(uint8_t a, uint8_t b) noexcept { return a | b; }
  CPU_SIMD_INLINE static Bool finish(uint8_t a) noexcept { return {a}; }
};
template <class T> struct AllTrue {
  CPU_SIMD_INLINE static uint8_t start() noexcept { return 1; }
  CPU_SIMD_INLINE static uint8_t step(uint8_t a, T x) noexcept {
    return a & static_cast<uint8_t>(is_true(x));
  }
  CPU_SIMD_INLINE static uint8_t join(uint8_t a, uint8_t b) noexcept { return a & b; }
  CPU_SIMD_INLINE static Bool finish(uint8_t a) noexcept { return {a}; }
};

}  // namespace cpu_simd::TL_ISA
