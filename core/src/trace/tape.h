#pragma once

#include <torchlight/trace.h>

#include "dispatch/args.h"
#include "tensor/impl.h"

namespace torchlight::trace_detail {

/// A window into a value, from the start of its storage.
struct Place {
  int value = -1;  ///< -1: there are no elements
  std::int64_t offset = 0;
  Shape shape;
  Strides strides;
  Dtype dtype = float32;
};

/// One record, as replay does it.
struct Step {
  enum class Kind { call, constant, to_device, to_host };
  Kind kind = Kind::call;
  OpenDevice* device = nullptr;  ///< that computes, or that isn't the host

  // call
  dispatch::Primitive primitive{};
  std::string operation;
  dispatch::AnyArgs args{};  ///< its views are those of `places`, one for each slot that has one
  std::vector<Place> places;

  // constant: the bytes of `data` to the value `target`; to_…: those of the value `source`
  std::vector<char> data;
  int source = -1, target = -1;
  std::uint64_t source_offset = 0, target_offset = 0;  ///< in bytes
  std::uint64_t bytes = 0;
};

/// What replay has to know of a value.
struct Memory {
  OpenDevice* device = nullptr;
  Ref<Storage> storage;      ///< of weights; inputs and intermediates are others each time
  Ref<TensorImpl> tensor;    ///< the weight's tensor, where one is known: it may be given other data
  Array array;               ///< of an input or a weight's tensor, as it was: without values
  std::size_t last_use = 0;  ///< the last step that touches it
};

struct TapeData {
  std::vector<TraceRecord> records;
  std::vector<TraceValue> values;
  std::vector<int> output_values;  ///< -1 for one without elements
  std::vector<Tensor> outputs;

  // For replay; a tape from a file has none of this.
  std::vector<Step> steps;
  std::vector<Memory> memory;
  std::vector<int> inputs;  ///< their values
  std::vector<Place> output_places;
  std::vector<OpenDevice*> output_devices;
  std::string obstacle;  ///< why it can't be replayed; empty if it can

  static Tape tape(TapeData data) { return Tape(std::make_shared<const TapeData>(std::move(data))); }
  static const TapeData& of(const Tape& tape) { return *tape.data_; }
};

/// "input 0", "weight 3", "%7"
std::string name_of(const TraceValue& value);

}  // namespace torchlight::trace_detail
