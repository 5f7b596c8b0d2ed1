// The exercises that --op knows: a signature, what each array is, and what is right.
#pragma once

#include <string>
#include <vector>

namespace twin_command {

struct Exercise {
  const char* op;
  const char* declaration;  ///< as it is asked for; `float*` that isn't const is written
  /// "A:MxN" for each array: its shape in sizes, and behind = what it holds where that isn't random: something that is
  /// computed, or {numbers}. An array that is written and stands here with = holds something before.
  const char* arrays;
  const char* right;  ///< "C=matmul(A, B)", with ; between several
  const char*
      sizes;  ///< a list of cases "1,1,1 64,64,64", in the order of the numbers of the declaration
  const char* fills = "large zeros equal";  ///< further cases of other values
  const char* fixed = "";  ///< numbers that follow from others, or are the same in all cases: "nhead=1"
  bool host_pointers = false;
  const char* named = "";  ///< the sizes by name, where they aren't the numbers of the declaration
};

/// All, in the order in which they are shown; several of one op have different signatures.
const std::vector<Exercise>& exercises();

}  // namespace twin_command
