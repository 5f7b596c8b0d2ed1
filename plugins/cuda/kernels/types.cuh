#pragma once

#include "kernel.cuh"

/// The element types, and what each dtype is called in names of kernels.
#define TL_ELEMENT_f32 float
#define TL_ELEMENT_f64 double
#define TL_ELEMENT_i64 ::kernels::Int
#define TL_ELEMENT_b8 ::kernels::Bool
#define TL_ELEMENT_i32 int32_t
#define TL_ELEMENT_u8 uint8_t
#define TL_ELEMENT_f16 ::kernels::Half
#define TL_ELEMENT_bf16 ::kernels::BHalf
#define TL_ELEMENT(type) TL_JOIN(TL_ELEMENT_, type)

/// instance(fn, type) for each dtype of a domain of ops.def.
#define TL_TYPES_real(instance, fn) instance(fn, f32) instance(fn, f64)
#define TL_TYPES_gradient(instance, fn) TL_TYPES_real(instance, fn)
#define TL_TYPES_number(instance, fn) TL_TYPES_real(instance, fn) instance(fn, i64)
#define TL_TYPES_index(instance, fn) TL_TYPES_number(instance, fn)
#define TL_TYPES_predicate(instance, fn) TL_TYPES_number(instance, fn) instance(fn, b8)
#define TL_TYPES_select(instance, fn) TL_TYPES_predicate(instance, fn)
#define TL_TYPES_logic(instance, fn) instance(fn, b8)
#define TL_TYPES_create(instance, fn)  // create.cu
#define TL_TYPES_any(instance, fn)     // copy.cu

namespace kernels {

/// Stands where an operand is missing.
struct None {};

/// int64 whose arithmetic wraps around.
struct Int {
  int64_t value;
};

TL_DEVICE uint64_t bits_of(Int x) { return static_cast<uint64_t>(x.value); }
TL_DEVICE Int int_of(uint64_t bits) { return {static_cast<int64_t>(bits)}; }
TL_DEVICE Int operator+(Int a, Int b) { return int_of(bits_of(a) + bits_of(b)); }
TL_DEVICE Int operator-(Int a, Int b) { return int_of(bits_of(a) - bits_of(b)); }
TL_DEVICE Int operator*(Int a, Int b) { return int_of(bits_of(a) * bits_of(b)); }
TL_DEVICE Int operator-(Int a) { return int_of(0 - bits_of(a)); }
TL_DEVICE bool operator==(Int a, Int b) { return a.value == b.value; }
TL_DEVICE bool operator!=(Int a, Int b) { return a.value != b.value; }
TL_DEVICE bool operator<(Int a, Int b) { return a.value < b.value; }
TL_DEVICE bool operator<=(Int a, Int b) { return a.value <= b.value; }
TL_DEVICE bool operator>(Int a, Int b) { return a.value > b.value; }
TL_DEVICE bool operator>=(Int a, Int b) { return a.value >= b.value; }

/// One byte, 0 or 1. Any other value counts as 1.
struct Bool {
  uint8_t byte;
};

TL_DEVICE bool truth(Bool x) { return x.byte != 0; }
TL_DEVICE bool operator==(Bool a, Bool b) { return truth(a) == truth(b); }
TL_DEVICE bool operator!=(Bool a, Bool b) { return truth(a) != truth(b); }
TL_DEVICE bool operator<(Bool a, Bool b) { return truth(a) < truth(b); }
TL_DEVICE bool operator<=(Bool a, Bool b) { return truth(a) <= truth(b); }
TL_DEVICE bool operator>(Bool a, Bool b) { return truth(a) > truth(b); }
TL_DEVICE bool operator>=(Bool a, Bool b) { return truth(a) >= truth(b); }

/// A double as int64; what doesn't fit, NaN included, gives the lowest value.
TL_DEVICE int64_t to_int64(double x) {
  const bool fits = x >= -9223372036854775808.0 && x < 9223372036854775808.0;
  return fits ? static_cast<int64_t>(x) : INT64_MIN;
}

/// A number of the caller's in the type that is computed with.
template <class T> struct Constant {
  static TL_DEVICE T of(double x) { return static_cast<T>(x); }
};
template <> struct Constant<Int> {
  static TL_DEVICE Int of(double x) { return {to_int64(x)}; }
};
template <> struct Constant<Bool> {
  static TL_DEVICE Bool of(double x) { return {static_cast<uint8_t>(x != 0)}; }
};

/// Functions of predicates give bool, which is stored as a byte.
template <class T> struct Stored {
  using Type = T;
  static TL_DEVICE T of(T x) { return x; }
};
template <> struct Stored<bool> {
  using Type = Bool;
  static TL_DEVICE Bool of(bool x) { return {static_cast<uint8_t>(x)}; }
};

/// What a type has at its edges.
template <class T> struct Limits;
template <> struct Limits<float> {
  static TL_DEVICE float infinity() { return bits_as<float>(0x7f800000u); }
  static TL_DEVICE float lowest() { return -infinity(); }
  static TL_DEVICE float highest() { return infinity(); }
};
template <> struct Limits<double> {
  static TL_DEVICE double infinity() { return bits_as<double>(uint64_t{0x7ff} << 52); }
  static TL_DEVICE double lowest() { return -infinity(); }
  static TL_DEVICE double highest() { return infinity(); }
};
template <> struct Limits<Int> {
  static TL_DEVICE Int lowest() { return {INT64_MIN}; }
  static TL_DEVICE Int highest() { return {INT64_MAX}; }
};

}  // namespace kernels
