#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <torchlight/error.h>
#include <torchlight/plugin.h>

#include "support/text.h"

namespace torchlight::loader {

/// Why a file is not used as a plug-in: one line for the report.
class Rejection : public std::runtime_error {
 public:
  enum class Kind {
    foreign,  ///< it never claimed to be a plug-in
    broken,   ///< it can't be read, or isn't whole
    unfit     ///< it is a plug-in, but not for this core, machine or user
  };
  Rejection(Kind kind, const std::string& reason)
      : std::runtime_error(printable(reason)), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

inline Rejection foreign(const std::string& reason) { return {Rejection::Kind::foreign, reason}; }
inline Rejection broken(const std::string& reason) { return {Rejection::Kind::broken, reason}; }
inline Rejection unfit(const std::string& reason) { return {Rejection::Kind::unfit, reason}; }

/// unfit: the file claims to be of another ABI. `claim` says where: "built for".
inline Rejection other_abi(std::string_view claim, std::uint32_t major) {
  return unfit(text(claim, " plug-in ABI ", major, ", this core has ABI ", TL_ABI_MAJOR,
                    ": build it with this core's plugin.h"));
}

}  // namespace torchlight::loader
