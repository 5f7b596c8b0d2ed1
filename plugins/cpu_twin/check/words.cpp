// What was done to a word before, and whether the access at hand is in order with it.
#include <algorithm>
#include <bit>

#include "check/checker.h"

namespace twin {
namespace {

constexpr uint32_t stamp_bits = 0xFFFFFFF, whole_word = 15;
constexpr Mask whole_warp = ~Mask{0};

/// Whether lane k accesses the k-th word of a row.
bool is_in_order(const uint64_t* addresses) {
  uint64_t other = 0;
  for (uint64_t lane = 0; lane < row_words; ++lane)
    other |= addresses[lane] ^ (addresses[0] + 4 * lane);
  return other == 0;
}

}  // namespace

/// All lanes from the first one that is left to one that accesses other memory, in their order. False: one may not.
bool Checker::touch(const Place& place, const Request& request, Mask& left) {
  if (place.kind == Place::Kind::own) return left &= left - 1, true;
  const bool shared = place.kind == Place::Kind::shared;
  switch (request.kind) {
    case access_read:
      return shared ? read_shared(place, request, left)
                    : touch_lanes<false, access_read>(place, request, left);
    case access_write:
      return shared ? touch_lanes<true, access_write>(place, request, left)
                    : touch_lanes<false, access_write>(place, request, left);
    default:
      return shared ? touch_lanes<true, access_atomic>(place, request, left)
                    : touch_lanes<false, access_atomic>(place, request, left);
  }
}

template <bool shared, uint32_t kind>
bool Checker::touch_lanes(const Place& place, const Request& request, Mask& left) {
  if constexpr (!shared)
    if (quick_ && touch_row<kind>(place, request, left)) return left = 0, true;
  const uint32_t stamp = static_cast<uint32_t>(shared ? now_.stamp : launch_) & stamp_bits;
  const uint64_t last = place.bytes - request.bytes;
  for (; left; left &= left - 1) {
    const One one{request, static_cast<uint32_t>(std::countr_zero(left)), &place};
    if (one.address() - place.base > last || (one.address() & (request.bytes - 1))) return true;
    if (!touch_lane<shared, kind>(one, stamp)) return false;
  }
  return true;
}

/// touch_lanes for what kernels do most, with what it takes at hand.
bool Checker::read_shared(const Place& place, const Request& request, Mask& left) {
  if (request.bytes != 4) return touch_lanes<true, access_read>(place, request, left);
  const auto base = reinterpret_cast<uint64_t>(request.warp.shared);
  const uint64_t first = (place.base - base + 3) / 4, end = (place.base - base + place.bytes) / 4;
  const uint64_t moment = request.moment, phase = request.phase;
  const auto stamp = static_cast<uint32_t>(now_.stamp) & stamp_bits;
  const Settled* settled = now_.settled.data();
  uint64_t same = 0;  // the address of a word that is settled
  Mask rest = left;
  bool good = true;
  for (; good && rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t address = request.addresses[lane];
    if (address == same) continue;
    const uint64_t word = std::rotr(address - base, 2);  // huge, where it isn't a whole one
    if (word - first >= end - first) break;
    if (settled[word].phase == phase || settled[word].moment == moment)
      same = address;
    else
      good = touch_word<true, access_read>({request, lane, &place}, word, whole_word, stamp);
  }
  left = rest;
  return good;
}

/// All lanes at once, where they access a row in order and are in order with all before. False where each must be
/// looked at for itself.
template <uint32_t kind>
bool Checker::touch_row(const Place& place, const Request& request, Mask lanes_on) {
  const uint64_t offset = request.addresses[0] - place.base;
  if (lanes_on != whole_warp || request.bytes != 4 || offset % (4 * row_words) ||
      offset + 4 * row_words > place.bytes || !is_in_order(request.addresses))
    return false;
  Row& row = place.shadow->row(offset / 4);
  if (const uint32_t stamp = static_cast<uint32_t>(launch_) & stamp_bits; row.stamp != stamp) {
    row = Row{};
    row.stamp = stamp & stamp_bits;
  }
  const uint32_t first = request.access.thread;
  if (row.spread || clashes<false, kind>(row, request, first, whole_word)) return false;
  note<false, kind>(row, request, first, whole_word);
  return true;
}

template <bool shared, uint32_t kind> bool Checker::touch_lane(const One& one, uint32_t stamp) {
  const uint32_t size = one.of.bytes;
  const uint64_t at =
      one.address() - (shared ? reinterpret_cast<uint64_t>(one.of.warp.shared) : one.place->base);
  for (uint64_t done = 0; done < size;) {
    const uint64_t byte = at + done, in_word = byte % 4, count = std::min(4 - in_word, size - done);
    const auto bytes = static_cast<uint32_t>(((1U << count) - 1) << in_word);
    if (!touch_word<shared, kind>(one, byte / 4, bytes, stamp)) return false;
    done += count;
  }
  return true;
}

template <bool shared, uint32_t kind>
bool Checker::touch_word(const One& one, uint64_t word, uint32_t bytes, uint32_t stamp) {
  if constexpr (shared && kind == access_read)
    if (is_settled(word, one.of)) return true;
  Cell& cell = shared ? now_.shared_cells[word] : one.place->shadow->cell(word, stamp);
  if (cell.stamp != stamp) {
    cell = Cell{};
    cell.stamp = stamp & stamp_bits;
  }
  if (shared && kind != access_write && (cell.initialised & bytes) != bytes) doubt(one);
  const uint32_t thread = one.thread();
  if (clashes<shared, kind>(cell, one.of, thread, bytes) && !settle<shared, kind>(cell, one, bytes))
    return false;
  if (shared && atomics_) look_at_atomics(cell, bytes, static_cast<uint32_t>(word), one);
  const bool full = note<shared, kind>(cell, one.of, thread, bytes);
  if constexpr (shared && kind != access_read) {
    cell.initialised = (cell.initialised | bytes) & whole_word;
    now_.settled[word] = {};
  } else if (shared && full && quick_) {
    settle_reads(cell, word, one.of);
  }
  return true;
}

/// Two threads have read the word since it was written, and neither read is in order with what this warp does. That
/// also goes for reads by its other lanes, until its moment is over. And for other warps, until the next barrier, if
/// what was written was in order before the phase, as another warp than the writer's knows; as for the two themselves,
/// a warp that was in step with itself since then has no phase.
void Checker::settle_reads(const Cell& cell, uint64_t word, const Request& request) {
  // Looks at what atomics change are to be remembered, each.
  if (atomics_ || cell.initialised != whole_word || cell.read.bytes != whole_word ||
      cell.other_read.bytes != whole_word)
    return;
  const bool of_this_warp = (cell.write.thread - 1U) / lanes == request.warp.index;
  if (!of_this_warp || cell.write.turn != request.access.turn)
    now_.settled[word].moment = request.moment;
  if (!of_this_warp && request.phase != no_phase) now_.settled[word].phase = request.phase;
}

/// Whether an earlier access has happened before this one for everybody. `hears`: it reads what was written.
template <bool shared>
bool Checker::ordered(const Access& before, bool hears, const Request& request, uint32_t thread) const {
  // What was written before a fence may be read by who has heard of it.
  if (!shared && before.block != block_)
    return hears && before.block < fences_.size() && fences_[before.block] > before.fence;
  const uint32_t warp = (before.thread - 1U) / lanes;
  if (warp == request.warp.index) return before.thread == thread || request.access.turn != before.turn;
  return request.clock[warp] >= before.clock;
}

/// Whether an access of another thread to the same bytes of shared memory is in no order with this one.
bool Checker::is_apart(const Access& before, uint32_t bytes, const One& one) const {
  return before.thread && before.thread != one.thread() && (before.bytes & bytes) &&
         !ordered<true>(before, false, one.of, one.thread());
}

template <bool shared, uint32_t kind>
bool Checker::conflicts(const Access& before, bool wrote, const Request& request, uint32_t thread,
                        uint32_t bytes) const {
  constexpr bool atomic = kind == access_atomic, writes = kind != access_read;
  if (!before.thread || !(before.bytes & bytes)) return false;
  if (!shared && before.block != block_ ? !across_blocks_ : before.thread == thread) return false;
  // Atomics are in order with each other, and a plain look at what they change is how loops around them begin
  // (look_at_atomics).
  if ((before.atomic && (atomic || !writes)) || (atomic && !wrote)) return false;
  return !ordered<shared>(before, wrote && !writes, request, thread);
}

template <bool shared, uint32_t kind>
bool Checker::clashes(const Accesses& known, const Request& request, uint32_t thread,
                      uint32_t bytes) const {
  const auto with = [&](const Access& before, bool wrote) {
    return conflicts<shared, kind>(before, wrote, request, thread, bytes);
  };
  if (with(known.write, true)) return true;
  return kind != access_read && (with(known.read, false) || with(known.other_read, false));
}

/// Whether it may be all the same; else it is reported.
template <bool shared, uint32_t kind>
bool Checker::settle(const Accesses& known, const One& one, uint32_t bytes) {
  const auto with = [&](const Access& before, bool wrote) {
    return conflicts<shared, kind>(before, wrote, one.of, one.thread(), bytes);
  };
  if (with(known.write, true) && !is_excused(known.write, one)) {
    fail_race(one, kind == access_read ? "which is written by" : "which is also written by",
              known.write);
    return false;
  }
  if constexpr (kind != access_read)
    for (const Access* read : {&known.read, &known.other_read})
      if (with(*read, false)) return fail_race(one, "which is read by", *read), false;
  return true;
}

/// Whether two threads have read it now, neither in order with the other.
template <bool shared, uint32_t kind>
bool Checker::note(Accesses& known, const Request& request, uint32_t thread, uint32_t bytes) const {
  Access now = request.access;
  now.thread = thread & 0x7FF;
  now.bytes = bytes & whole_word;
  if constexpr (kind != access_read) {
    known.write = now;
    if (kind == access_write) known.read = known.other_read = {};
    return true;
  }
  const auto is_over = [&](const Access& read) {
    return !read.thread || read.thread == thread || (!shared && read.block != block_) ||
           !conflicts<shared, access_read>(read, false, request, thread, bytes);
  };
  if (is_over(known.read)) {
    known.read = now;
    return false;
  }
  if (is_over(known.other_read)) known.other_read = now;
  return true;
}

}  // namespace twin
