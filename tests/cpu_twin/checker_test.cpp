// What the checker finds when it looks at the accesses of a warp together is what it finds when it looks at each lane
// and word for itself: random accesses, given to both.
#include "check/checker.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "programs.h"
#include "runtime/module.h"

namespace {

constexpr uint32_t block_threads = 128, warps = block_threads / twin::lanes, shared_bytes = 640,
                   region = 128, global_words = 4 * region;  // one to be read, one for each block

std::string module_text(bool atomics) {
  const std::string body =
      atomics ? "\t.reg .b32 %r<2>;\n\tatom.shared.add.u32 %r1, [words], 1;\n" : "";
  return ".version 7.5\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 words[4];\n"
         ".visible .entry k()\n{\n" +
         body + "\tret;\n}\n";
}

/// A checker, and a block that it looks at.
struct Watched {
  Watched(twin::LoadedModule& module, bool quick) : checker(quick) {
    code.frame_bytes = 128;
    kernel.code = &code;
    grid.dynamic_shared = shared_bytes;
    kernel.shared_bytes = twin::shared_layout_of(module.text(), 0, true).bytes;
    checker.use(&module, 0);
  }
  void launch() {
    runner =
        std::make_unique<twin::BlockRunner>(kernel, grid, twin::Dim{block_threads}, twin::Schedule{});
    checker.begin_launch(true);
    checker.enter(*runner);
  }
  void begin_block(uint32_t index) {
    runner->begin({index, 0, 0});
    checker.begin_block(*runner, index);
    for (uint32_t w = 0; w < warps; ++w) {
      warp[w].index = w;
      warp[w].shared = runner->shared();
      warp[w].block = runner.get();
    }
  }
  std::string found() const {
    const twin::Trouble& t = runner->trouble();
    // What is outside of everything is told by its address, and the two have shared memory of their own.
    const bool outside = t.text.find("which is no device memory") != std::string::npos;
    return (outside ? "outside" : t.text) + " line " + std::to_string(t.line) + " thread " +
           std::to_string(t.thread.x);
  }

  twin::Code code;
  twin::Kernel kernel;
  twin::Grid grid{};
  twin::Checker checker;
  std::unique_ptr<twin::BlockRunner> runner;
  twin::Warp warp[warps]{};
};

/// One thing that happens in a block.
struct Event {
  enum class Kind : uint8_t { access, barrier, part_barrier, arrive, warp_sync, fence } kind;
  uint32_t warp = 0, what = 0, line = 0;
  twin::Mask mask = 0;
  bool shared = false;
  int64_t offsets[twin::lanes];
  uint8_t values[512];
};

class Story {
 public:
  Story(uint64_t seed, bool atomics) : random_(seed), atomics_(atomics) {}

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void begin_block(uint32_t block) { block_ = block, begun_ = 0, writing_ = true; }

  /// Mostly phases in which all write what is theirs, or all read, with a barrier between them: so that much happens
  /// before something is wrong.
  Event next() {
    if (begun_ < 2 * warps) return first(begun_++);
    if (begun_++ == 2 * warps || below(30) == 0) {
      writing_ = !writing_;
      return {below(60) ? Event::Kind::barrier : Event::Kind::warp_sync, 0, 0, 0, 0, false, {}, {}};
    }
    return below(12) ? access() : other();
  }

 private:
  Event other() {
    static constexpr Event::Kind kinds[] = {Event::Kind::warp_sync,    Event::Kind::warp_sync,
                                            Event::Kind::fence,        Event::Kind::arrive,
                                            Event::Kind::part_barrier, Event::Kind::barrier};
    return {kinds[below(6)], below(warps), 0, 0, 0, false, {}, {}};
  }

  /// Shared memory is written before anything else: each warp's part in two pieces.
  Event first(uint32_t piece) {
    Event event{Event::Kind::access,
                piece / 2,
                twin::access_write | 4 << 8,
                1,
                piece % 2 ? 255U : ~0U,
                true,
                {},
                {}};
    for (uint32_t lane = 0; lane < twin::lanes; ++lane)
      event.offsets[lane] =
          4 * (piece / 2 * (shared_bytes / 4 / warps) + piece % 2 * twin::lanes + lane);
    return event;
  }

  Event access() {
    Event event{Event::Kind::access, below(warps), 0, 1 + below(5), ~0U, below(3) > 0, {}, {}};
    const bool wild = below(300) == 0, atomic = atomics_ && below(8) == 0;
    const bool writes = wild ? below(2) : writing_ && !atomic;
    uint32_t bytes = 4;
    if (below(6) == 0) bytes = 1U << below(5);
    if (below(4) == 0) event.mask = static_cast<uint32_t>(random_());
    const uint32_t kind = atomic   ? twin::access_atomic
                          : writes ? twin::access_write
                                   : twin::access_read;
    event.what =
        kind | (below(20) == 0 && !writes ? twin::access_aware : 0U) | bytes << 8 |
        static_cast<uint32_t>(event.shared ? twin::ptx::Space::shared : twin::ptx::Space::global) << 4;
    const uint32_t words = event.shared ? shared_bytes / 4 : region, own = words / warps;
    if (writes && !wild) {
      if (bytes > 4) event.what = (event.what & 255) | 4 << 8, bytes = 4;
      for (uint32_t lane = 0; lane < twin::lanes; ++lane)
        event.offsets[lane] = event.warp * own + lane % own;
    } else {
      place(event, words, bytes);
    }
    if (!event.shared && (writes || atomic || below(2)))
      for (int64_t& offset : event.offsets) offset += (1 + block_) * region;
    for (int64_t& offset : event.offsets) offset *= 4;
    std::memset(event.values, static_cast<int>(below(2)), sizeof event.values);
    return event;
  }

  /// Shapes that kernels have, and some that they haven't.
  void place(Event& event, uint32_t words, uint32_t bytes) {
    const uint32_t shape = below(7), step = bytes > 4 ? bytes / 4 : 1;
    const uint32_t base = (below(2) ? below(words / 32) * 32 : below(words)) / step * step;
    for (uint32_t lane = 0; lane < twin::lanes; ++lane) {
      const uint32_t by_shape[] = {lane, lane, lane % 16, lane / 16 * 16, 0, lane * 8, below(words)};
      event.offsets[lane] = (base + by_shape[shape] * step) % words / step * step;
      if (below(100000) == 0) event.offsets[lane] = words + below(900);
    }
  }

  std::mt19937_64 random_;
  bool atomics_, writing_ = true;
  uint32_t block_ = 0, begun_ = 0;
};

bool tell(Watched& to, const Event& event, char* memory) {
  using Kind = Event::Kind;
  switch (event.kind) {
    case Kind::barrier: return to.checker.barrier((1U << warps) - 1, 0), true;
    case Kind::part_barrier: return to.checker.barrier(1U << event.warp | 1, 1), true;
    case Kind::arrive: return to.checker.arrive(event.warp, 1), true;
    case Kind::warp_sync: return to.checker.sync(to.warp[event.warp], twin::sync_warp), true;
    case Kind::fence: return to.checker.sync(to.warp[event.warp], twin::sync_fence), true;
    case Kind::access: break;
  }
  uint64_t addresses[twin::lanes];
  const auto base =
      reinterpret_cast<uint64_t>(event.shared ? to.runner->shared() + to.kernel.shared_bytes : memory);
  for (uint32_t lane = 0; lane < twin::lanes; ++lane)
    addresses[lane] = base + static_cast<uint64_t>(event.offsets[lane]);
  return to.checker.access(
      to.warp[event.warp], addresses, event.mask, event.what, event.line,
      (event.what & twin::access_kinds) == twin::access_write ? event.values : nullptr);
}

struct Count {
  int differences = 0, faults = 0, events = 0;
};

/// Blocks of random accesses. With `forget`, one of the two isn't told of barriers now and then.
Count compare(bool atomics, bool forget) {
  twin::LoadedModule module(module_text(atomics), toolchain());
  Watched quick(module, true), plain(module, false);
  auto* const memory = static_cast<char*>(
      twin::Memory::of_process().allocate(global_words * 4, twin::MemoryKind::device));
  std::memset(memory, 0, global_words * 4);
  Count count;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    Story story(seed, atomics);
    for (Watched* of : {&quick, &plain}) of->launch();
    bool good = true;
    for (uint32_t block = 0; block < 3 && good; ++block) {
      for (Watched* of : {&quick, &plain}) of->begin_block(block);
      story.begin_block(block);
      for (uint32_t k = 0; k < 150 + story.below(200) && good; ++k, ++count.events) {
        const Event event = story.next();
        const bool a = tell(quick, event, memory);
        const bool b = forget && event.kind == Event::Kind::barrier && story.below(4) == 0
                           ? true
                           : tell(plain, event, memory);
        good = a && b;
        count.differences += a != b;
      }
      const bool a = quick.checker.end_block(*quick.runner), b = plain.checker.end_block(*plain.runner);
      count.differences += a != b || quick.found() != plain.found();
      count.faults += quick.runner->trouble().kind != twin::Trouble::Kind::none;
      good = good && a && b && quick.runner->trouble().kind == twin::Trouble::Kind::none;
    }
    for (Watched* of : {&quick, &plain}) of->checker.leave(*of->runner);
  }
  twin::Memory::of_process().release(memory);
  MESSAGE(count.events << " events, " << count.faults << " faults, " << count.differences
                       << " differences");
  return count;
}

}  // namespace

TEST_CASE("checker: together it finds what it finds one by one") {
  for (const bool atomics : {false, true}) {
    const Count count = compare(atomics, false);
    CHECK(count.differences == 0);
    CHECK(count.faults > 100);
    CHECK(count.events > 50 * count.faults);
  }
}

TEST_CASE("checker: one that misses barriers is noticed") {
  CHECK(compare(false, true).differences > 10);
}
