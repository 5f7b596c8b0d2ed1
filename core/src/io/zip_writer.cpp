#include "io/zip_writer.h"

#include <minizip/zip.h>

#include <algorithm>
#include <utility>

#include <torchlight/error.h>

namespace torchlight::io {
namespace {

using Target = ZipWriter::Target;

void* open_target(void* opaque, const void*, int) { return opaque; }
int close_target(void*, void*) { return 0; }
int has_failed(void*, void* stream) { return static_cast<Target*>(stream)->failure ? 1 : 0; }
uLong read_nothing(void*, void*, void*, uLong) { return 0; }
ZPOS64_T tell_target(void*, void* stream) { return static_cast<Target*>(stream)->file.position(); }
uLong write_target(void*, void* stream, const void* bytes, uLong count) {
  auto& [file, failure] = *static_cast<Target*>(stream);
  try {
    file.write({static_cast<const char*>(bytes), count});
    return count;
  } catch (...) {
    failure = std::current_exception();
    return 0;
  }
}
long seek_target(void*, void* stream, ZPOS64_T offset, int origin) {
  AtomicFile& file = static_cast<Target*>(stream)->file;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) offset += file.position();
  if (origin == ZLIB_FILEFUNC_SEEK_END) offset += file.bytes();
  file.seek(offset);
  return 0;
}

void* open_zip(Target& target) {
  zlib_filefunc64_def functions{open_target, read_nothing, write_target, tell_target,
                                seek_target, close_target, has_failed,   &target};
  return zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
}

bool is_ascii(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
}

}  // namespace

ZipWriter::ZipWriter(AtomicFile& file) : target_{file}, zip_(open_zip(target_)) { check(ZIP_OK); }

ZipWriter::~ZipWriter() {
  if (zip_) zipClose(zip_, nullptr);
}

void ZipWriter::check(int status) {
  if (target_.failure) std::rethrow_exception(target_.failure);
  if (!zip_ || status != ZIP_OK) throw Error("the zip library failed");
}

void ZipWriter::start(const std::string& name, std::uint64_t bytes, bool compressed) {
  zip_fileinfo info{};
  info.tmz_date.tm_mday = 1;  // 1980, where the time of zip files begins
  info.tmz_date.tm_year = 1980;
  constexpr unsigned long version = 45, name_is_utf8 = 1 << 11;
  // A file of 4 GiB needs the wide fields; deflated it may come out a little larger than it was.
  const bool is_large = bytes > 0xF000'0000;
  check(zipOpenNewFileInZip4_64(zip_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                compressed ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS,
                                DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, version,
                                is_ascii(name) ? 0 : name_is_utf8, is_large));
}

void ZipWriter::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<std::size_t>(bytes.size(), 1u << 30));
    check(zipWriteInFileInZip(zip_, part.data(), static_cast<unsigned>(part.size())));
    bytes = bytes.subspan(part.size());
  }
}

void ZipWriter::finish_entry() { check(zipCloseFileInZip(zip_)); }

void ZipWriter::finish() {
  const int status = zipClose(zip_, nullptr);
  zip_ = nullptr;
  if (target_.failure) std::rethrow_exception(target_.failure);
  if (status != ZIP_OK) throw Error("the zip library failed");
}

}  // namespace torchlight::io
