#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "strided.h"

namespace cpu_simd_test {

/// Memory that ends, or begins, where the next byte can't be touched: a read or write past it ends the
/// test program.
template <class T> class Guarded {
 public:
  Guarded(Extents extents, bool at_end) : extents_(std::move(extents)) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = static_cast<size_t>(count_of(extents_)) * sizeof(T);
    const size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    base_ = static_cast<char*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("mmap");
    if (inner) mprotect(base_ + page, inner, PROT_READ | PROT_WRITE);
    data_ = reinterpret_cast<T*>(base_ + page + (at_end ? inner - bytes : 0));
    for (int64_t i = 0; i < count_of(extents_); ++i) data_[i] = static_cast<T>(i % 5);
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { munmap(base_, size_); }

  T& operator[](int64_t i) { return data_[i]; }
  tl_view view() const { return view_of(data_, dtype_of<T>(), extents_); }
  /// Of a matrix: its transpose, lying by columns in the same memory.
  tl_view by_columns() const {
    tl_view view = view_of(data_, dtype_of<T>(), {extents_[1], extents_[0]});
    std::swap(view.extent[0], view.extent[1]);
    std::swap(view.stride[0], view.stride[1]);
    return view;
  }

 private:
  Extents extents_;
  char* base_ = nullptr;
  size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace cpu_simd_test
