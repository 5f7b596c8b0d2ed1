#include "kernels/pack.h"

#include "kernels/transpose.h"

namespace cpu_simd::TL_ISA {
namespace {

template <int size> struct ItemOf;
template <> struct ItemOf<1> { using type = uint8_t; };
template <> struct ItemOf<2> { using type = uint16_t; };
template <> struct ItemOf<4> { using type = float; };
template <> struct ItemOf<8> { using type = double; };

/// Moves bits, whatever they mean.
template <class T> CPU_SIMD_INLINE void move(char* target, const char* source) noexcept {
  std::memcpy(target, source, sizeof(T));
}

template <class T>
CPU_SIMD_INLINE void fill_row(char* target, const char* element, int64_t n) noexcept {
  T value;
  std::memcpy(&value, element, sizeof(T));
  for (int64_t i = 0; i < n; ++i) std::memcpy(target + i * int64_t{sizeof(T)}, &value, sizeof(T));
}

/// The same row again and again: one is packed, then what is there is doubled.
void repeat_first_row(char* target, int64_t bytes, int64_t rows) noexcept {
  for (int64_t have = 1; have < rows;) {
    const int64_t more = have < rows - have ? have : rows - have;
    std::memcpy(target + have * bytes, target, static_cast<size_t>(more * bytes));
    have += more;
  }
}

template <class T>
void pack_strided(char* target, int64_t pitch, const Strided& source, int64_t rows,
                  int64_t columns) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    const char* from = source.data + r * source.row;
    char* to = target + r * pitch;
    for (int64_t c = 0; c < columns; ++c)
      move<T>(to + c * int64_t{sizeof(T)}, from + c * source.column);
  }
}

/// For few columns: each is read through before the next.
template <class T>
void pack_by_columns(char* target, int64_t pitch, const Strided& source, int64_t rows, int64_t first,
                     int64_t columns) noexcept {
  for (int64_t c = first; c < columns; ++c) {
    const char* from = source.data + c * source.column;
    char* to = target + c * int64_t{sizeof(T)};
    for (int64_t r = 0; r < rows; ++r) move<T>(to + r * pitch, from + r * source.row);
  }
}

template <class T>
void pack_transposed(char* target, int64_t pitch, const Strided& source, int64_t rows,
                     int64_t columns) noexcept {
  constexpr int64_t item = sizeof(T);
  int64_t whole_columns = 0;
  if constexpr (item >= 4) {
    constexpr int64_t side = lanes<T>;
    const int64_t whole_rows = rows - rows % side;
    whole_columns = columns - columns % side;
    for (int64_t r = 0; r < whole_rows; r += side)
      for (int64_t c = 0; c < whole_columns; c += side)
        transpose_block<T>(target + r * pitch + c * item, pitch,
                           source.data + r * item + c * source.column, source.column);
    const Strided rest{source.data + whole_rows * source.row, source.row, source.column};
    pack_strided<T>(target + whole_rows * pitch, pitch, rest, rows - whole_rows, whole_columns);
  }
  pack_by_columns<T>(target, pitch, source, rows, whole_columns, columns);
}

template <class T>
void pack_items(char* target, int64_t pitch, const Strided& source, int64_t rows,
                int64_t columns) noexcept {
  constexpr int64_t item = sizeof(T);
  if (source.row == 0 && rows > 1 && pitch == columns * item) {
    pack_items<T>(target, pitch, {source.data, source.row, source.column}, 1, columns);
    repeat_first_row(target, pitch, rows);
  } else if (source.column == item) {
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(target + r * pitch, source.data + r * source.row,
                  static_cast<size_t>(columns * item));
  } else if (source.column == 0) {
    for (int64_t r = 0; r < rows; ++r)
      fill_row<T>(target + r * pitch, source.data + r * source.row, columns);
  } else if (source.row == item && rows > 1) {
    pack_transposed<T>(target, pitch, source, rows, columns);
  } else if (columns < rows) {
    pack_by_columns<T>(target, pitch, source, rows, 0, columns);
  } else {
    pack_strided<T>(target, pitch, source, rows, columns);
  }
}

template <class T>
void unpack_items(const Strided& target, const char* source, int64_t pitch, int64_t rows,
                  int64_t columns) noexcept {
  for (int64_t r = 0; r < rows; ++r) {
    char* to = target.data + r * target.row;
    const char* from = source + r * pitch;
    for (int64_t c = 0; c < columns; ++c)
      move<T>(to + c * target.column, from + c * int64_t{sizeof(T)});
  }
}

/// Calls f with the type of that size.
template <class F> CPU_SIMD_INLINE void with_item(int64_t item, const F& f) noexcept {
  switch (item) {
    case 1: return f(ItemOf<1>{});
    case 2: return f(ItemOf<2>{});
    case 4: return f(ItemOf<4>{});
    default: return f(ItemOf<8>{});
  }
}

}  // namespace

void pack(char* target, int64_t pitch, const Strided& source, int64_t rows, int64_t columns,
          int64_t item) noexcept {
  with_item(item, [&](auto of) {
    pack_items<typename decltype(of)::type>(target, pitch, source, rows, columns);
  });
}

void unpack(const Strided& target, const char* source, int64_t pitch, int64_t rows, int64_t columns,
            int64_t item) noexcept {
  with_item(item, [&](auto of) {
    unpack_items<typename decltype(of)::type>(target, source, pitch, rows, columns);
  });
}

void fill_splat(Splat& splat, const char* element, int64_t item) noexcept {
  with_item(item, [&](auto of) {
    using T = typename decltype(of)::type;
    fill_row<T>(splat.bytes, element, int64_t{sizeof splat.bytes / sizeof(T)});
  });
}

void stream_out(char* target, const char* source, int64_t bytes) noexcept {
#if defined(TL_ISA_neon)
  std::memcpy(target, source, static_cast<size_t>(bytes));
#else
  constexpr int64_t line = 64;
  const int64_t ahead = -reinterpret_cast<intptr_t>(target) & (line - 1);
  const int64_t head = ahead < bytes ? ahead : bytes;
  std::memcpy(target, source, static_cast<size_t>(head));
  int64_t i = head;
  for (; i + line <= bytes; i += line)
    for (int64_t j = 0; j < line; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i + j),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i + j)));
  std::memcpy(target + i, source + i, static_cast<size_t>(bytes - i));
#endif
}

void finish_streams() noexcept {
#if !defined(TL_ISA_neon)
  _mm_sfence();
#endif
}

}  // namespace cpu_simd::TL_ISA
