#include "runtime/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>

namespace twin {
namespace {

/// Shared memory lies below 2^32: kernels may keep its addresses in 32 bits.
char* map_low(size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_32BIT
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_32BIT, -1, 0);
#else
  void* place = MAP_FAILED;
  for (uintptr_t hint = 0x10000000; place == MAP_FAILED && hint < 0xF0000000; hint += 0x10000000) {
    place = mmap(reinterpret_cast<void*>(hint), bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (place != MAP_FAILED && reinterpret_cast<uintptr_t>(place) + bytes > 0xFFFFFFFF)
      munmap(place, bytes), place = MAP_FAILED;
  }
#endif
  if (place == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(place);
}

std::string lanes_text(Mask mask) {
  std::string text;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    int last = lane;
    while (last + 1 < lanes && mask >> (last + 1) & 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lane);
    if (last > lane) text += " to " + std::to_string(last);
    lane = last;
  }
  return text;
}

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

namespace {

std::mutex arenas_lock;
std::vector<std::unique_ptr<Arena>>& arenas() {
  static auto* const kept = new std::vector<std::unique_ptr<Arena>>;
  return *kept;
}

}  // namespace

std::unique_ptr<Arena> Arena::take() {
  const std::lock_guard guard(arenas_lock);
  if (arenas().empty()) return std::make_unique<Arena>();
  std::unique_ptr<Arena> arena = std::move(arenas().back());
  arenas().pop_back();
  return arena;
}

void Arena::give_back(std::unique_ptr<Arena> arena) {
  const std::lock_guard guard(arenas_lock);
  if (arenas().size() < 256) arenas().push_back(std::move(arena));
}

void Arena::reserve(size_t warps_bytes_needed, size_t shared_bytes_needed) {
  if (warps_bytes < warps_bytes_needed) {
    ::operator delete(warps, std::align_val_t(128));
    warps = nullptr;
    warps_bytes = 0;
    block = {0, 0, 0};
    warps = static_cast<char*>(::operator new(warps_bytes_needed, std::align_val_t(128)));
    warps_bytes = warps_bytes_needed;
  }
  if (shared_bytes < shared_bytes_needed) {
    if (shared) munmap(shared, shared_bytes);
    shared = nullptr;
    shared_bytes = 0;
    const size_t bytes = rounded(shared_bytes_needed, 4096);
    shared = map_low(bytes);
    shared_bytes = bytes;
  }
}

Arena::~Arena() {
  ::operator delete(warps, std::align_val_t(128));
  if (shared) munmap(shared, shared_bytes);
}

BlockRunner::BlockRunner(const Kernel& kernel, const Grid& grid, Dim block, Schedule schedule)
    : kernel_(kernel),
      grid_(grid),
      block_(block),
      schedule_(schedule),
      warps_((block.count() + lanes - 1) / lanes),
      arena_(Arena::take()),
      frame_bytes_(rounded(kernel.code->frame_bytes, 128)),
      shared_bytes_(static_cast<size_t>(kernel.shared_bytes) + grid.dynamic_shared),
      state_(warps_),
      calls_(warps_),
      order_(warps_),
      random_(schedule.seed) {
  arena_->reserve(warps_ * (sizeof(Warp) + frame_bytes_), std::max<size_t>(shared_bytes_, 1));
  warp_ = reinterpret_cast<Warp*>(arena_->warps);
  frames_ = arena_->warps + warps_ * sizeof(Warp);
  shared_ = arena_->shared;
  std::iota(order_.begin(), order_.end(), size_t{0});
  const bool numbered =
      arena_->block.x == block.x && arena_->block.y == block.y && arena_->block.z == block.z;
  for (size_t w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    if (!numbered) number_threads(w);
    warp.grid = &grid_;
    warp.shared = shared_;
    warp.block = this;
  }
  arena_->block = block;
}

BlockRunner::~BlockRunner() { Arena::give_back(std::move(arena_)); }

void BlockRunner::number_threads(size_t w) {
  Warp& warp = warp_[w];
  std::memset(static_cast<void*>(&warp), 0, sizeof warp);
  warp.index = static_cast<uint32_t>(w);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const Dim thread = thread_of(static_cast<uint32_t>(w), lane);
    warp.tid_x[lane] = static_cast<int32_t>(thread.x);
    warp.tid_y[lane] = static_cast<int32_t>(thread.y);
    warp.tid_z[lane] = static_cast<int32_t>(thread.z);
    if (w * lanes + lane < block_.count()) warp.exist |= Mask{1} << lane;
  }
}

Dim BlockRunner::thread_of(uint32_t warp, uint32_t lane) const {
  const uint32_t t = warp * lanes + lane;
  return {t % block_.x, t / block_.x % block_.y, t / block_.x / block_.y};
}

void BlockRunner::begin(Dim ctaid) {
  ctaid_ = ctaid;
  ++blocks_run_;
  arrivals_ = {};
  for (size_t w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    warp.ctaid[0] = static_cast<int32_t>(ctaid.x);
    warp.ctaid[1] = static_cast<int32_t>(ctaid.y);
    warp.ctaid[2] = static_cast<int32_t>(ctaid.z);
    warp.live = warp.exist;
    warp.fault = fault_none;
    auto* frame = reinterpret_cast<Frame*>(frames_ + w * frame_bytes_);
    frame->code = kernel_.code;
    frame->caller = nullptr;
    frame->arguments = const_cast<char*>(grid_.parameters);
    frame->results = nullptr;
    frame->next = 0;
    frame->join = -1;
    frame->mask = warp.exist;
    frame->depth = 0;
    warp.frame = frame;
    calls_[w].depth = 0;
    state_[w] = State::ready;
  }
}

BlockRunner::Step BlockRunner::round() {
  if (schedule_.seed) std::shuffle(order_.begin(), order_.end(), random_);
  bool paused = false;
  for (const size_t w : order_) {
    if (state_[w] != State::ready) continue;
    const Step step = run_warp(w);
    if (step == Step::trouble) return step;
    paused = paused || step == Step::paused;
  }
  if (paused) {  // the others may have come to a barrier that needs only them
    const Step step = release_barriers();
    return step == Step::trouble ? step : Step::paused;
  }
  return release_barriers();
}

BlockRunner::Step BlockRunner::run_warp(size_t w) {
  Warp& warp = warp_[w];
  warp.patience = schedule_.seed ? static_cast<int64_t>(random_() % 16) : schedule_.patience;
  for (;;) {
    switch (warp.frame->code->run(&warp)) {
      case action_done:
        if (!warp.frame->caller) {
          state_[w] = State::over;
          return Step::done;
        }
        warp.frame = warp.frame->caller;
        --calls_[w].depth;
        break;
      case action_barrier:
        if (!check_arrival(w)) return Step::trouble;
        if (warp.barrier_kind == barrier_arrive) {
          arrivals_[static_cast<size_t>(warp.barrier) % arrivals_.size()] += lanes;
          if (observer_) observer_->arrive(warp.index, warp.barrier);
          break;
        }
        state_[w] = State::waiting;
        return Step::going;
      case action_call:
        if (!enter_call(w)) return Step::trouble;
        break;
      case action_pause: return Step::paused;
      case action_fault:
      default:
        switch (warp.fault) {
          case fault_trap: fail(w, Trouble::Kind::trap, "trap"); break;
          case fault_mask:
            fail(
                w, Trouble::Kind::mask,
                "a warp-wide operation with mask 0x" +
                    [&] {
                      char digits[17];
                      std::snprintf(digits, sizeof digits, "%08x",
                                    static_cast<uint32_t>(warp.fault_detail));
                      return std::string(digits);
                    }() +
                    " that doesn't name exactly the lanes that take part: wrong for lanes " +
                    lanes_text(warp.fault_mask));
            break;
          case fault_memory:  // a check or an assertion has said it
            if (trouble_.kind == Trouble::Kind::none)
              fail(w, Trouble::Kind::trap, "a check stopped it");
            break;
          default: fail(w, Trouble::Kind::trap, "an unknown fault"); break;
        }
        return Step::trouble;
    }
  }
}

Frame* BlockRunner::frame_for(size_t w, const Code* code) {
  Place& place = calls_[w];
  if (place.depth == place.pieces.size()) place.pieces.emplace_back(), place.sizes.push_back(0);
  std::unique_ptr<char[]>& piece = place.pieces[place.depth];
  const size_t bytes = code->frame_bytes + 128;
  if (place.sizes[place.depth] < bytes)
    piece = std::make_unique<char[]>(bytes), place.sizes[place.depth] = bytes;
  ++place.depth;
  const auto address = reinterpret_cast<uintptr_t>(piece.get());
  return reinterpret_cast<Frame*>((address + 127) / 128 * 128);
}

bool BlockRunner::enter_call(size_t w) {
  Warp& warp = warp_[w];
  // Through a pointer it might be anything.
  const auto offset =
      reinterpret_cast<uintptr_t>(warp.callee) - reinterpret_cast<uintptr_t>(kernel_.handles);
  const size_t index = offset / sizeof(Code);
  const Code* code =
      index < kernel_.function_count && offset % sizeof(Code) == 0 ? kernel_.functions[index] : nullptr;
  if (!code) return fail(w, Trouble::Kind::call, "a call through a pointer that is no function's");
  if (calls_[w].depth > 10000) return fail(w, Trouble::Kind::call, "calls nested more than 10000 deep");
  Frame* frame = frame_for(w, code);
  frame->code = code;
  frame->caller = warp.frame;
  frame->arguments = warp.call_arguments;
  frame->results = warp.call_results;
  frame->next = 0;
  frame->join = -1;
  frame->mask = warp.call_mask;
  frame->depth = 0;
  warp.frame = frame;
  return true;
}

/// A barrier is for whole warps: lanes that are elsewhere would never come.
bool BlockRunner::check_arrival(size_t w) {
  const Warp& warp = warp_[w];
  Mask here = warp.frame->mask;
  for (const Frame* frame = warp.frame; frame->caller; frame = frame->caller)
    here &= frame->caller->mask;
  const Mask missing = warp.live & ~here;
  if (missing)
    return fail(w, Trouble::Kind::barrier,
                "a barrier in divergent code: lanes " + lanes_text(missing) + " of warp " +
                    std::to_string(w) + " are elsewhere");
  const Mask ended = warp.exist & ~warp.live;
  if (schedule_.strict && ended)
    return fail(w, Trouble::Kind::barrier,
                "a barrier that lanes " + lanes_text(ended) + " of warp " + std::to_string(w) +
                    " never reach: they have returned before");
  return true;
}

void BlockRunner::release(int32_t barrier) {
  if (observer_) {
    uint32_t through = 0;
    for (size_t w = 0; w < warps_; ++w)
      if (state_[w] == State::waiting && warp_[w].barrier == barrier) through |= uint32_t{1} << w;
    observer_->barrier(through, barrier);
  }
  int32_t count = 0;
  bool all = true, any = false;
  for (size_t w = 0; w < warps_; ++w) {
    const Warp& warp = warp_[w];
    if (state_[w] != State::waiting || warp.barrier != barrier) continue;
    count += std::popcount(warp.barrier_input);
    all = all && warp.barrier_input == warp.live;
    any = any || warp.barrier_input != 0;
  }
  for (size_t w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    if (state_[w] != State::waiting || warp.barrier != barrier) continue;
    warp.barrier_result = warp.barrier_kind == barrier_popc  ? count
                          : warp.barrier_kind == barrier_and ? all
                                                             : any;
    state_[w] = State::ready;
  }
}

BlockRunner::Step BlockRunner::release_barriers() {
  bool released = false, ready = false, waiting = false;
  for (size_t w = 0; w < warps_; ++w) {
    if (state_[w] == State::ready) ready = true;
    if (state_[w] != State::waiting) continue;
    waiting = true;
    const int32_t barrier = warp_[w].barrier;
    uint64_t arrived = arrivals_[static_cast<size_t>(barrier) % arrivals_.size()];
    bool whole = true;
    for (size_t other = 0; other < warps_; ++other) {
      if (state_[other] == State::over) continue;
      const bool here = state_[other] == State::waiting && warp_[other].barrier == barrier;
      if (here)
        arrived += lanes;
      else
        whole = false;
    }
    const auto wanted = static_cast<uint64_t>(warp_[w].barrier_threads);
    if (barrier == grid_barrier || (wanted ? arrived < wanted : !whole)) continue;
    if (schedule_.strict && !wanted) {
      for (size_t other = 0; other < warps_; ++other) {
        const uint32_t line = warp_[other].line & 0xFFFFF;
        if (state_[other] == State::over)
          return fail(w, Trouble::Kind::barrier,
                      "a barrier that warp " + std::to_string(other) +
                          " never reaches: it has ended before"),
                 Step::trouble;
        if (line != (warp_[w].line & 0xFFFFF))
          return fail(w, Trouble::Kind::barrier,
                      "warps wait at different barriers: warp " + std::to_string(w) + " here, warp " +
                          std::to_string(other) + " at line " + std::to_string(line)),
                 Step::trouble;
      }
    }
    release(barrier);
    arrivals_[static_cast<size_t>(barrier) % arrivals_.size()] = 0;
    released = true;
  }
  if (released || ready) return Step::going;
  if (!waiting) return Step::done;
  for (size_t w = 0; w < warps_; ++w)
    if (state_[w] == State::waiting && warp_[w].barrier != grid_barrier) return stuck();
  release(grid_barrier);  // for when the block is run again
  return Step::grid;
}

/// All warps that are left wait, and no barrier is complete.
BlockRunner::Step BlockRunner::stuck() {
  const size_t w =
      static_cast<size_t>(std::find(state_.begin(), state_.end(), State::waiting) - state_.begin());
  uint64_t count = 0;
  for (const State state : state_) count += state == State::waiting;
  fail(w, Trouble::Kind::barrier,
       "a barrier that never completes: " + std::to_string(count) +
           " warps wait, and no other will come");
  return Step::trouble;
}

bool BlockRunner::fail(size_t w, Trouble::Kind kind, std::string text) {
  const Warp& warp = warp_[w];
  const Mask mask = warp.fault_mask ? warp.fault_mask : warp.frame->mask;
  trouble_.kind = kind;
  trouble_.text = std::move(text);
  trouble_.line = warp.line;
  trouble_.block = ctaid_;
  trouble_.thread = thread_of(static_cast<uint32_t>(w),
                              static_cast<uint32_t>(std::countr_zero(mask | Mask{1} << 31)));
  return false;
}

void BlockRunner::report(const Warp& warp, uint32_t lane, Trouble::Kind kind, std::string text,
                         uint32_t line) {
  trouble_ = {kind, std::move(text), line, ctaid_, thread_of(warp.index, lane)};
}

bool BlockRunner::is_private(uint64_t address) const {
  const auto inside = [&](const void* begin, size_t bytes) {
    return address - reinterpret_cast<uint64_t>(begin) < bytes;
  };
  if (inside(frames_, warps_ * frame_bytes_) || inside(grid_.parameters, 4096 + 512)) return true;
  for (const Place& place : calls_)
    for (size_t k = 0; k < place.depth; ++k)
      if (inside(place.pieces[k].get(), place.sizes[k])) return true;
  return false;
}

bool BlockRunner::endless() {
  const auto running = std::find(state_.begin(), state_.end(), State::ready);
  const size_t w = running == state_.end() ? 0 : static_cast<size_t>(running - state_.begin());
  return fail(w, Trouble::Kind::endless, "stopped: it ran longer than it may");
}

}  // namespace twin
