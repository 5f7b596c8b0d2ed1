#pragma once

#include "math.cuh"

/// What is reduced or scanned: a policy folds elements into states and joins states in order.
///   State identity(); void step(State&, T x, int64_t position); void join(State&, State later); Out finish(State)
/// States are plain words, since they travel through shuffles and shared memory.
namespace kernels {

/// A sum whose error doesn't grow with the number of terms: float32 adds up in float64, float64 with the
/// rounding error carried along.
template <class T> struct Total;

template <> struct Total<float> {
  double value;

  static TL_DEVICE Total zero() { return {0}; }
  TL_DEVICE void add(double x) { value += x; }
  TL_DEVICE void add(const Total& other) { value += other.value; }
  TL_DEVICE double wide() const { return value; }
  TL_DEVICE float result() const { return static_cast<float>(value); }
};

template <> struct Total<double> {
  double value, error;

  static TL_DEVICE Total zero() { return {0, 0}; }
  TL_DEVICE void add(double x) {
    const double sum = value + x, part = sum - value;
    const double lost = (value - (sum - part)) + (x - part);
    error += lost - lost == 0 ? lost : 0;  // beside infinities there is nothing to carry
    value = sum;
  }
  TL_DEVICE void add(const Total& other) {
    add(other.value);
    error += other.error;
  }
  TL_DEVICE double wide() const { return value + error; }
  TL_DEVICE double result() const { return wide(); }
};

template <> struct Total<Int> {
  Int value;

  static TL_DEVICE Total zero() { return {{0}}; }
  TL_DEVICE void add(Int x) { value = value + x; }
  TL_DEVICE void add(const Total& other) { value = value + other.value; }
  TL_DEVICE Int result() const { return value; }
};

template <class T> struct reduce_sum {
  using State = Total<T>;
  using Out = T;
  static TL_DEVICE State identity() { return State::zero(); }
  static TL_DEVICE void step(State& s, T x, int64_t) { s.add(x); }
  static TL_DEVICE void join(State& s, const State& later) { s.add(later); }
  static TL_DEVICE Out finish(const State& s) { return s.result(); }
};

/// Products of real numbers are taken in float64, and rounded once.
template <class T> struct Factor { using Type = double; };
template <> struct Factor<Int> { using Type = Int; };

template <class T> struct reduce_prod {
  using State = typename Factor<T>::Type;
  using Out = T;
  static TL_DEVICE State identity() { return Constant<State>::of(1); }
  static TL_DEVICE void step(State& s, T x, int64_t) { s = s * static_cast<State>(x); }
  static TL_DEVICE void join(State& s, const State& later) { s = s * later; }
  static TL_DEVICE Out finish(const State& s) { return static_cast<T>(s); }
};

template <class T> struct reduce_max {
  using State = T;
  using Out = T;
  static TL_DEVICE State identity() { return Limits<T>::lowest(); }
  static TL_DEVICE void step(State& s, T x, int64_t) { s = maximum(s, x); }
  static TL_DEVICE void join(State& s, const State& later) { s = maximum(s, later); }
  static TL_DEVICE Out finish(const State& s) { return s; }
};

template <class T> struct reduce_min {
  using State = T;
  using Out = T;
  static TL_DEVICE State identity() { return Limits<T>::highest(); }
  static TL_DEVICE void step(State& s, T x, int64_t) { s = minimum(s, x); }
  static TL_DEVICE void join(State& s, const State& later) { s = minimum(s, later); }
  static TL_DEVICE Out finish(const State& s) { return s; }
};

/// The first of the most extreme; NaN is the most extreme of all. Position -1: nothing yet.
template <class T, bool largest> struct FirstExtreme {
  struct State {
    T value;
    int64_t position;
  };
  using Out = Int;

  static TL_DEVICE bool beats(T x, T best) {
    if (is_nan(best)) return false;
    return is_nan(x) || (largest ? x > best : x < best);
  }
  static TL_DEVICE State identity() { return {Constant<T>::of(0), -1}; }
  static TL_DEVICE void step(State& s, T x, int64_t position) { join(s, {x, position}); }
  static TL_DEVICE void join(State& s, const State& other) {
    if (other.position < 0) return;
    const bool earlier = other.position < s.position && !beats(s.value, other.value);
    if (s.position < 0 || beats(other.value, s.value) || earlier) s = other;
  }
  static TL_DEVICE Out finish(const State& s) { return {s.position}; }
};

template <class T> struct reduce_argmax : FirstExtreme<T, true> {};
template <class T> struct reduce_argmin : FirstExtreme<T, false> {};

template <class T> struct Truth {
  using State = uint32_t;
  using Out = Bool;
  static TL_DEVICE uint32_t of(T x) { return x != Constant<T>::of(0); }
  static TL_DEVICE Out finish(const State& s) { return {static_cast<uint8_t>(s)}; }
};

template <class T> struct reduce_any : Truth<T> {
  static TL_DEVICE uint32_t identity() { return 0; }
  static TL_DEVICE void step(uint32_t& s, T x, int64_t) { s |= Truth<T>::of(x); }
  static TL_DEVICE void join(uint32_t& s, uint32_t later) { s |= later; }
};

template <class T> struct reduce_all : Truth<T> {
  static TL_DEVICE uint32_t identity() { return 1; }
  static TL_DEVICE void step(uint32_t& s, T x, int64_t) { s &= Truth<T>::of(x); }
  static TL_DEVICE void join(uint32_t& s, uint32_t later) { s &= later; }
};

}  // namespace kernels
