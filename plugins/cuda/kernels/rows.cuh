#pragma once

#include "group.cuh"
#include "index.cuh"
#include "policies.cuh"

/// What softmax and layernorm share: a row belongs to a warp or to a block. Where it is short enough each thread
/// keeps its elements in registers, so that memory is read once; element j of thread t is column t + j * threads.
namespace kernels {

/// Pairwise, so that the error grows with the logarithm of the (few) terms.
template <class T, int n> struct Pairwise {
  static TL_DEVICE T sum(const T* v) {
    return Pairwise<T, n / 2>::sum(v) + Pairwise<T, n - n / 2>::sum(v + n / 2);
  }
};
template <class T> struct Pairwise<T, 1> {
  static TL_DEVICE T sum(const T* v) { return v[0]; }
};

/// Terms of a long row are added up in T in short runs, and the runs in a Total.
template <class T> struct RunningSum {
  static constexpr int run = 8;
  Total<T> total;
  T sum;
  int terms;

  static TL_DEVICE RunningSum zero() { return {Total<T>::zero(), T(0), 0}; }
  TL_DEVICE void add(T x) {
    sum += x;
    if (++terms == run) flush();
  }
  TL_DEVICE void flush() {
    total.add(sum);
    sum = T(0);
    terms = 0;
  }
  TL_DEVICE Total<T> result() {
    flush();
    return total;
  }
};

/// Two sums at once, for the price of one pass through shared memory.
template <class T> struct TwoTotals { Total<T> first, second; };
template <class T> struct AddTwo {
  static TL_DEVICE void join(TwoTotals<T>& s, const TwoTotals<T>& later) {
    s.first.add(later.first);
    s.second.add(later.second);
  }
};

/// How rows are shared out: the number of one of the forms below, a block's threads, and the rows that it takes.
struct RowForm {
  int form;
  unsigned threads;
  int rows;
};

constexpr int row_forms = 5;
constexpr const char* row_form_names[row_forms] = {"warp_2", "warp_8", "warp_16", "block_8", "long"};

/// For rows of so many columns; `is_line`: they lie at equal distances. Called by the host.
inline RowForm row_form(int64_t columns, bool is_line) {
  if (is_line) {
    if (columns <= 2 * 32) return {0, 256, 8};
    if (columns <= 8 * 32) return {1, 256, 8};
    if (columns <= 16 * 32) return {2, 256, 8};
    if (columns <= 8 * 1024) return {3, static_cast<unsigned>((columns + 255) / 256 * 32), 1};
  }
  return {4, 1024, 1};
}

/// A total of one number.
template <class T> TL_DEVICE Total<T> total_of(T x) {
  Total<T> total = Total<T>::zero();
  total.add(x);
  return total;
}

}  // namespace kernels

/// The forms: a warp for a row, or a block, with so many columns in each thread's registers; long rows stay in
/// memory. instance(form, is_block, items); items is 0 for long rows.
#define TL_ROW_FORM_warp_2(instance) instance(warp_2, false, 2)
#define TL_ROW_FORM_warp_8(instance) instance(warp_8, false, 8)
#define TL_ROW_FORM_warp_16(instance) instance(warp_16, false, 16)
#define TL_ROW_FORM_block_8(instance) instance(block_8, true, 8)
#define TL_ROW_FORM_long(instance) instance(long, true, 0)
#define TL_ROW_FORMS(instance)                                                            \
  TL_ROW_FORM_warp_2(instance) TL_ROW_FORM_warp_8(instance) TL_ROW_FORM_warp_16(instance) \
      TL_ROW_FORM_block_8(instance) TL_ROW_FORM_long(instance)
