#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <torchlight/tensor.h>

namespace command {

namespace tl = torchlight;

/// A text's words: runs of letters, digits and apostrophes, ASCII ones in lower case, and each other sign by itself.
/// Whatever isn't ASCII counts as a letter.
std::vector<std::string> words_of(std::string_view text);

/// Numbers for words. Four numbers stand for no word of the text.
class Vocabulary {
 public:
  static constexpr std::int64_t padding = 0, unknown = 1, begin = 2, end = 3;

  /// Of all words that occur in `texts` at least `least` times, the most frequent ones first.
  Vocabulary(const std::vector<std::string>& texts, std::int64_t least);

  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  const std::string& word(std::int64_t number) const {
    return words_[static_cast<std::size_t>(number)];
  }
  /// The numbers of the first `most` words of a text.
  std::vector<std::int64_t> numbers(const std::string& text, std::size_t most) const;
  /// The words, a line each, as bytes: to be saved beside a model, which is no use without them.
  tl::Tensor bytes() const;

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int64_t> number_of_;
};

/// Lists as rows (n, longest), filled up with Vocabulary::padding.
tl::Tensor padded(const std::vector<std::vector<std::int64_t>>& lists);

}  // namespace command
