#pragma once

#include <limits>

#include "loader/trial.h"

/// What the self-test's files share.
namespace torchlight::loader {

inline constexpr double close = 1e-5;
template <class T> inline constexpr T inf = std::numeric_limits<T>::infinity();

/// "add of float32"
template <class T> std::string of(const char* what) {
  return text(what, " of ", sizeof(T) == sizeof(float) ? "float32" : "float64");
}

/// An argument struct of the right size.
template <class Args> Args filled(std::uint32_t fn) {
  Args args{};
  args.head.size = sizeof args;
  args.fn = fn;
  return args;
}

template <class Args> Args filled() {
  Args args{};
  args.head.size = sizeof args;
  return args;
}

/// fn of [[-2, 0.5, 3], [1, -1, 0]], which lies transposed in memory.
/// The cases of an extension's function, in self_test_extensions.cpp. WrongAnswer where one is wrong.
template <class T> void test_extension(OpenDevice& device, std::uint32_t primitive);
extern template void test_extension<float>(OpenDevice& device, std::uint32_t primitive);
extern template void test_extension<double>(OpenDevice& device, std::uint32_t primitive);

}  // namespace torchlight::loader
