#include "words.h"

#include "command.h"

namespace twin_command {

Words sort_words(const std::vector<std::string>& words) {
  Words sorted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      sorted.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    const bool takes_next =
        word == "-D" || word == "-I" || word == "-U" || word == "-include" || word == "-isystem";
    if (takes_next) {
      if (i + 1 == words.size()) throw BadInput(word + " needs a value");
      sorted.compile.insert(sorted.compile.end(), {word, words[++i]});
    } else if (word.starts_with("-D") || word.starts_with("-I") || word.starts_with("-U") ||
               word.starts_with("-std=")) {
      sorted.compile.push_back(word);
    } else if (word.starts_with("--json=")) {
      sorted.json = word.substr(7);
    } else if (word == "--json") {
      // Its value may be missing, and what follows is often a source.
      const bool file = i + 1 < words.size() && words[i + 1].ends_with(".json");
      sorted.json = file ? words[++i] : std::string();
    } else {
      sorted.own.push_back(word);
    }
  }
  return sorted;
}

std::string shown(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\"'<>()&;|*?$`\\") == word.npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

}  // namespace twin_command
