#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <torchlight/error.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "support/host_memory.h"
#include "support/sanitizers.h"
#include "support/size_class.h"
#include "support/system_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

using namespace torchlight;
using namespace torchlight::host_memory;

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

std::uintptr_t address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

std::string error_of(std::size_t bytes) {
  try {
    allocate(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Pages of the process: all, and those in memory.
struct Pages {
  std::size_t all = 0, resident = 0;
};
Pages pages() {
  Pages now;
  std::ifstream("/proc/self/statm") >> now.all >> now.resident;
  return now;
}
std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

struct Piece {
  unsigned char* memory;
  std::size_t bytes;
  unsigned char mark;
};

Piece make_piece(std::mt19937& random, unsigned char mark) {
  static constexpr std::size_t sizes[] = {1, 64, 65, 500, 4096, 4097, 70000, 3 * mebibyte};
  const std::size_t bytes = sizes[random() % 8];
  auto* memory = static_cast<unsigned char*>(allocate(bytes));
  std::memset(memory, mark, bytes);
  return {memory, bytes, mark};
}

bool intact(const Piece& piece) {
  for (std::size_t i = 0; i < piece.bytes; ++i)
    if (piece.memory[i] != piece.mark) return false;
  return true;
}

// Makes and ends pieces at random, some of them through a box that all threads share. Counts damage.
class Churn {
 public:
  void run(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Piece> own;
    for (int step = 0; step < 2000; ++step) {
      own.push_back(make_piece(random, static_cast<unsigned char>(seed * 16 + step % 16)));
      std::swap(own.back(), own[random() % own.size()]);
      if (random() % 3 == 0) exchange(own.back());
      while (own.size() > 20) end(own);
    }
    while (!own.empty()) end(own);
  }
  int damaged() {
    while (!box_.empty()) end(box_);
    return damaged_;
  }

 private:
  void exchange(Piece& piece) {
    const std::lock_guard lock(mutex_);
    if (box_.size() < 8) box_.push_back(make_piece(random_, 7));
    std::swap(piece, box_[random_() % box_.size()]);
  }
  void end(std::vector<Piece>& pieces) {
    if (!intact(pieces.back())) ++damaged_;
    release(pieces.back().memory, pieces.back().bytes);
    pieces.pop_back();
  }

  std::mutex mutex_;
  std::mt19937 random_{1};
  std::vector<Piece> box_;
  std::atomic<int> damaged_{0};
};

}  // namespace

TEST_CASE("memory: size classes grow, hold what was asked for, and waste no more than an eighth") {
  for (unsigned c = 0; c < class_count; ++c) {
    REQUIRE(class_of(class_size(c)) == c);
    if (c > 0) REQUIRE(class_of(class_size(c - 1) + 1) == c);
  }
  for (std::size_t bytes = 1; bytes < 300000; ++bytes) {
    const std::size_t size = class_size(class_of(bytes));
    REQUIRE(size >= bytes);
    REQUIRE(size < bytes + bytes / 8 + unit);
  }
  for (std::size_t bytes = 2 * mebibyte; bytes < 100 * mebibyte; bytes += 12345)
    REQUIRE(class_size(class_of(bytes)) % (64 * kibibyte) == 0);  // whole pages of any size in use
}

TEST_CASE("memory: blocks are aligned to 64 bytes, large ones to huge pages") {
  for (std::size_t bytes = 1; bytes <= 64 * mebibyte; bytes = bytes * 3 / 2 + 1) {
    void* memory = allocate(bytes);
    CHECK(address(memory) % alignment == 0);
    if (bytes >= huge_page && !under_address_sanitizer) CHECK(address(memory) % huge_page == 0);
    std::memset(memory, 1, bytes);
    release(memory, bytes);
  }
}

TEST_CASE("memory: nothing needs no memory") {
  void* none = allocate(0);
  release(none, 0);
  release(nullptr, 100);
  CHECK(statistics().in_use == 0);
}

TEST_CASE("memory: the control: one changed byte of a piece is noticed") {
  std::mt19937 random(1);
  const Piece piece = make_piece(random, 3);
  CHECK(intact(piece));
  piece.memory[piece.bytes / 2] = 4;
  CHECK(!intact(piece));
  release(piece.memory, piece.bytes);
}

TEST_CASE("memory: threads never get the same block, also when others release it") {
  Churn churn;
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back([&churn, seed] { churn.run(seed); });
  for (std::thread& thread : threads) thread.join();
  CHECK(churn.damaged() == 0);
  CHECK(statistics().in_use == 0);
}

TEST_CASE("memory: the counts follow what is handed out") {
  const Statistics before = statistics();
  void* small = allocate(100);
  void* large = allocate(3 * mebibyte);
  const Statistics during = statistics();
  CHECK(during.in_use - before.in_use >= 100 + 3 * mebibyte);
  CHECK(during.in_use - before.in_use <= 128 + 4 * mebibyte);
  CHECK(during.peak >= during.in_use);
  CHECK(during.allocations - before.allocations == 2);
  release(small, 100);
  release(large, 3 * mebibyte);
  CHECK(statistics().in_use == before.in_use);
  CHECK(statistics().peak == during.peak);
}

TEST_CASE("memory: a released block is handed out again") {
  if constexpr (under_address_sanitizer) return;  // see "a released block is poisoned"
  for (const std::size_t bytes : {std::size_t{16}, 4 * kibibyte, 100 * kibibyte, 5 * mebibyte}) {
    void* first = allocate(bytes);
    release(first, bytes);
    const Statistics before = statistics();
    void* second = allocate(bytes);
    CHECK(second == first);
    CHECK(statistics().reused == before.reused + 1);
    CHECK(statistics().cached < before.cached);
    release(second, bytes);
  }
}

#if defined(__SANITIZE_ADDRESS__)
TEST_CASE("memory: under AddressSanitizer a released block is poisoned") {
  for (const std::size_t bytes : {std::size_t{16}, 4 * kibibyte, 5 * mebibyte}) {
    void* memory = allocate(bytes);
    CHECK(__asan_address_is_poisoned(memory) == 0);
    CHECK(__asan_address_is_poisoned(static_cast<char*>(memory) + bytes) == 1);
    release(memory, bytes);
    CHECK(__asan_address_is_poisoned(memory) == 1);
  }
}
#endif

TEST_CASE("memory: trim gives everything back to the system") {
  constexpr std::size_t bytes = 40 * mebibyte;
  void* small = allocate(100);
  void* large = allocate(bytes);
  std::memset(large, 1, bytes);
  const std::size_t with = pages().resident;
  release(large, bytes);
  release(small, 100);
  trim();
  CHECK(statistics().cached == 0);
  if constexpr (!under_address_sanitizer) CHECK(pages().resident + bytes / 2 / page_size() < with);
}

TEST_CASE("memory: what is kept stays below five quarters of the peak, or 64 MiB") {
  for (std::size_t bytes = mebibyte; bytes <= 30 * mebibyte; bytes += mebibyte) {
    release(allocate(bytes), bytes);
    const Statistics now = statistics();
    CHECK(now.cached + now.in_use <= std::max<std::uint64_t>(64 * mebibyte, now.peak / 4 * 5 + unit));
  }
}

TEST_CASE("memory: a step that repeats finds all its blocks again") {
  if constexpr (under_address_sanitizer) return;  // nothing is kept there
  const auto step = [] {
    std::vector<void*> blocks;
    for (std::size_t i = 1; i <= 40; ++i) blocks.push_back(allocate(i * mebibyte));
    for (std::size_t i = 1; i <= 40; ++i) release(blocks[i - 1], i * mebibyte);
  };
  step();
  const Statistics before = statistics();
  step();
  const Statistics after = statistics();
  CHECK(after.reused - before.reused == 40);
  trim();
}

TEST_CASE("memory: what a thread kept is there for others when it has ended") {
  if constexpr (under_address_sanitizer) return;
  trim();
  std::thread([] { release(allocate(64), 64); }).join();
  CHECK(statistics().cached == 64);
  const Statistics before = statistics();
  void* memory = allocate(64);
  CHECK(statistics().reused == before.reused + 1);
  release(memory, 64);
}

TEST_CASE("memory: thread_locals release their blocks after the thread's own cache is gone") {
  struct Holder {
    void* memory = nullptr;
    ~Holder() { release(memory, 200); }
  };
  const std::uint64_t before = statistics().in_use;
  std::thread([] {
    static thread_local Holder early;  // destroyed last, since it was there first
    early.memory = nullptr;
    early.memory = allocate(200);
  }).join();
  CHECK(statistics().in_use == before);
}

TEST_CASE("memory: sizes beyond any machine are an error that names them") {
  for (const std::size_t bytes :
       {std::size_t{1} << 46, std::size_t{1} << 60, ~std::size_t{0}, ~std::size_t{0} - 63})
    CHECK(contains(error_of(bytes), "out of memory: no " + std::to_string(bytes) + " bytes"));
}

TEST_CASE("memory: where there is none left, the kept blocks are given up before that is an error") {
  if constexpr (under_address_sanitizer) return;  // keeps no blocks, and can't live with a limit
  const int status = child::run([] {
    trim();
    release(allocate(200 * mebibyte), 200 * mebibyte);
    release(allocate(30 * mebibyte), 30 * mebibyte);
    const Statistics kept = statistics();
    if (kept.cached < 230 * mebibyte) return 1;
    const rlimit limit{pages().all * page_size() + 8 * mebibyte, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    // An emulator may take the limit and not keep it.
    if (mmap(nullptr, 1 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 77;
    void* fits = allocate(10 * mebibyte);  // only once the others are gone
    if (statistics().cached != 0) return 3;
    const std::string error = error_of(400 * mebibyte);
    if (!contains(error, "419430400 bytes (400 MiB)") || !contains(error, "10 MiB are in use"))
      return 4;
    release(fits, 10 * mebibyte);
    return 0;
  });
  if (status == 77) {
    MESSAGE("there is no limit of memory here");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("H04: a fork while another thread allocates leaves the child a working allocator") {
  if (child::sanitizer_allocates) return;
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop)
      for (const std::size_t bytes : {std::size_t{100}, 10 * kibibyte, 3 * mebibyte})
        release(allocate(bytes), bytes);
  });
  for (int round = 0; round < 30; ++round)
    REQUIRE(child::run([] {
              for (const std::size_t bytes : {std::size_t{100}, 10 * kibibyte, 3 * mebibyte})
                release(allocate(bytes), bytes);
              trim();
              return 0;
            }) == 0);
  stop = true;
  other.join();
}
