#include "io/zip_reader.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <string_view>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {
namespace {

constexpr std::uint64_t best_deflate_ratio = 1032;  // 258 bytes from 2 bits

// The library reads through these. No exception may pass through its C code; to it a failing read is a short one.
void* open_window(void* opaque, const void*, int) { return opaque; }
int close_window(void*, void*) { return 0; }
int has_failed(void*, void*) { return 0; }
ZPOS64_T tell_window(void*, void* stream) { return static_cast<FileWindow*>(stream)->at; }
uLong read_window(void*, void* stream, void* to, uLong count) {
  auto& [file, at] = *static_cast<FileWindow*>(stream);
  try {
    count = file.read(at, {static_cast<char*>(to), count});
  } catch (const Error&) {
    return 0;
  }
  at += count;
  return count;
}
long seek_window(void*, void* stream, ZPOS64_T offset, int origin) {
  auto& [file, at] = *static_cast<FileWindow*>(stream);
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) offset += at;
  if (origin == ZLIB_FILEFUNC_SEEK_END) offset += file.size();
  at = offset;
  return 0;
}

void* open_zip(FileWindow& window) {
  zlib_filefunc64_def functions{open_window, read_window,  nullptr,    tell_window,
                                seek_window, close_window, has_failed, &window};
  return unzOpen2_64("", &functions);
}

// What remains of a zip file without entries, which the library takes for none.
bool is_empty_zip(const InputFile& file) {
  char bytes[22] = {};
  if (file.size() != sizeof bytes) return false;
  file.read_all(0, bytes);
  return std::string_view(bytes, sizeof bytes) == "PK\5\6" + std::string(sizeof bytes - 4, '\0');
}

// The library looks for the end of the directory from the back and takes what it finds first. Bytes behind
// it are nobody's.
bool ends_with_directory(const InputFile& file, std::uint64_t comment_bytes) {
  constexpr std::uint64_t size = 22;
  char signature[4];
  if (file.size() < size + comment_bytes) return false;
  file.read_all(file.size() - size - comment_bytes, signature);
  return std::string_view(signature, sizeof signature) == "PK\5\6";
}

[[noreturn]] void damaged() { throw Error("it is no whole .npz (zip) file, or is damaged"); }

}  // namespace

/// The expanded bytes of the current entry.
class ZipReader::Content final : public ByteSource {
 public:
  Content(void* zip, std::uint64_t bytes) : zip_(zip), left_(bytes) {
    if (unzOpenCurrentFile(zip) != UNZ_OK) damaged();
  }
  ~Content() override { unzCloseCurrentFile(zip_); }

  std::uint64_t left() const override { return left_; }
  void read(void* to, std::size_t count) override {
    auto* place = static_cast<char*>(to);
    while (count > 0) {
      const auto part = static_cast<unsigned>(std::min<std::size_t>(count, 1u << 30));
      const int got = unzReadCurrentFile(zip_, place, part);
      if (got <= 0) throw Error("its compressed data is damaged or ends too early");
      place += got;
      left_ -= static_cast<std::uint64_t>(got);
      count -= static_cast<std::size_t>(got);
    }
  }

 private:
  void* zip_;
  std::uint64_t left_;
};

ZipReader::ZipReader(const InputFile& file)
    : window_{file}, zip_(open_zip(window_)), compressed_left_(file.size()) {
  unz_global_info64 info{};
  if (!zip_ && is_empty_zip(file)) return;
  if (!zip_) damaged();
  unzGetGlobalInfo64(zip_, &info);
  if (!ends_with_directory(file, info.size_comment)) {
    unzClose(zip_);
    throw Error("its directory doesn't end where the file does");
  }
  count_ = info.number_entry;
}

ZipReader::~ZipReader() {
  content_.reset();
  if (zip_) unzClose(zip_);
}

std::string ZipReader::start() {
  const int status = started_++ == 0 ? unzGoToFirstFile(zip_) : unzGoToNextFile(zip_);
  if (status != UNZ_OK) damaged();
  unz_file_info64 info{};
  if (unzGetCurrentFileInfo64(zip_, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) damaged();
  std::string result(info.size_filename, '\0');  // at most 65535: the field has two bytes
  if (unzGetCurrentFileInfo64(zip_, &info, result.data(), result.size(), nullptr, 0, nullptr, 0) !=
      UNZ_OK)
    damaged();
  const auto wrong = [&](const std::string& what) {
    throw Error(text("entry ", in_quotes(result), ": ", what));
  };
  if (info.flag & 1) wrong("it is encrypted");
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED)
    wrong(text("its compression method is ", info.compression_method,
               "; known are 0 (stored) and 8 "
               "(deflated)"));
  if (info.compressed_size > compressed_left_)
    wrong(text("it claims ", info.compressed_size, " bytes of the file, in which ", compressed_left_,
               " are left"));
  compressed_left_ -= info.compressed_size;
  const bool fits = info.compression_method == 0
                        ? info.uncompressed_size == info.compressed_size
                        : info.uncompressed_size / best_deflate_ratio <= info.compressed_size;
  if (!fits)
    wrong(text("it claims to expand ", info.compressed_size, " bytes to ", info.uncompressed_size,
               ", which its compression can't"));
  size_ = info.uncompressed_size;
  return result;
}

ByteSource& ZipReader::content() {
  content_ = std::make_unique<Content>(zip_, size_);
  return *content_;
}

void ZipReader::finish() {
  if (content_->left() == 0 && unzCloseCurrentFile(zip_) == UNZ_CRCERROR)
    throw Error("its checksum is wrong: the data is damaged");
  content_.reset();
}

}  // namespace torchlight::io
