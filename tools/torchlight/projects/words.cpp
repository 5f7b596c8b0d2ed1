#include "projects/words.h"

#include <algorithm>
#include <map>

#include <torchlight/ops.h>

namespace command {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\'' ||
         static_cast<unsigned char>(c) >= 0x80;
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : text) {
    const bool letter = is_letter(c);
    if (!is_space(c)) {
      if (!letter || !in_word) words.emplace_back();
      words.back() += lower(c);
    }
    in_word = letter;
  }
  return words;
}

Vocabulary::Vocabulary(const std::vector<std::string>& texts, std::int64_t least)
    : words_{"<padding>", "<unknown>", "<begin>", "<end>"} {
  std::map<std::string, std::int64_t> counts;  // in order, so that ties are broken alike everywhere
  for (const std::string& text : texts)
    for (std::string& word : words_of(text)) ++counts[std::move(word)];
  std::vector<std::pair<std::string, std::int64_t>> frequent;
  for (const auto& entry : counts)
    if (entry.second >= least) frequent.push_back(entry);
  std::ranges::stable_sort(frequent, std::greater(), [](const auto& entry) { return entry.second; });
  for (auto& [word, count] : frequent) {
    number_of_[word] = size();
    words_.push_back(word);
  }
}

std::vector<std::int64_t> Vocabulary::numbers(const std::string& text, std::size_t most) const {
  std::vector<std::int64_t> list;
  for (const std::string& word : words_of(text)) {
    if (list.size() == most) break;
    const auto found = number_of_.find(word);
    list.push_back(found == number_of_.end() ? unknown : found->second);
  }
  return list;
}

tl::Tensor Vocabulary::bytes() const {
  std::vector<std::uint8_t> text;
  for (const std::string& word : words_) {
    text.insert(text.end(), word.begin(), word.end());
    text.push_back('\n');
  }
  return tl::tensor(text, {.device = "cpu"});
}

tl::Tensor padded(const std::vector<std::vector<std::int64_t>>& lists) {
  std::size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  std::vector<std::int64_t> all;
  for (const auto& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    all.resize(all.size() + longest - list.size(), Vocabulary::padding);
  }
  const auto rows = static_cast<std::int64_t>(lists.size());
  return tl::tensor(all, {.device = "cpu"}).reshape({rows, static_cast<std::int64_t>(longest)});
}

}  // namespace command
