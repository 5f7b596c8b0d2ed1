#include "loader/dependencies.h"

#include <algorithm>
#include <cstring>

#include "loader/rejection.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

constexpr std::uint64_t most_entries = 4096;
constexpr std::size_t longest_name = 4096;

std::vector<Elf64_Dyn> read_entries(const ElfFile& elf) {
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::uint64_t count = segment.p_filesz / sizeof(Elf64_Dyn);
    if (count == 0 || count > most_entries)
      throw broken(text("malformed dynamic section: ", count, " entries"));
    std::vector<Elf64_Dyn> entries(count);
    if (!elf.file().read(segment.p_offset, entries.data(), count * sizeof(Elf64_Dyn)))
      throw broken("cannot be read");
    const auto end =
        std::find_if(entries.begin(), entries.end(), [](auto& e) { return e.d_tag == DT_NULL; });
    if (end == entries.end()) throw broken("malformed dynamic section: no end");
    entries.erase(end, entries.end());
    return entries;
  }
  throw broken("no dynamic section: not a shared object");
}

std::uint64_t value_of(const std::vector<Elf64_Dyn>& entries, Elf64_Sxword tag) {
  for (const Elf64_Dyn& entry : entries)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return 0;
}

/// The table of names.
class Names {
 public:
  Names(const ElfFile& elf, const std::vector<Elf64_Dyn>& entries)
      : file_(elf.file()), size_(value_of(entries, DT_STRSZ)) {
    const std::int64_t offset = elf.offset_of(value_of(entries, DT_STRTAB));
    if (offset < 0 || size_ == 0 || size_ > file_.size() - static_cast<std::uint64_t>(offset))
      throw broken("malformed dynamic section: its table of names lies outside of the file");
    offset_ = static_cast<std::uint64_t>(offset);
  }

  std::string at(std::uint64_t position) const {
    if (position >= size_)
      throw broken("malformed dynamic section: a name lies outside of the table of names");
    char name[longest_name];
    const std::size_t there = std::min<std::uint64_t>(size_ - position, sizeof name);
    if (!file_.read(offset_ + position, name, there)) throw broken("cannot be read");
    const void* end = std::memchr(name, 0, there);
    if (!end) throw broken("malformed dynamic section: a name without an end");
    return {static_cast<const char*>(name), static_cast<const char*>(end)};
  }

 private:
  const File& file_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
};

void split(const std::string& list, std::vector<std::string>& into) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) into.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

Dependencies read_dependencies(const ElfFile& elf) {
  const std::vector<Elf64_Dyn> entries = read_entries(elf);
  const Names names(elf, entries);
  Dependencies found;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NEEDED) found.needed.push_back(names.at(entry.d_un.d_val));
    if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
      split(names.at(entry.d_un.d_val), found.runpath);
    if (entry.d_tag == DT_SONAME) names.at(entry.d_un.d_val);
  }
  return found;
}

}  // namespace torchlight::loader
