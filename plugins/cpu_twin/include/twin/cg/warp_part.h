#pragma once

#include "thread_block.h"

namespace cooperative_groups {
namespace twin_detail {

/// Any trivially copyable value as 32-bit words, so that it can be shuffled.
template <class T> struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  unsigned int word[count];
};
template <class T> TWIN_DEVICE_MEMBER Words<T> to_words(const T& value) {
  Words<T> words = {};
  __builtin_memcpy(words.word, &value, sizeof(T));
  return words;
}
template <class T> TWIN_DEVICE_MEMBER T from_words(const Words<T>& words) {
  T value;
  __builtin_memcpy(&value, words.word, sizeof(T));
  return value;
}

#define TWIN_X(NAME, THIRD)                                                                   \
  template <class T>                                                                          \
  TWIN_DEVICE_MEMBER T any_##NAME(unsigned int mask, const T& value, THIRD lane, int width) { \
    Words<T> words = to_words(value);                                                         \
    for (int i = 0; i < Words<T>::count; ++i)                                                 \
      words.word[i] = __##NAME##_sync(mask, words.word[i], lane, width);                      \
    return from_words<T>(words);                                                              \
  }
TWIN_X(shfl, int)
TWIN_X(shfl_up, unsigned int)
TWIN_X(shfl_down, unsigned int)
TWIN_X(shfl_xor, int)
#undef TWIN_X

}  // namespace twin_detail
}  // namespace cooperative_groups
