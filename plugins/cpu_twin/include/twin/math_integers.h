#pragma once
#pragma GCC system_header

// Integers and mixed types go by way of double, as in <cmath>.

namespace twin {

template <class T> struct IsInteger { static constexpr bool value = false; };
template <class T> struct IsFloating { static constexpr bool value = false; };
template <> struct IsFloating<float> { static constexpr bool value = true; };
template <> struct IsFloating<double> { static constexpr bool value = true; };

template <bool condition, class T> struct EnableIf {};
template <class T> struct EnableIf<true, T> { typedef T type; };

template <class T, class R> using ForInteger = typename EnableIf<IsInteger<T>::value, R>::type;

/// Both are numbers, and not both the same floating type, which has a function of its own.
template <class T, class U> struct IsMixed {
  static constexpr bool value =
      (IsInteger<T>::value && (IsInteger<U>::value || IsFloating<U>::value)) ||
      (IsFloating<T>::value && IsInteger<U>::value);
};
template <> struct IsMixed<float, double> { static constexpr bool value = true; };
template <> struct IsMixed<double, float> { static constexpr bool value = true; };
template <class T, class U> using ForMixed = typename EnableIf<IsMixed<T, U>::value, double>::type;

// clang-format off
#define TWIN_X(T) template <> struct IsInteger<T> { static constexpr bool value = true; };
TWIN_X(bool) TWIN_X(char) TWIN_X(signed char) TWIN_X(unsigned char)
TWIN_X(short) TWIN_X(unsigned short) TWIN_X(int) TWIN_X(unsigned int)
TWIN_X(long) TWIN_X(unsigned long) TWIN_X(long long) TWIN_X(unsigned long long)
#undef TWIN_X

}  // namespace twin

#define TWIN_X(NAME)                                              \
  template <class T>                                              \
  TWIN_D twin::ForInteger<T, double> NAME(T x) {                  \
    return NAME(static_cast<double>(x));                          \
  }
TWIN_MATH_STD_1(TWIN_X)
TWIN_X(fabs) TWIN_X(floor) TWIN_X(ceil) TWIN_X(trunc) TWIN_X(rint) TWIN_X(nearbyint) TWIN_X(round) TWIN_X(sqrt)
#undef TWIN_X

#define TWIN_X(NAME)                                              \
  template <class T, class U>                                     \
  TWIN_D twin::ForMixed<T, U> NAME(T x, U y) {                    \
    return NAME(static_cast<double>(x), static_cast<double>(y));  \
  }
TWIN_MATH_STD_2(TWIN_X)
TWIN_X(copysign) TWIN_X(fdim) TWIN_X(fmax) TWIN_X(fmin)
#undef TWIN_X

#define TWIN_X(NAME)                                              \
  template <class T>                                              \
  TWIN_D twin::ForInteger<T, bool> NAME(T x) {                    \
    return NAME(static_cast<double>(x));                          \
  }
TWIN_X(isnan) TWIN_X(isinf) TWIN_X(isfinite) TWIN_X(signbit)
#undef TWIN_X
