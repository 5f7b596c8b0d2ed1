#include "loader/note.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "loader/cpu_features.h"
#include "loader/rejection.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

constexpr int most_notes = 4096;  // in one segment; real files have a handful

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

/// The text of a fixed field. Rejection unless it ends within the field and each character is allowed.
template <std::size_t N>
std::string text_of(const char (&field)[N], std::string_view what, bool (*allowed)(char)) {
  const char* end = std::find(field, field + N, '\0');
  if (end == field || end == field + N || !std::all_of(field, end, allowed))
    throw broken(
        text("malformed identity note: its ", what, " is empty, too long or has a strange character"));
  return {field, end};
}

bool name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool version_character(char c) { return c > ' ' && c < 127; }

/// The content of our note in one PT_NOTE segment whose notes are aligned to `step`, if it is there.
std::optional<tl_note> find_note(const File& file, const Elf64_Phdr& segment, std::uint64_t step) {
  const std::uint64_t begin = segment.p_offset;
  const std::uint64_t end = begin + segment.p_filesz;
  std::uint64_t at = begin;
  for (int i = 0; i < most_notes && at < end && end - at >= sizeof(Elf64_Nhdr); ++i) {
    Elf64_Nhdr header{};
    if (!file.read(at, &header, sizeof header)) return {};
    // 32-bit sizes: their sums can't wrap in 64 bits.
    const std::uint64_t owner = at + sizeof header;
    const std::uint64_t content = begin + round_up(owner - begin + header.n_namesz, step);
    at = begin + round_up(content - begin + header.n_descsz, step);
    char name[sizeof TL_NOTE_OWNER] = {};
    if (header.n_type != TL_NOTE_TYPE || header.n_namesz != sizeof TL_NOTE_OWNER) continue;
    if (!file.read(owner, name, sizeof name) || std::memcmp(name, TL_NOTE_OWNER, sizeof name) != 0)
      continue;
    tl_note note{};
    if (header.n_descsz < sizeof note || content + header.n_descsz > end ||
        !file.read(content, &note, sizeof note))
      throw broken(text("malformed identity note: ", header.n_descsz, " bytes"));
    return note;
  }
  return {};
}

Identity interpret(const tl_note& note) {
  if (std::memcmp(note.magic, TL_NOTE_MAGIC, sizeof note.magic) != 0)
    throw broken("malformed identity note: wrong magic");
  Identity identity;
  identity.name = text_of(note.name, "name", name_character);
  identity.version = text_of(note.version, "version", version_character);
  identity.abi_major = note.abi_major;
  identity.abi_minor_built = note.abi_minor_built;
  identity.abi_minor_needed = note.abi_minor_needed;
  identity.kind = note.kind;
  identity.sanitizer = note.sanitizer;
  identity.cpu_needs = note.cpu_needs;
  return identity;
}

std::string sanitizer_name(std::uint32_t sanitizer) {
  switch (sanitizer) {
    case TL_SANITIZER_NONE: return "without a sanitizer";
    case TL_SANITIZER_ADDRESS: return "with AddressSanitizer";
    case TL_SANITIZER_THREAD: return "with ThreadSanitizer";
    case TL_SANITIZER_MEMORY: return "with MemorySanitizer";
    default: return text("with sanitizer ", sanitizer);
  }
}

}  // namespace

Identity read_note(const ElfFile& elf) {
  std::optional<tl_note> found;
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type != PT_NOTE) continue;
    // Linkers may put notes of both alignments into one segment.
    std::optional<tl_note> note = find_note(elf.file(), segment, 4);
    if (!note) note = find_note(elf.file(), segment, 8);
    if (note && found) throw broken("two identity notes: one file is one plug-in");
    if (note) found = note;
  }
  if (!found) throw foreign("not a Torchlight plug-in: no identity note");
  return interpret(*found);
}

void check_identity(const Identity& identity, std::uint64_t cpu_features) {
  if (identity.abi_major != TL_ABI_MAJOR) throw other_abi("built for", identity.abi_major);
  if (identity.abi_minor_needed > TL_ABI_MINOR)
    throw unfit(text("needs plug-in ABI ", identity.abi_major, ".", identity.abi_minor_needed,
                     ", this core has ", TL_ABI_MAJOR, ".", TL_ABI_MINOR, ": update Torchlight"));
  if (identity.kind != TL_KIND_BACKEND)
    throw unfit(text("a plug-in of a kind this core doesn't know (", identity.kind, ")"));
  if (identity.sanitizer != TL_SANITIZER_THIS)
    throw unfit(text("built ", sanitizer_name(identity.sanitizer), ", this core ",
                     sanitizer_name(TL_SANITIZER_THIS), ": build both the same way"));
  if (const std::uint64_t missing = identity.cpu_needs & ~cpu_features)
    throw unfit(
        text("needs ", feature_names(missing), ", which this CPU or the operating system lacks"));
}

}  // namespace torchlight::loader
