// driver RUNS SEED FILE_OR_DIRECTORY…: what drives a fuzzer where there is no libFuzzer, and in the ordinary run of
// the tests. Tries each file as it is, then so many changed ones, which are the same for the same seed.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest = 1 << 16;

Input read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Input> read_corpus(char** begin, char** end) {
  std::vector<fs::path> paths;
  for (char** at = begin; at != end; ++at) {
    if (!fs::exists(*at)) return {};
    if (fs::is_directory(*at))
      for (const auto& entry : fs::directory_iterator(*at)) paths.push_back(entry.path());
    else
      paths.emplace_back(*at);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> corpus;
  for (const fs::path& path : paths) {
    corpus.push_back(read(path));
    corpus.back().resize(std::min(corpus.back().size(), longest));
  }
  return corpus;
}

/// Changes inputs at random, mostly in their first bytes, where headers are.
class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  Input next() {
    Input input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    input.resize(std::min(input.size(), longest));
    return input;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  std::size_t place(const Input& input) {
    return below(2) == 0 ? below(std::min<std::size_t>(input.size(), 512)) : below(input.size());
  }

  void change(Input& input) {
    if (input.empty()) input.push_back(0);
    switch (below(8)) {
      case 0: input[place(input)] ^= std::uint8_t(1u << below(8)); break;
      case 1: input[place(input)] = std::uint8_t(random_()); break;
      case 2:
      case 3:
      case 4: set_number(input); break;
      case 5: input.resize(place(input)); break;
      case 6: input.insert(input.end(), below(64), std::uint8_t(random_())); break;
      case 7: splice(input); break;
    }
  }

  /// A field of 2, 4 or 8 bytes gets a number at which something ends.
  void set_number(Input& input) {
    const std::uint64_t ends[] = {0,
                                  1,
                                  3,
                                  0x7f,
                                  0xffff,
                                  input.size(),
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  ~std::uint64_t{0} >> 1,
                                  ~std::uint64_t{0},
                                  random_() % (input.size() + 64)};
    const std::uint64_t number = ends[below(std::size(ends))] + below(3) - 1;
    const std::size_t width = std::size_t{2} << below(3), at = place(input) / width * width;
    if (at + width <= input.size()) std::memcpy(&input[at], &number, width);
  }

  /// A piece of another input, at the same place or elsewhere.
  void splice(Input& input) {
    const Input& other = corpus_[below(corpus_.size())];
    const std::size_t from = place(other), length = std::min(below(256), other.size() - from);
    const std::size_t to = below(2) == 0 ? from : place(input);
    if (to + length <= input.size())
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), length,
                  input.begin() + static_cast<std::ptrdiff_t>(to));
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

/// A file in the present directory, in memory at once: what ends the process is found there.
class LastInput {
 public:
  explicit LastInput(const char* program)
      : name_("last_input_of_" + fs::path(program).filename().string()) {
    const int file = ::open(name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ::ftruncate(file, longest) != 0) std::abort();
    void* memory = ::mmap(nullptr, longest, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::abort();
    bytes_ = static_cast<std::uint8_t*>(memory);
    ::close(file);
  }
  ~LastInput() {
    ::munmap(bytes_, longest);
    ::unlink(name_.c_str());
  }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  void try_out(const Input& input) {
    std::copy(input.begin(), input.end(), bytes_);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }

 private:
  std::string name_;
  std::uint8_t* bytes_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::uint64_t runs = std::strtoull(words[1], nullptr, 10);
  const std::vector<Input> corpus = read_corpus(words + 3, words + count);
  if (corpus.empty()) {
    std::puts("no corpus, or not all of it");
    return 2;
  }
  LastInput last(words[0]);
  for (const Input& input : corpus) last.try_out(input);
  Mutator mutator(corpus, std::strtoull(words[2], nullptr, 10));
  for (std::uint64_t i = 0; i < runs; ++i) last.try_out(mutator.next());
  std::printf("%zu files and %llu changed ones\n", corpus.size(),
              static_cast<unsigned long long>(runs));
  return 0;
}
