// A name for content: 128 bits, not secure against those who want two contents to share one.
#pragma once

#include <string>
#include <string_view>

namespace twin {

class Digest {
 public:
  /// Adds a piece; where one ends and the next begins counts.
  Digest& add(std::string_view piece);
  std::string text() const;  // 32 hexadecimal digits

 private:
  unsigned long long low_ = 0xcbf29ce484222325ULL, high_ = 0x9ae16a3b2f90404fULL;
};

/// The digest of a file's content; empty where it can't be read.
std::string file_digest(const std::string& path);
/// The whole file. Throws CompileError.
std::string read_file(const std::string& path);

}  // namespace twin
