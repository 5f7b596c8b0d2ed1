#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <torchlight/plugin.h>

namespace remote {

/// What a function of the table answers instead of TL_OK.
class Failure : public std::runtime_error {
 public:
  Failure(std::int32_t code, const std::string& text) : std::runtime_error(text), status(code) {}
  std::int32_t status;
};

inline Failure declined(const std::string& text) { return {TL_DECLINED, text}; }
inline Failure bad_argument(const std::string& text) { return {TL_E_ARGUMENT, text}; }

inline std::int32_t fail(tl_error* error, std::int32_t status, const char* text) {
  if (error->capacity == 0) return status;
  std::uint32_t i = 0;
  for (; i + 1 < error->capacity && text[i]; ++i) error->text[i] = text[i];
  error->text[i] = 0;
  return status;
}

/// What somebody else answered, who wrote the text already.
struct Answered {
  std::int32_t status;
};
inline void require(std::int32_t status) {
  if (status != TL_OK) throw Answered{status};
}

/// Runs a body that may throw; gives the status that the ABI wants.
template <class Body> std::int32_t guarded(tl_error* error, Body&& body) noexcept {
  try {
    body();
    return TL_OK;
  } catch (const Answered& answered) {
    return answered.status;
  } catch (const Failure& failure) {
    return fail(error, failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return fail(error, TL_E_MEMORY, "remote: out of memory");
  } catch (const std::exception& other) {
    return fail(error, TL_E_INTERNAL, other.what());
  }
}

}  // namespace remote
