// What generated code and the runtime share while a block of threads runs: plain structs, laid out by hand.
#pragma once

#include <cstdint>

namespace twin {

constexpr int lanes = 32;
using Mask = uint32_t;  // one bit a lane

struct Warp;

/// What generated code answers when it hands a warp back.
enum Action : int32_t {
  action_done = 0,     // all lanes have left the function
  action_barrier = 1,  // Warp::barrier says which
  action_call = 2,     // Warp::call says what
  action_pause = 3,    // the warp has gone round long enough: others may run
  action_fault = 4,    // Warp::fault says why
};

/// Machine code of a function, and what a frame of it needs.
struct Code {
  int32_t (*run)(Warp*) = nullptr;
  uint32_t frame_bytes = 0;
  uint32_t results_bytes = 0;  // of one lane
};

/// A path that lanes have still to go: they start at block `next`, and wait for others at block `join`.
struct Path {
  int32_t next;
  int32_t join;
  Mask mask;
  uint32_t reserved;
};

/// The state of a warp in one function. Registers, arrays and open paths stand behind it, at offsets that the
/// generated code knows.
struct alignas(64) Frame {
  const Code* code;
  Frame* caller;
  char* arguments;  // by lane for each piece; of a kernel, the launch's parameters
  char* results;
  int32_t next;  // where it goes on
  int32_t join;
  Mask mask;
  uint32_t depth;  // open paths
};

enum BarrierKind : int32_t {
  barrier_sync = 0,
  barrier_arrive = 1,
  barrier_popc = 2,
  barrier_and = 3,
  barrier_or = 4
};

constexpr int32_t grid_barrier = 1 << 20;  // the name of the one that all blocks of a grid meet at

enum Fault : int32_t {
  fault_none = 0,
  fault_trap = 1,
  fault_memory = 2,  // a check has reported it
  fault_mask = 3,    // a warp-wide operation names lanes that don't take part
  fault_division = 4,
  fault_call = 5,  // through a pointer that is no function's
};

struct Grid;

struct alignas(128) Warp {
  int32_t tid_x[lanes];
  int32_t tid_y[lanes];
  int32_t tid_z[lanes];
  const Grid* grid;
  char* shared;
  int32_t ctaid[3];
  uint32_t index;  // in its block
  Mask live;       // lanes that exist and haven't returned
  Mask exist;
  Frame* frame;
  int64_t patience;  // how often it may go round before it pauses
  // what it waits for
  int32_t barrier;
  int32_t barrier_threads;  // 0: all
  int32_t barrier_kind;
  Mask barrier_input;
  int32_t barrier_result;
  uint32_t line;  // of what it met: a barrier or a fault
  int32_t fault;
  Mask fault_mask;
  uint64_t fault_detail;
  const Code* callee;
  Mask call_mask;
  uint32_t reserved;
  char* call_arguments;
  char* call_results;
  void* block;  // the runtime's
};

/// One access to memory by the active lanes, as a check sees it.
enum AccessKind : uint32_t {
  access_read = 0,
  access_write = 1,
  access_atomic = 2,
  access_kinds = 3,  // a mask
  access_aware = 8   // beside a kind: volatile or relaxed, so others may change it meanwhile
};

/// What lanes do to be in step with each other.
enum Sync : uint32_t { sync_warp = 0, sync_fence = 1 };

/// Functions of the runtime that generated code calls, by their place.
struct Services {
  /// Looks at an access before it happens; not 0: don't. `what` is AccessKind | space << 4 | bytes << 8. `values` is
  /// what a store of one word a lane writes, 32 of them; else null.
  int32_t (*access)(Warp*, const uint64_t* addresses, Mask, uint32_t what, uint32_t line,
                    const void* values);
  void (*sync)(Warp*, uint32_t kind, Mask);
  /// printf of one lane: the format and the packed arguments.
  int32_t (*print)(const char* format, const void* arguments);
  void (*assertion)(Warp*, const char* message, const char* file, uint32_t line, const char* function,
                    uint32_t lane);
  void* (*allocate)(Warp*, uint64_t bytes);
  void (*release)(Warp*, void*);
  // ---- for who counts (Profiler): `instructions` is their number, and 1 << 31 where the last one is a branch
  void (*executed)(Warp*, uint32_t instructions, Mask);
  void (*parted)(Warp*, uint32_t line);
  void (*touched)(Warp*, const uint64_t* addresses, Mask, uint32_t what, uint32_t line);
  uint64_t (*nanoseconds)();  // of the world's clock
};

/// What all blocks of a launch share.
struct Grid {
  int32_t ntid[3];
  int32_t nctaid[3];
  uint32_t dynamic_shared;
  uint32_t id;
  const char* parameters;
  void* const* variables;        // of the module, in its order
  const Code* const* functions;  // of the module, in its order
  const Services* services;
};

/// Lines of a module in 32 bits.
constexpr uint32_t packed_line(uint32_t file, uint32_t line) { return file << 20 | (line & 0xFFFFF); }

}  // namespace twin
