#include "crafted_elf.h"

#include <elf.h>

#include <cstring>

namespace test {
namespace {

#if defined(__aarch64__)
constexpr std::uint16_t machine = EM_AARCH64;
#else
constexpr std::uint16_t machine = EM_X86_64;
#endif

template <class T> void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

tl_note make_note(const std::string& name) {
  tl_note note{};
  std::memcpy(note.magic, TL_NOTE_MAGIC, sizeof note.magic);
  note.abi_major = TL_ABI_MAJOR;
  note.kind = TL_KIND_BACKEND;
  note.sanitizer = TL_SANITIZER_THIS;
  std::strncpy(note.name, name.c_str(), sizeof note.name - 1);
  std::strcpy(note.version, "1.0");
  return note;
}

std::string crafted_elf(const tl_note& note) {
  constexpr std::uint64_t segments = 3;
  constexpr std::uint64_t note_at = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
  constexpr std::uint64_t dynamic_at = note_at + sizeof(tl_elf_note);
  constexpr std::uint64_t entries = 4;
  constexpr std::uint64_t names_at = dynamic_at + entries * sizeof(Elf64_Dyn);
  const std::string names("\0libc.so.6\0", 11);
  const std::uint64_t size = names_at + names.size();

  std::string bytes;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = segments;
  append(bytes, header);
  append(bytes, Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, size, size, 4096});
  append(bytes, Elf64_Phdr{PT_NOTE, PF_R, note_at, note_at, note_at, sizeof(tl_elf_note),
                           sizeof(tl_elf_note), 4});
  append(bytes, Elf64_Phdr{PT_DYNAMIC, PF_R, dynamic_at, dynamic_at, dynamic_at,
                           entries * sizeof(Elf64_Dyn), entries * sizeof(Elf64_Dyn), 8});
  append(bytes, tl_elf_note{11, sizeof(tl_note), TL_NOTE_TYPE, TL_NOTE_OWNER, note});
  append(bytes, Elf64_Dyn{DT_STRTAB, {names_at}});
  append(bytes, Elf64_Dyn{DT_STRSZ, {names.size()}});
  append(bytes, Elf64_Dyn{DT_NEEDED, {1}});
  append(bytes, Elf64_Dyn{DT_NULL, {0}});
  return bytes + names;
}

}  // namespace test
