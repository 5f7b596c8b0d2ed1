// What the files of this folder have in common: cases by name, memory that is freed at the end, and a switch between
// the fault and its remedy.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

#ifdef FIXED
#define FIXED_ONLY(...) __VA_ARGS__
#define EITHER(faulty, fixed) fixed
#else
#define FIXED_ONLY(...)
#define EITHER(faulty, fixed) faulty
#endif

struct Case {
  const char* name;
  void (*run)();
  Case* next;
};
inline Case*& cases() {
  static Case* first = nullptr;
  return first;
}
struct AddCase {
  Case entry;
  AddCase(const char* name, void (*run)()) : entry{name, run, cases()} { cases() = &entry; }
};

/// CASE(name) { what the host does }
#define CASE(name)                               \
  static void run_##name();                      \
  static AddCase add_##name(#name, &run_##name); \
  static void run_##name()

inline std::vector<void*>& taken() {
  static std::vector<void*> all;
  return all;
}
/// `count` zeros in device memory.
template <class T> T* zeros(size_t count) {
  T* pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  cudaMemset(pointer, 0, count * sizeof(T));
  taken().push_back(pointer);
  return pointer;
}

int main(int count, char** words) {
  for (Case* one = cases(); one; one = one->next) {
    if (count != 2 || strcmp(one->name, words[1]) != 0) continue;
    one->run();
    const cudaError_t error = cudaDeviceSynchronize();
    for (void* pointer : taken()) cudaFree(pointer);
    printf("%s: %s\n", one->name, cudaGetErrorName(error));
    return 0;
  }
  printf("no such case\n");
  return 2;
}
