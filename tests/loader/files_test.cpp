// Files that aren't plug-ins, or not whole ones: each has its own reason, and the good one beside it loads.
#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>

#include "zoo.h"

using test::Outcome;
using test::with_note;
using test::Zoo;
using test::zoo_bytes;

namespace {

std::string half_overwritten(std::string bytes, std::size_t offset, const std::string& with) {
  return bytes.replace(offset, with.size(), with);
}

/// Changes the ELF header.
std::string with_header(std::string bytes, const std::function<void(Elf64_Ehdr&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Changes the first program header of a type.
std::string with_segment(std::string bytes, std::uint32_t type,
                         const std::function<void(Elf64_Phdr&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::size_t at = header.e_phoff + i * sizeof segment;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != type) continue;
    change(segment);
    std::memcpy(bytes.data() + at, &segment, sizeof segment);
    break;
  }
  return bytes;
}

/// Changes the first entry of the dynamic section with a tag.
std::string with_dynamic(std::string bytes, Elf64_Sxword tag,
                         const std::function<void(Elf64_Dyn&)>& change) {
  std::size_t at = 0;
  with_segment(bytes, PT_DYNAMIC, [&](Elf64_Phdr& segment) { at = segment.p_offset; });
  for (;; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    REQUIRE(entry.d_tag != DT_NULL);
    if (entry.d_tag != tag) continue;
    change(entry);
    std::memcpy(bytes.data() + at, &entry, sizeof entry);
    return bytes;
  }
}

/// The one line of the report about a file: "name|version|state|reason".
std::string line_of(const Outcome& outcome, const std::string& file) {
  const std::string start = "candidate " + file + "|";
  const std::size_t at = outcome.output.find(start);
  if (at == std::string::npos) return "no line about " + file;
  return outcome.output.substr(at + start.size(), outcome.output.find('\n', at) - at - start.size());
}

/// Puts a file beside the good one: its line must end like this, and the good one must work.
void check_refused(const std::string& bytes, const std::string& line) {
  Zoo zoo;
  zoo.put("good");
  zoo.write("plugins/bad.so", bytes);
  const Outcome outcome = zoo.probe({"candidates", "sum", "good"});
  CHECK(line_of(outcome, "bad.so") == line);
  CHECK_SAYS(outcome, "sum 4");
}

/// What `check_refused` expects of a plug-in that was made from good.so.
std::string rejected(const std::string& reason) { return "good|1.0|rejected|" + reason; }
std::string nameless(const std::string& reason) { return "||rejected|" + reason; }

}  // namespace

TEST_CASE("G02: a truncated plug-in is rejected as such, and the one beside it loads") {
  const std::string good = zoo_bytes("good");
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{64}, std::size_t{1000}, good.size() / 2, good.size() - 1}) {
    CAPTURE(size);
    Zoo zoo;
    zoo.put("good");
    zoo.write("plugins/bad.so", good.substr(0, size));
    const Outcome outcome = zoo.probe({"candidates", "sum", "good"});
    CHECK(line_of(outcome, "bad.so").find("|rejected|truncated: ") != std::string::npos);
    CHECK_SAYS(outcome, "candidate good.so|good|1.0|found|");
    CHECK_SAYS(outcome, "sum 4");
  }
}

TEST_CASE("files: what never claimed to be a plug-in is ignored, and says what it is") {
  check_refused("", "||rejected|empty file");
  check_refused("just text", "||ignored|not an ELF file");
  Zoo zoo;
  zoo.put("good");
  zoo.make_directory("plugins/folder.so");
  zoo.put("good", "plugins/folder.so/inner.so");
  const Outcome outcome = zoo.probe({"candidates", "sum", "good", "open", "folder"});
  CHECK(line_of(outcome, "folder.so") == "||ignored|a directory");
  // Whoever asks for it is told: the note may have been forgotten.
  CHECK_SAYS(outcome, "found, but not usable:\n    " + zoo.plugin("folder.so") + ": a directory");
  CHECK(line_of(outcome, "inner.so") == "no line about inner.so");
  CHECK_SAYS(outcome, "sum 4");
}

TEST_CASE("files: a shared object without a note is never opened by the dynamic loader") {
  Zoo zoo;
  zoo.put("foreign");
  zoo.put("marked");
  const test::Environment environment{{"ZOO_MARKER", zoo.path("mark")}};
  const Outcome before =
      zoo.probe({"devices", "mapped", "foreign.so"}, {{"ZOO_MARKER", zoo.path("other_mark")}});
  CHECK_SAYS(before, "not mapped foreign.so");
  CHECK_SAYS(before, "device marked|host|");
  zoo.run("rm plugins/marked.so");
  const Outcome outcome = zoo.probe({"candidates", "devices"}, environment);
  CHECK(line_of(outcome, "foreign.so") == "||ignored|not a Torchlight plug-in: no identity note");
  zoo.run("test ! -e mark && test -e other_mark");  // the second shows that the mark works
}

TEST_CASE("files: other machines, classes and byte orders have their own reasons") {
  const std::string good = zoo_bytes("good");
  check_refused(with_header(good, [](auto& h) { h.e_machine = EM_AARCH64; }),
                nameless("built for arm64, this is x86-64"));
  check_refused(with_header(good, [](auto& h) { h.e_machine = EM_386; }),
                nameless("built for x86 (32 bits), this is x86-64"));
  check_refused(with_header(good, [](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }),
                nameless("a 32-bit object"));
  check_refused(half_overwritten(std::string(52, '\0'), 0,
                                 "\x7f"
                                 "ELF\x01\x01\x01"),
                nameless("a 32-bit object"));
  check_refused(with_header(good, [](auto& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }),
                nameless("a big-endian object"));
  check_refused(with_header(good, [](auto& h) { h.e_ident[EI_CLASS] = 7; }),
                nameless("malformed ELF header: class 7"));
  check_refused(with_header(good, [](auto& h) { h.e_ident[EI_DATA] = 7; }),
                nameless("malformed ELF header: byte order 7"));
  check_refused(with_header(good, [](auto& h) { h.e_version = 9; }),
                nameless("malformed ELF header: version 9"));
  check_refused(with_header(good, [](auto& h) { h.e_type = ET_REL; }),
                "||ignored|not a shared object (ELF type 1)");
}

TEST_CASE("files: absurd numbers in headers are found before they are used") {
  const std::string good = zoo_bytes("good");
  check_refused(with_header(good, [](auto& h) { h.e_phoff = ~std::uint64_t{0} - 8; }),
                nameless("malformed ELF header: absurd offset of the program headers"));
  check_refused(with_header(good, [](auto& h) { h.e_phnum = 0xffff; }),
                nameless("malformed ELF header: 65535 program headers of 56 bytes"));
  check_refused(with_header(good, [](auto& h) { h.e_phentsize = 1; }).substr(0, good.size()),
                nameless("malformed ELF header: " +
                         std::to_string(reinterpret_cast<const Elf64_Ehdr*>(good.data())->e_phnum) +
                         " program headers of 1 bytes"));
  check_refused(with_header(good, [](auto& h) { h.e_shoff = ~std::uint64_t{0} - 8; }),
                nameless("malformed ELF header: absurd offset of the section headers"));
  check_refused(with_segment(good, PT_LOAD, [](auto& s) { s.p_filesz = ~std::uint64_t{0}; }),
                nameless("malformed program header: absurd offset or size"));
  check_refused(with_header(good, [](auto& h) { h.e_phnum = 0; }),
                "||ignored|no program headers: not a shared object");
}

TEST_CASE("A01: a crafted name in the dynamic section, which crashes dlopen, is rejected before") {
  const std::string good = zoo_bytes("dependent");
  const auto expect = [](const std::string& bytes, const std::string& reason) {
    check_refused(bytes, "dependent|1.0|rejected|malformed dynamic section: " + reason);
  };
  expect(with_dynamic(good, DT_NEEDED, [](auto& e) { e.d_un.d_val = 0x7fffffffffff; }),
         "a name lies outside of the table of names");
  expect(with_dynamic(good, DT_STRTAB, [](auto& e) { e.d_un.d_val = 0x7fffffffffff; }),
         "its table of names lies outside of the file");
  expect(with_dynamic(good, DT_STRSZ, [](auto& e) { e.d_un.d_val = ~std::uint64_t{0}; }),
         "its table of names lies outside of the file");
}

TEST_CASE("A02: the note is found without section headers, and after strip -s") {
  Zoo zoo;
  zoo.write("plugins/good.so",
            with_header(zoo_bytes("good"), [](auto& h) { h.e_shoff = h.e_shnum = h.e_shstrndx = 0; }));
  CHECK_SAYS(zoo.probe({"sum", "good"}), "sum 4");
  zoo.put("good");
  zoo.run("strip -s plugins/good.so");
  CHECK_SAYS(zoo.probe({"sum", "good"}), "sum 4");
}

TEST_CASE("notes: each way to be malformed or unfit has its reason") {
  const std::string good = zoo_bytes("good");
  const auto changed = [&](auto change) { return with_note(good, change); };
  check_refused(changed([](tl_note& n) { n.magic[0] = 'X'; }),
                nameless("malformed identity note: wrong magic"));
  check_refused(
      changed([](tl_note& n) { std::memset(n.name, 'a', sizeof n.name); }),
      nameless("malformed identity note: its name is empty, too long or has a strange character"));
  check_refused(
      changed([](tl_note& n) { n.name[0] = 'G'; }),
      nameless("malformed identity note: its name is empty, too long or has a strange character"));
  check_refused(
      changed([](tl_note& n) { n.version[0] = 0; }),
      nameless("malformed identity note: its version is empty, too long or has a strange character"));
  check_refused(
      changed([](tl_note& n) { n.abi_major = 2; }),
      rejected("built for plug-in ABI 2, this core has ABI 1: build it with this core's plugin.h"));
  check_refused(changed([](tl_note& n) { n.abi_minor_needed = 9; }),
                rejected("needs plug-in ABI 1.9, this core has 1." + std::to_string(TL_ABI_MINOR) +
                         ": update Torchlight"));
  check_refused(changed([](tl_note& n) { n.kind = 5; }),
                rejected("a plug-in of a kind this core doesn't know (5)"));
}

TEST_CASE("A03: what the CPU lacks is refused before any code of the file runs") {
  Zoo zoo;
  zoo.write("plugins/marked.so",
            with_note(zoo_bytes("marked"), [](tl_note& n) { n.cpu_needs = std::uint64_t{1} << 40; }));
  zoo.put("good");
  const Outcome outcome =
      zoo.probe({"open", "marked", "devices", "candidates"}, {{"ZOO_MARKER", zoo.path("mark")}});
  CHECK(line_of(outcome, "marked.so") ==
        "marked|1.0|rejected|needs feature 40, which this CPU or the operating system lacks");
  CHECK_SAYS(outcome, "device good|host|");
  zoo.run("test ! -e mark");
  zoo.put("marked");  // the control: without the need it runs, and leaves its mark
  zoo.probe({"open", "marked"}, {{"ZOO_MARKER", zoo.path("mark")}});
  zoo.run("test -e mark");
}

TEST_CASE("A12: a plug-in with another sanitizer than the core's is refused") {
  constexpr std::uint32_t other =
      TL_SANITIZER_THIS == TL_SANITIZER_MEMORY ? TL_SANITIZER_THREAD : TL_SANITIZER_MEMORY;
  Zoo zoo;
  zoo.put("good");
  zoo.write("plugins/bad.so", with_note(zoo_bytes("good"), [](tl_note& n) { n.sanitizer = other; }));
  const Outcome outcome = zoo.probe({"candidates", "sum", "good"});
  CHECK(
      line_of(outcome, "bad.so").find("good|1.0|rejected|built with MemorySanitizer, this core with") ==
      0);
  CHECK(line_of(outcome, "bad.so").find(": build both the same way") != std::string::npos);
  CHECK_SAYS(outcome, "sum 4");
}

TEST_CASE("files: links, FIFOs, sockets and unreadable files have their own reasons") {
  Zoo zoo;
  zoo.put("good");
  zoo.run(
      "cd plugins && mkfifo fifo.so && ln -s nowhere dangling.so && ln -s loop2.so loop1.so && ln -s "
      "loop1.so loop2.so "
      "&& ln -s /dev/null device.so");
  const Outcome outcome = zoo.probe({"candidates", "sum", "good"});
  CHECK(line_of(outcome, "fifo.so") == nameless("a FIFO, not a regular file"));
  CHECK(line_of(outcome, "dangling.so") == nameless("a dangling link"));
  CHECK(line_of(outcome, "loop1.so") == nameless("a loop of links"));
  CHECK(line_of(outcome, "loop2.so") == nameless("a loop of links"));
  CHECK(line_of(outcome, "device.so") == nameless("a device file, not a regular file"));
  CHECK_SAYS(outcome, "sum 4");
}
