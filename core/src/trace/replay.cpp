#include <torchlight/error.h>

#include "dispatch/memory.h"
#include "support/text.h"
#include "trace/tape.h"

namespace torchlight {
namespace trace_detail {
namespace {

using Kind = TraceValue::Kind;

/// Why an array can't stand where another one stood; empty if it can.
std::string difference(const Array& now, const Array& traced) {
  const auto say = [](const Array& x) {
    return text(x.shape().str(), " of ", torchlight::name_of(x.dtype()), " on ", x.device().name());
  };
  const bool fits = now.shape() == traced.shape() && now.dtype() == traced.dtype() &&
                    &now.device() == &traced.device();
  return fits ? "" : text("is ", say(now), ", and was ", say(traced), " when it was traced");
}

/// One run of a tape: which storage each value has in it.
class Replay {
 public:
  Replay(const TapeData& tape, const std::vector<Tensor>& inputs)
      : tape_(tape), storages_(tape.values.size()), shifts_(tape.values.size(), 0) {
    take_inputs(inputs);
    take_weights();
  }

  std::vector<Tensor> run() {
    for (std::size_t i = 0; i < tape_.steps.size(); ++i) {
      do_step(tape_.steps[i]);
      forget_after(i);
    }
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < tape_.output_places.size(); ++i)
      outputs.push_back(make_tensor(array_at(tape_.output_places[i], *tape_.output_devices[i])));
    return outputs;
  }

 private:
  void take_inputs(const std::vector<Tensor>& inputs) {
    if (inputs.size() != tape_.inputs.size())
      throw Error(text("replay: ", inputs.size(), " inputs, and there were ", tape_.inputs.size(),
                       " when it was traced"));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const int value = tape_.inputs[i];
      const Array& traced = memory(value).array;
      if (!inputs[i].defined()) throw Error(text("replay: input ", i, " is an undefined tensor"));
      Array now = array_of(inputs[i]);
      const std::string problem = difference(now, traced);
      if (!problem.empty()) throw Error(text("replay: input ", i, " ", problem));
      if (!(now.strides() == traced.strides()) && traced.is_contiguous()) now = contiguous(now);
      if (!(now.strides() == traced.strides()))
        throw Error(text("replay: input ", i, " has strides ", now.strides().str(), ", and had ",
                         traced.strides().str(), " when it was traced; trace with a contiguous() one"));
      put(value, now);
    }
  }

  void take_weights() {
    for (std::size_t i = 0; i < tape_.values.size(); ++i) {
      const Memory& weight = tape_.memory[i];
      if (tape_.values[i].kind != Kind::weight) continue;
      storages_[i] = weight.storage;
      if (!weight.tensor) continue;
      const Array& now = weight.tensor->variable.array;
      std::string problem = difference(now, weight.array);
      if (problem.empty() && !(now.strides() == weight.array.strides()))
        problem = text("has strides ", now.strides().str(), ", and had ", weight.array.strides().str(),
                       " when it was traced");
      if (!problem.empty()) throw Error(text("replay: ", name_of(tape_.values[i]), " ", problem));
      put(static_cast<int>(i), now);
    }
  }

  const Memory& memory(int value) const { return tape_.memory[static_cast<std::size_t>(value)]; }

  /// The value is now where `array` is, which may begin elsewhere in its storage than the traced one did.
  void put(int value, const Array& array) {
    const auto i = static_cast<std::size_t>(value);
    storages_[i] = Ref<Storage>(&array.storage());
    shifts_[i] = (array.offset() - memory(value).array.offset()) * size_of(array.dtype());
  }

  Storage& storage(int value) {
    const auto i = static_cast<std::size_t>(value);
    if (!storages_[i])
      storages_[i] =
          Storage::allocate(*tape_.memory[i].device, static_cast<std::size_t>(tape_.values[i].bytes));
    return *storages_[i];
  }

  Array array_at(const Place& place, OpenDevice& device) {
    if (place.value < 0)
      return Array(Storage::allocate(device, 0), device, place.shape, place.strides, 0, place.dtype);
    const std::int64_t shift = shifts_[static_cast<std::size_t>(place.value)] / size_of(place.dtype);
    const Array array(Ref<Storage>(&storage(place.value)), device, place.shape, place.strides,
                      place.offset + shift, place.dtype);
    const std::uintptr_t first = address_of(array.storage().memory());
    const MemoryRange range = memory_range(array);
    require_inside(place.value, array.storage(), range.begin - first, range.end - range.begin);
    return array;
  }

  static std::uintptr_t address_of(const tl_memory& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.base) + memory.byte_offset;
  }

  /// What was traced is now in a smaller storage, if anything: a weight was given other data.
  void require_inside(int value, const Storage& storage, std::uint64_t begin,
                      std::uint64_t bytes) const {
    if (begin <= storage.bytes() && bytes <= storage.bytes() - begin) return;
    throw Error(text("replay: ", name_of(tape_.values[static_cast<std::size_t>(value)]), " has ",
                     storage.bytes(),
                     " bytes now, and what was traced reaches beyond them; trace again"));
  }

  tl_memory memory_at(int value, std::uint64_t offset, std::size_t bytes) {
    tl_memory place = storage(value).memory();
    const std::uint64_t begin =
        offset + static_cast<std::uint64_t>(shifts_[static_cast<std::size_t>(value)]);
    require_inside(value, storage(value), begin, bytes);
    place.byte_offset += begin;
    return place;
  }
  void* host_at(int value, std::uint64_t offset, std::size_t bytes) {
    const tl_memory place = memory_at(value, offset, bytes);
    return static_cast<char*>(place.base) + place.byte_offset;
  }

  void do_step(const Step& step) {
    switch (step.kind) {
      case Step::Kind::call: return call(step);
      case Step::Kind::constant:
        dispatch::copy_in(*step.device, memory_at(step.target, step.target_offset, step.bytes),
                          step.data.data(), step.bytes);
        break;
      case Step::Kind::to_device:
        dispatch::copy_in(*step.device, memory_at(step.target, step.target_offset, step.bytes),
                          host_at(step.source, step.source_offset, step.bytes), step.bytes);
        break;
      case Step::Kind::to_host:
        dispatch::copy_out(*step.device, host_at(step.target, step.target_offset, step.bytes),
                           memory_at(step.source, step.source_offset, step.bytes), step.bytes);
        break;
    }
    storage(step.target).changed();
  }

  void call(const Step& step) {
    dispatch::AnyArgs args = step.args;
    std::vector<tl_view> views;
    views.reserve(step.places.size());  // slots point into it
    for (const dispatch::Slot& slot : dispatch::slots_of(step.primitive, args)) {
      if (!*slot.view) continue;
      const Place& place = step.places[views.size()];
      const Array array = array_at(place, *step.device);
      views.push_back(array.view());
      *slot.view = &views.back();
      if (slot.is_output) array.storage().changed();
    }
    dispatch::run(*step.device, {step.primitive, step.operation.c_str(), &args.head});
  }

  void forget_after(std::size_t i) {
    const Step& step = tape_.steps[i];
    const auto forget = [&](int value) {
      if (value < 0 || memory(value).last_use != i) return;
      storages_[static_cast<std::size_t>(value)] = nullptr;
    };
    for (const Place& place : step.places) forget(place.value);
    forget(step.source);
    forget(step.target);
  }

  const TapeData& tape_;
  std::vector<Ref<Storage>> storages_;
  std::vector<std::int64_t> shifts_;  // in bytes
};

}  // namespace
}  // namespace trace_detail

std::vector<Tensor> Tape::replay(const std::vector<Tensor>& inputs) const {
  if (data_->steps.size() != data_->records.size())
    throw Error("replay: this tape comes from a file, which has no weights; trace again");
  if (!data_->obstacle.empty()) throw Error("replay: " + data_->obstacle);
  return trace_detail::Replay(*data_, inputs).run();
}

Tensor Tape::replay(const Tensor& input) const {
  if (data_->output_values.size() != 1)
    throw Error(text("replay: the traced function gave ", data_->output_values.size(),
                     " tensors; use replay with a list of inputs"));
  return replay(std::vector<Tensor>{input})[0];
}

}  // namespace torchlight
