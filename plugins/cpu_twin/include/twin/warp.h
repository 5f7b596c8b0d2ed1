#pragma once

// Warp-wide functions: votes, matches, shuffles, and sm_80's reductions, made of shuffles here.

TWIN_D int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate);
}
TWIN_D int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate);
}
TWIN_D int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate);
}
TWIN_D unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
TWIN_D unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

// The PTX clamp operand: the last lane of a segment (the first one for up), with the segment mask above it.
#define TWIN_SHFL_CLAMP(width, last) (((32 - (width)) << 8) | (last))

#define TWIN_SHFL_WORD(NAME, MODE, THIRD, LAST)                                                     \
  TWIN_D int NAME(unsigned int mask, int value, THIRD lane, int width = 32) {                       \
    return __nvvm_shfl_sync_##MODE##_i32(mask, value, lane, TWIN_SHFL_CLAMP(width, LAST));          \
  }                                                                                                 \
  TWIN_D float NAME(unsigned int mask, float value, THIRD lane, int width = 32) {                   \
    return __nvvm_shfl_sync_##MODE##_f32(mask, value, lane, TWIN_SHFL_CLAMP(width, LAST));          \
  }                                                                                                 \
  TWIN_D unsigned int NAME(unsigned int mask, unsigned int value, THIRD lane, int width = 32) {     \
    return static_cast<unsigned int>(NAME(mask, static_cast<int>(value), lane, width));             \
  }                                                                                                 \
  TWIN_D long long NAME(unsigned int mask, long long value, THIRD lane, int width = 32) {           \
    const unsigned int low = NAME(mask, static_cast<unsigned int>(value), lane, width);             \
    const unsigned int high = NAME(mask, static_cast<unsigned int>(value >> 32), lane, width);      \
    return static_cast<long long>((static_cast<unsigned long long>(high) << 32) | low);             \
  }                                                                                                 \
  TWIN_D unsigned long long NAME(unsigned int mask, unsigned long long value, THIRD lane,           \
                                 int width = 32) {                                                  \
    return static_cast<unsigned long long>(NAME(mask, static_cast<long long>(value), lane, width)); \
  }                                                                                                 \
  TWIN_D long NAME(unsigned int mask, long value, THIRD lane, int width = 32) {                     \
    return static_cast<long>(NAME(mask, static_cast<long long>(value), lane, width));               \
  }                                                                                                 \
  TWIN_D unsigned long NAME(unsigned int mask, unsigned long value, THIRD lane, int width = 32) {   \
    return static_cast<unsigned long>(NAME(mask, static_cast<long long>(value), lane, width));      \
  }                                                                                                 \
  TWIN_D double NAME(unsigned int mask, double value, THIRD lane, int width = 32) {                 \
    return __longlong_as_double(NAME(mask, __double_as_longlong(value), lane, width));              \
  }

TWIN_SHFL_WORD(__shfl_sync, idx, int, 0x1f)
TWIN_SHFL_WORD(__shfl_up_sync, up, unsigned int, 0)
TWIN_SHFL_WORD(__shfl_down_sync, down, unsigned int, 0x1f)
TWIN_SHFL_WORD(__shfl_xor_sync, bfly, int, 0x1f)
#undef TWIN_SHFL_WORD
#undef TWIN_SHFL_CLAMP

// As instructions, for clang 14 gives the 64-bit forms a 64-bit result, which PTX doesn't allow.
#define TWIN_MATCH(T, INSTRUCTION, WORD, LETTER)                               \
  TWIN_D unsigned int __match_any_sync(unsigned int mask, T value) {           \
    unsigned int lanes;                                                        \
    asm volatile("match.any.sync." INSTRUCTION " %0, %1, %2;"                  \
                 : "=r"(lanes)                                                 \
                 : LETTER(__builtin_bit_cast(WORD, value)), "r"(mask));        \
    return lanes;                                                              \
  }                                                                            \
  TWIN_D unsigned int __match_all_sync(unsigned int mask, T value, int* all) { \
    unsigned int lanes, same;                                                  \
    asm volatile("{ .reg .pred p; match.all.sync." INSTRUCTION                 \
                 " %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"                      \
                 : "=r"(lanes), "=r"(same)                                     \
                 : LETTER(__builtin_bit_cast(WORD, value)), "r"(mask));        \
    *all = static_cast<int>(same);                                             \
    return lanes;                                                              \
  }
TWIN_MATCH(int, "b32", unsigned int, "r")
TWIN_MATCH(unsigned int, "b32", unsigned int, "r")
TWIN_MATCH(float, "b32", unsigned int, "r")
TWIN_MATCH(long, "b64", long long, "l")
TWIN_MATCH(unsigned long, "b64", long long, "l")
TWIN_MATCH(long long, "b64", long long, "l")
TWIN_MATCH(unsigned long long, "b64", long long, "l")
TWIN_MATCH(double, "b64", long long, "l")
#undef TWIN_MATCH

// Every lane of the mask walks over the mask's lanes in order: any mask will do, and all lanes get the same. A mask may
// name lanes beyond the end of the block, or that have returned: a vote tells which of them are there.
#define TWIN_REDUCE(NAME, T, COMBINED)                               \
  TWIN_D T NAME(unsigned int mask, T value) {                        \
    const unsigned int here = __ballot_sync(mask, 1);                \
    unsigned int rest = here & (here - 1);                           \
    T a = __shfl_sync(mask, value, __builtin_ffs(here) - 1);         \
    while (rest != 0) {                                              \
      const T b = __shfl_sync(mask, value, __builtin_ffs(rest) - 1); \
      a = COMBINED;                                                  \
      rest &= rest - 1;                                              \
    }                                                                \
    return a;                                                        \
  }
TWIN_REDUCE(__reduce_add_sync, unsigned int, a + b)
TWIN_REDUCE(__reduce_add_sync, int, a + b)
TWIN_REDUCE(__reduce_min_sync, unsigned int, b < a ? b : a)
TWIN_REDUCE(__reduce_min_sync, int, b < a ? b : a)
TWIN_REDUCE(__reduce_max_sync, unsigned int, b > a ? b : a)
TWIN_REDUCE(__reduce_max_sync, int, b > a ? b : a)
TWIN_REDUCE(__reduce_and_sync, unsigned int, a& b)
TWIN_REDUCE(__reduce_or_sync, unsigned int, a | b)
TWIN_REDUCE(__reduce_xor_sync, unsigned int, a ^ b)
#undef TWIN_REDUCE
