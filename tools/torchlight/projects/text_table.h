#pragma once

#include <string>
#include <vector>

namespace command {

/// Two columns of a table of texts.
struct TextTable {
  std::vector<std::string> first, second;
  std::string path;
};

/// Reads the columns from a CSV file or, where `path` ends in .tsv, .tab or .txt (then maybe .gz), from one whose
/// fields stand between tabs, without quotes. A column is named as in the file's first line, or by its number
/// from 1 where the file has no such line. FileError naming the columns there are, or for a file without rows.
TextTable read_text_table(const std::string& path, const std::string& first, const std::string& second);

}  // namespace command
