#pragma once

#include <string>
#include <unordered_map>

#include <torchlight/state_dict.h>

namespace torchlight::optim {

/// Numbers as a state dict holds them: exact, on the host.
Tensor whole_number(std::int64_t value);
Tensor real_number(double value);

/// Takes the entries of a state dict one by one; an Error's text starts with `what`.
class DictReader {
 public:
  DictReader(std::string what, const StateDict& dict);

  const Tensor* take(const std::string& name);  ///< null if it isn't there
  double number(const std::string& name);       ///< Error if it isn't there or no number
  std::int64_t count(const std::string& name);  ///< Error too if it is negative or not whole
  std::int64_t count(const std::string& name, const Tensor& value) const;
  /// A copy of its own, on the device and with the dtype of `like`. Error if the shape is another.
  Tensor fitting(const std::string& name, const Tensor& value, const Tensor& like) const;
  void finish() const;  ///< Error if something is left

 private:
  const Tensor& need_number(const std::string& name);

  std::string what_;
  std::unordered_map<std::string, const Tensor*> left_;
};

}  // namespace torchlight::optim
