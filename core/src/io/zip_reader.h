#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/input_file.h"
#include "io/npy.h"

namespace torchlight::io {

/// A file and where in it one reads.
struct FileWindow {
  const InputFile& file;
  std::uint64_t at = 0;
};

/// The entries of a zip file, none of whose claims is just believed: taken together they can't be compressed
/// into more bytes than the file has, nor expand to more than their compression can. Errors say what is wrong.
class ZipReader {
 public:
  explicit ZipReader(const InputFile& file);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  std::uint64_t count() const { return count_; }
  /// The entries in the directory's order: start() goes to the next one and gives its name.
  std::string start();
  /// The current entry's content, expanded.
  ByteSource& content();
  /// After all of the content was read: Error where its checksum is wrong.
  void finish();

 private:
  class Content;

  FileWindow window_;
  void* zip_;
  std::uint64_t count_ = 0, started_ = 0;
  std::uint64_t compressed_left_;  // of the file's bytes, for the entries to come
  std::uint64_t size_ = 0;         // of the current entry, expanded
  std::unique_ptr<Content> content_;
};

}  // namespace torchlight::io
