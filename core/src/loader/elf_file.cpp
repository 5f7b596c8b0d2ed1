#include "loader/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "loader/rejection.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t this_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t this_machine = EM_RISCV;
#else
#error "name this machine's ELF code here"
#endif
constexpr unsigned char this_order =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
constexpr std::uint16_t most_segments = 1024;

std::string machine_name(std::uint16_t code) {
  switch (code) {
    case EM_386: return "x86 (32 bits)";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "arm";
    case EM_AARCH64: return "arm64";
    case EM_PPC64: return "POWER";
    case EM_RISCV: return "RISC-V";
    case EM_S390: return "s390";
    default: return text("ELF machine ", code);
  }
}

Rejection truncated(const std::string& what, std::uint64_t end, std::uint64_t size) {
  return broken(text("truncated: ", what, " ends at byte ", end, ", the file at ", size));
}

/// Whether [offset, offset + bytes) wraps around.
bool wraps(std::uint64_t offset, std::uint64_t bytes) { return offset + bytes < offset; }

}  // namespace

File::File(const std::string& path)
    // O_NONBLOCK: should a FIFO have taken the file's place meanwhile, opening it must not hang.
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw broken(text("cannot be read: ", std::strerror(errno)));
  measure();
}

File::File(int descriptor) : descriptor_(descriptor) { measure(); }

void File::measure() {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  throw broken("not a regular file");
}

File::~File() { ::close(descriptor_); }

bool File::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  if (wraps(offset, bytes) || offset + bytes > size_) return false;
  auto* target = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, target, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    target += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

ElfFile::ElfFile(const File& file) : file_(&file) {
  Elf64_Ehdr header{};
  const std::uint64_t there = std::min<std::uint64_t>(file.size(), sizeof header);
  if (there == 0) throw broken("empty file");
  if (!file.read(0, &header, there)) throw broken("cannot be read");
  if (std::memcmp(header.e_ident, ELFMAG, std::min<std::uint64_t>(there, SELFMAG)) != 0)
    throw foreign("not an ELF file");
  // The class first: a 32-bit header is shorter than ours.
  if (there > EI_CLASS && header.e_ident[EI_CLASS] == ELFCLASS32) throw unfit("a 32-bit object");
  if (there < sizeof header) throw truncated("the ELF header", sizeof header, file.size());
  check_identity(header);
  read_segments(header);
  check_extent(header);
}

void ElfFile::check_identity(const Elf64_Ehdr& header) const {
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    throw broken(text("malformed ELF header: class ", int{header.e_ident[EI_CLASS]}));
  const unsigned char order = header.e_ident[EI_DATA];
  if (order != ELFDATA2LSB && order != ELFDATA2MSB)
    throw broken(text("malformed ELF header: byte order ", int{order}));
  if (order != this_order)
    throw unfit(order == ELFDATA2MSB ? "a big-endian object" : "a little-endian object");
  if (header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    throw broken(text("malformed ELF header: version ", header.e_version));
  if (header.e_machine != this_machine)
    throw unfit(
        text("built for ", machine_name(header.e_machine), ", this is ", machine_name(this_machine)));
  if (header.e_type != ET_DYN)
    throw foreign(text("not a shared object (ELF type ", header.e_type, ")"));
}

void ElfFile::read_segments(const Elf64_Ehdr& header) {
  if (header.e_phnum == 0) throw foreign("no program headers: not a shared object");
  if (header.e_phnum > most_segments || header.e_phentsize != sizeof(Elf64_Phdr))
    throw broken(text("malformed ELF header: ", header.e_phnum, " program headers of ",
                      header.e_phentsize, " bytes"));
  const std::uint64_t bytes = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (wraps(header.e_phoff, bytes))
    throw broken("malformed ELF header: absurd offset of the program headers");
  if (header.e_phoff + bytes > file_->size())
    throw truncated("the table of program headers", header.e_phoff + bytes, file_->size());
  segments_.resize(header.e_phnum);
  if (!file_->read(header.e_phoff, segments_.data(), bytes)) throw broken("cannot be read");
}

void ElfFile::check_extent(const Elf64_Ehdr& header) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_NOTE && segment.p_type != PT_DYNAMIC)
      continue;
    if (wraps(segment.p_offset, segment.p_filesz) || wraps(segment.p_vaddr, segment.p_memsz) ||
        segment.p_filesz > segment.p_memsz)
      throw broken("malformed program header: absurd offset or size");
    if (segment.p_offset + segment.p_filesz > file_->size())
      throw truncated("a segment", segment.p_offset + segment.p_filesz, file_->size());
  }
  // Nobody needs the section headers, but they stand at the end: they tell whether the last bytes are there.
  const std::uint64_t sections = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff == 0) return;
  if (wraps(header.e_shoff, sections))
    throw broken("malformed ELF header: absurd offset of the section headers");
  if (header.e_shoff + sections > file_->size())
    throw truncated("the table of section headers", header.e_shoff + sections, file_->size());
}

std::int64_t ElfFile::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return static_cast<std::int64_t>(segment.p_offset + (address - segment.p_vaddr));
  return -1;
}

}  // namespace torchlight::loader
