#pragma once

// g++ defines macros of its own, clang answers questions.
#if defined(__has_feature)
#define TORCHLIGHT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TORCHLIGHT_HAS_FEATURE(feature) 0
#endif

namespace torchlight {

/// Whether this build looks for memory errors, so that blocks must not be kept for reuse.
#if defined(__SANITIZE_ADDRESS__) || TORCHLIGHT_HAS_FEATURE(address_sanitizer)
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif

/// Whether this build looks for races; it can't follow threads that a forked child starts.
#if defined(__SANITIZE_THREAD__) || TORCHLIGHT_HAS_FEATURE(thread_sanitizer)
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif

}  // namespace torchlight

#undef TORCHLIGHT_HAS_FEATURE
