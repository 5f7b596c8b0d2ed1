#include "loader/note.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "crafted_elf.h"
#include "loader/cpu_features.h"
#include "loader/dependencies.h"
#include "loader/rejection.h"

using namespace torchlight::loader;
using test::crafted_elf;
using test::make_note;

namespace {

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(::memfd_create("note", MFD_CLOEXEC)) {
    assign(bytes);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  void assign(const std::string& bytes) {
    REQUIRE(::ftruncate(descriptor_, 0) == 0);
    write(0, bytes.data(), bytes.size());
  }
  void resize(std::size_t size) { REQUIRE(::ftruncate(descriptor_, static_cast<off_t>(size)) == 0); }
  void write(std::size_t at, const char* bytes, std::size_t count) {
    REQUIRE(::pwrite(descriptor_, bytes, count, static_cast<off_t>(at)) == static_cast<ssize_t>(count));
  }
  int duplicate() const { return ::dup(descriptor_); }

 private:
  int descriptor_;
};

/// What the first gate says to a file: the name, or the reason to reject it.
std::string verdict(const MemoryFile& memory) {
  try {
    const File file(memory.duplicate());
    const ElfFile elf(file);
    const Identity identity = read_note(elf);
    check_identity(identity, cpu_features());
    read_dependencies(elf);
    return "accepted " + identity.name;
  } catch (const Rejection& rejection) {
    return rejection.what();
  }
}

std::string verdict(const std::string& bytes) { return verdict(MemoryFile(bytes)); }

/// A deterministic source of numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t x = state_;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % bound;
  }

 private:
  std::uint64_t state_;
};

/// Numbers that break readers.
constexpr std::uint64_t nasty[] = {0,     1,         4,          7,          8,           0x7f,
                                   0xff,  0xffff,    0x7fffffff, 0x80000000, 0xffffffff,  0xfffffff0,
                                   ~0ull, ~0ull - 3, 1ull << 63, 1ull << 40, 0x7ffffffff, 112};

/// Changes a copy of some bytes, a few places at a time, and says how often the file was still accepted.
int mutate(const std::string& original, std::size_t interesting, int rounds, std::uint64_t seed) {
  MemoryFile file(original);
  Dice dice(seed);
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t places = 1 + dice.below(3);
    std::size_t touched[3] = {};
    for (std::uint64_t i = 0; i < places; ++i) {
      const std::size_t width = std::size_t{1} << dice.below(4);
      touched[i] = dice.below(interesting - 8);
      std::uint64_t value = dice.below(2) ? nasty[dice.below(std::size(nasty))] : dice.below(~0ull);
      if (dice.below(4) == 0) value = original.size() + dice.below(64) - 32;
      file.write(touched[i], reinterpret_cast<const char*>(&value), width);
    }
    const bool cut = dice.below(8) == 0;
    if (cut) file.resize(dice.below(original.size()));
    accepted += verdict(file).rfind("accepted", 0) == 0;
    if (cut)
      file.assign(original);
    else
      for (std::uint64_t i = 0; i < places; ++i)
        file.write(touched[i], original.data() + touched[i], 8);
  }
  return accepted;
}

std::string bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// A crafted file whose note segment holds these notes before ours, aligned to 4 or 8.
std::string with_notes_before(const std::string& before, std::uint64_t alignment) {
  std::string bytes = crafted_elf();
  const std::uint64_t at = bytes.size();
  tl_elf_note note{11, sizeof(tl_note), TL_NOTE_TYPE, TL_NOTE_OWNER, make_note("further")};
  bytes += before + std::string(reinterpret_cast<const char*>(&note), sizeof note);
  auto* segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + sizeof(Elf64_Ehdr));
  segments[0].p_filesz = segments[0].p_memsz = bytes.size();
  segments[1] = {PT_NOTE, PF_R, at, at, at, bytes.size() - at, bytes.size() - at, alignment};
  return bytes;
}

std::string note_of(std::uint32_t type, const std::string& owner, const std::string& content) {
  const std::uint32_t head[] = {static_cast<std::uint32_t>(owner.size()),
                                static_cast<std::uint32_t>(content.size()), type};
  return std::string(reinterpret_cast<const char*>(head), sizeof head) + owner + content;
}

}  // namespace

TEST_CASE("note: the crafted file and a real plug-in are accepted") {
  CHECK(verdict(crafted_elf()) == "accepted crafted");
  CHECK(verdict(bytes_of(REMOTE_PLUGIN)) == "accepted remote");
}

TEST_CASE("note: every prefix of a file is handled, and none but the whole is accepted") {
  const std::string whole = crafted_elf();
  MemoryFile file(whole);
  for (std::size_t size = whole.size(); size-- > 0;) {
    file.resize(size);
    const std::string why = verdict(file);
    CHECK_MESSAGE((size == 0 ? why == "empty file" : why.rfind("truncated: ", 0) == 0), size, ": ",
                  why);
  }
}

TEST_CASE("note: other notes may come before, in segments of either alignment") {
  const std::string owner("GNU\0", 4);
  const std::string build_id = note_of(3, owner, std::string(20, 'x'));
  CHECK(verdict(with_notes_before(build_id, 4)) == "accepted further");
  CHECK(verdict(with_notes_before(note_of(5, owner, std::string(16, 'x')), 8)) == "accepted further");
  CHECK(verdict(with_notes_before(build_id, 8)) ==
        "accepted further");  // a mixed segment: what linkers make
  // Somebody else's note of our type, and ours of another type, are not ours.
  CHECK(verdict(with_notes_before(note_of(TL_NOTE_TYPE, owner, std::string(112, 'x')), 4)) ==
        "accepted further");
  CHECK(verdict(with_notes_before(note_of(1, std::string("Torchlight\0\0", 12), std::string(8, 'x')),
                                  4)) == "accepted further");
}

TEST_CASE("note: a size that leads nowhere ends the search") {
  std::string absurd = note_of(3, std::string("GNU\0", 4), "");
  const std::uint32_t endless = 0xffffffff;
  std::memcpy(absurd.data() + 4, &endless, sizeof endless);
  CHECK(verdict(with_notes_before(absurd, 4)) == "not a Torchlight plug-in: no identity note");
}

TEST_CASE("note: two of ours are one too many") {
  std::string bytes = crafted_elf();
  auto* segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + sizeof(Elf64_Ehdr));
  segments[2] = segments[1];
  CHECK(verdict(bytes) == "two identity notes: one file is one plug-in");
}

TEST_CASE(
    "note: a longer note of a later minor is read as far as it is known, a shorter one is malformed") {
  std::string bytes = crafted_elf();
  const std::size_t content_size = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) + 4;
  auto set = [&](std::uint32_t size) { std::memcpy(bytes.data() + content_size, &size, sizeof size); };
  set(111);
  CHECK(verdict(bytes) == "malformed identity note: 111 bytes");
  set(113);  // beyond the segment
  CHECK(verdict(bytes) == "malformed identity note: 113 bytes");
}

TEST_CASE("A01: any byte string is handled: 150000 mutated files") {
  const std::string crafted = crafted_elf();
  const std::string real = bytes_of(REMOTE_PLUGIN);
  const int of_crafted = mutate(crafted, crafted.size(), 100000, 1);
  const int of_real = mutate(real, 4096, 50000, 2);  // headers and notes stand at the start
  // Some mutations hit what doesn't matter, most hit something that does.
  CHECK(of_crafted > 1000);
  CHECK(of_crafted < 70000);
  CHECK(of_real > 1000);
  CHECK(of_real < 49000);
}

TEST_CASE("A01: random bytes after the magic are handled") {
  Dice dice(3);
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes =
        "\x7f"
        "ELF";
    for (std::uint64_t i = dice.below(600); i > 0; --i) bytes += static_cast<char>(dice.below(256));
    accepted += verdict(bytes).rfind("accepted", 0) == 0;
  }
  CHECK(accepted == 0);
}

TEST_CASE("identity: needs of the CPU are compared with what it has") {
  tl_note note = make_note();
  note.cpu_needs = TL_CPU_AVX2 | TL_CPU_FMA;
  const MemoryFile memory(crafted_elf(note));
  const File file(memory.duplicate());
  const Identity identity = read_note(ElfFile(file));
  CHECK_NOTHROW(check_identity(identity, TL_CPU_AVX2 | TL_CPU_FMA | TL_CPU_AVX));
  CHECK_THROWS_WITH(check_identity(identity, TL_CPU_AVX2),
                    "needs fma, which this CPU or the operating system lacks");
  CHECK_THROWS_WITH(check_identity(identity, 0),
                    "needs avx2, fma, which this CPU or the operating system lacks");
}
