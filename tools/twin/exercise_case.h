// One call of a solve(…): its numbers and arrays, and what is right.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare.h"
#include "exercises.h"
#include "supervise.h"
#include "type.h"

namespace twin_command {

/// A parameter of the user's, and which of the exercise's it is.
struct Bound {
  Type type;         ///< the user's
  std::string name;  ///< the exercise's
  enum class Kind { array, size, number, other } kind = Kind::other;
};

/// Which of the user's parameters is which, or nothing where the signatures differ in kind. Arrays that are only read
/// and arrays that are written go by const, numbers by their names where all are known, else by their order.
std::vector<Bound> bind(const Exercise& exercise, const Signature& users);

class Case {
 public:
  Case(const Exercise& exercise, const std::vector<Bound>& bound, const std::string& sizes,
       const std::string& fill, std::uint64_t seed);

  const std::string& name() const { return name_; }
  /// What the worker calls with; the arrays go into `data`.
  nlohmann::ordered_json plan(MemoryFile& data) const;
  /// The verdicts on all arrays that are written, from what the worker left in `data`.
  std::vector<Comparison> judge(const MemoryFile& data, double tolerance) const;

 private:
  struct Operand {
    Array array;
    bool written = false;
    std::uint64_t at = 0;  // in the data
  };
  double product(const std::string& text) const;
  Shape shape_of_text(const std::string& text) const;
  Array filled(const Shape& shape, Element element, const std::string& how, std::uint64_t seed) const;

  const Exercise& exercise_;
  const std::vector<Bound>& bound_;
  std::string name_, fill_;
  std::map<std::string, double> numbers_;
  std::map<std::string, Operand> operands_;
  std::uint64_t bytes_ = 0;
};

/// All cases of an exercise: each of its sizes, then its middle ones with other values.
std::vector<std::pair<std::string, std::string>> cases_of(const Exercise& exercise);

}  // namespace twin_command
