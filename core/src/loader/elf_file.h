#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A reader of ELF files that takes nothing on trust: every read is a pread within the size the file has,
/// every number from the file is checked before it is used. The dynamic loader isn't like that (a file
/// that ends too early kills the process, and so does a crafted offset), so this comes before it.
namespace torchlight::loader {

/// An open regular file. REQUIRES: the path names one (a FIFO is refused, not waited for).
class File {
 public:
  /// Rejection if it can't be read.
  explicit File(const std::string& path);
  /// Takes over an open descriptor.
  explicit File(int descriptor);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  std::uint64_t size() const { return size_; }
  /// Whether all of the bytes lie within the file and were read.
  bool read(std::uint64_t offset, void* to, std::size_t bytes) const;

 private:
  void measure();
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// A shared object for this machine that is all there.
class ElfFile {
 public:
  /// Rejection, with a reason of its own for each thing that can be wrong.
  explicit ElfFile(const File& file);

  const File& file() const { return *file_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Where the byte at a virtual address stands in the file; -1 if it stands nowhere.
  std::int64_t offset_of(std::uint64_t address) const;

 private:
  void check_identity(const Elf64_Ehdr& header) const;
  void read_segments(const Elf64_Ehdr& header);
  void check_extent(const Elf64_Ehdr& header) const;

  const File* file_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace torchlight::loader
