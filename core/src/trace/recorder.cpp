#include "trace/recorder.h"

#include <algorithm>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::trace_detail {
namespace {

using Kind = TraceValue::Kind;

double seconds(dispatch::Observer::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Dtype dtype_of(const tl_dtype& dtype) {
  for (const Dtype known : {float32, float64, int64, boolean, uint8, int32, float16, bfloat16}) {
    const tl_dtype abi = abi_dtype(known);
    if (abi.code == dtype.code && abi.bits == dtype.bits) return known;
  }
  throw Error("trace: unknown dtype");
}

/// The bytes that an operand's elements take; those that a broadcast repeats are read once.
std::int64_t bytes_of(const Place& place) {
  std::int64_t count = 1;
  for (int d = 0; d < place.shape.rank(); ++d)
    if (place.strides[d] != 0 || place.shape[d] == 0) count *= place.shape[d];
  return count * size_of(place.dtype);
}

/// scatter_add adds to what its output holds.
bool reads_output(dispatch::Primitive primitive) {
  return primitive == dispatch::Primitive::scatter_add;
}

}  // namespace

Recorder::Recorder(const std::vector<Tensor>& inputs) {
  for (const Tensor& x : inputs) {
    const Array& array = array_of(x);
    const int value = add_value(Kind::input, {array.storage().bytes(), -1, &array.device()});
    Memory& memory = tape_.memory[static_cast<std::size_t>(value)];
    memory.storage = Ref<Storage>(&array.storage());  // lest its place be taken by something else
    memory.array = array.without_values();
    tape_.inputs.push_back(value);
    if (array.storage().bytes() == 0) continue;
    if (const MemoryRange range = memory_range(array);
        range.end - range.begin != array.storage().bytes())
      throw Error(
          "trace: an input is a part of a larger tensor, so that a replay couldn't tell it from the "
          "rest; "
          "clone() it");
    Region& region = regions_[address_of(array.storage().memory())];
    if (region.value >= 0)
      throw Error(
          "trace: two inputs share storage, so that a replay couldn't tell them apart; clone() one");
    region = {array.storage().bytes(), value, &array.device()};
  }
}

Recorder::Address Recorder::address_of(const tl_memory& memory) {
  return {reinterpret_cast<std::uintptr_t>(memory.block),
          reinterpret_cast<std::uintptr_t>(memory.base) + memory.byte_offset};
}

int Recorder::add_value(Kind kind, Region region) {
  tape_.values.push_back({kind, 0, static_cast<std::int64_t>(region.bytes), region.device->name()});
  tape_.memory.emplace_back().device = region.device;
  written_.push_back(kind == Kind::input || kind == Kind::weight);
  return static_cast<int>(tape_.values.size()) - 1;
}

Recorder::Found Recorder::find(const tl_memory& memory) {
  auto next = regions_.upper_bound(address_of(memory));
  if (next == regions_.begin()) return {};
  auto& [first, region] = *std::prev(next);
  const auto [block, byte] = address_of(memory);
  if (first.first != block || byte - first.second >= region.bytes) return {};
  if (region.value < 0) region.value = add_value(Kind::intermediate, region);
  return {region.value, byte - first.second};
}

void Recorder::allocated(OpenDevice& device, const tl_memory& memory, std::size_t bytes) {
  if (bytes > 0) regions_[address_of(memory)] = {bytes, -1, &device};
}

void Recorder::released(const tl_memory& memory) noexcept { regions_.erase(address_of(memory)); }

int Recorder::value_of(Storage& storage, OpenDevice& device) {
  if (storage.bytes() == 0) return -1;
  const auto [place, is_new] = regions_.try_emplace(address_of(storage.memory()));
  if (!is_new) return find(storage.memory()).value;
  place->second = {storage.bytes(), -1, &device};
  const int value = add_value(Kind::weight, place->second);
  place->second.value = value;
  tape_.memory[static_cast<std::size_t>(value)].storage = Ref<Storage>(&storage);
  return value;
}

void Recorder::met(Storage& storage) { value_of(storage, storage.device()); }

void Recorder::met(TensorImpl& tensor) {
  // A view is another tensor in each call; what it is a view of may be a parameter.
  TensorImpl& whole = tensor.base ? *tensor.base : tensor;
  const Array& array = whole.variable.array;
  if (!array.has_storage() || array.storage().bytes() == 0) return;
  const int value = value_of(array.storage(), array.device());
  Memory& memory = tape_.memory[static_cast<std::size_t>(value)];
  if (tape_.values[static_cast<std::size_t>(value)].kind != Kind::weight || memory.tensor) return;
  // Only a leaf can be given other data; anything else would keep its history alive.
  if (whole.variable.node && !whole.variable.node->is_leaf()) return;
  memory.tensor = Ref<TensorImpl>(&whole);
  memory.array = array.without_values();
}

Place Recorder::place_of(const tl_view& view) {
  Place place;
  place.dtype = dtype_of(view.dtype);
  bool is_empty = false;
  for (std::uint32_t d = 0; d < view.rank; ++d) {
    place.shape.push_back(view.extent[d]);
    place.strides.push_back(view.stride[d]);
    is_empty = is_empty || view.extent[d] == 0;
  }
  if (is_empty) return place;
  const Found found = find({view.base, view.block, view.byte_offset});
  place.value = found.value;
  place.offset = static_cast<std::int64_t>(found.offset) / size_of(place.dtype);
  return place;
}

void Recorder::touch(int value) {
  if (value >= 0) tape_.memory[static_cast<std::size_t>(value)].last_use = tape_.steps.size();
}

void Recorder::read(int value, const char* operation) {
  touch(value);
  if (value < 0 || written_[static_cast<std::size_t>(value)] || !tape_.obstacle.empty()) return;
  tape_.obstacle = text("record ", tape_.steps.size(), " (", operation,
                        ") reads memory that no operation of the trace wrote; the program filled it "
                        "itself, by data<T>() or from a file");
}

TraceRecord Recorder::record(const std::string& op, OpenDevice& device, Clock::time_point begin,
                             Clock::time_point end) const {
  TraceRecord record;
  record.op = op;
  record.device = device.name();
  record.start = seconds(begin - start_);
  record.seconds = seconds(end - begin);
  return record;
}

void Recorder::push(TraceRecord record, Step step) {
  tape_.records.push_back(std::move(record));
  tape_.steps.push_back(std::move(step));
}

void Recorder::ran(OpenDevice& device, const dispatch::Call& call, Clock::time_point begin,
                   Clock::time_point end) {
  TraceRecord row = record(call.operation, device, begin, end);
  Step step;
  step.device = &device;
  step.primitive = call.primitive;
  step.operation = call.operation;
  step.args = dispatch::copy_of(*call.args);
  for (const dispatch::Slot& slot : dispatch::slots_of(call.primitive, step.args)) {
    if (!*slot.view) continue;
    Place place = place_of(**slot.view);
    if (!slot.is_output || reads_output(call.primitive)) read(place.value, call.operation);
    touch(place.value);
    if (slot.is_output && place.value >= 0) written_[static_cast<std::size_t>(place.value)] = true;
    row.bytes += bytes_of(place);
    (slot.is_output ? row.outputs : row.inputs).push_back({place.value, place.shape, place.dtype});
    step.places.push_back(std::move(place));
  }
  push(std::move(row), std::move(step));
}

void Recorder::transfer(OpenDevice& device, Found from, Found to, std::size_t bytes, bool to_host) {
  const auto now = Clock::now();
  TraceRecord row = record("to", device, now, now);
  Step step;
  step.kind = to_host ? Step::Kind::to_host : Step::Kind::to_device;
  step.device = &device;
  step.source = from.value;
  step.source_offset = from.offset;
  step.target = to.value;
  step.target_offset = to.offset;
  step.bytes = bytes;
  read(from.value, "to");
  touch(to.value);
  written_[static_cast<std::size_t>(to.value)] = true;
  row.bytes = static_cast<std::int64_t>(2 * bytes);
  const Shape shape{static_cast<std::int64_t>(bytes)};
  row.inputs.push_back({from.value, shape, uint8});
  row.outputs.push_back({to.value, shape, uint8});
  push(std::move(row), std::move(step));
}

void Recorder::copied_in(OpenDevice& device, const tl_memory& to, const void* from, std::size_t bytes) {
  const Found target = find(to);
  if (target.value < 0) return;
  const Found source = find({const_cast<void*>(from), nullptr, 0});
  if (source.value >= 0) return transfer(device, source, target, bytes, false);
  const auto now = Clock::now();
  TraceRecord row = record("from host", device, now, now);
  Step step;
  step.kind = Step::Kind::constant;
  step.device = &device;
  step.data.assign(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
  step.target = target.value;
  step.target_offset = target.offset;
  step.bytes = bytes;
  touch(target.value);
  const auto value = static_cast<std::size_t>(target.value);
  if (!written_[value]) tape_.values[value].kind = Kind::constant;
  written_[value] = true;
  row.bytes = static_cast<std::int64_t>(bytes);
  row.outputs.push_back({target.value, static_cast<std::int64_t>(bytes), uint8});
  push(std::move(row), std::move(step));
}

void Recorder::copied_out(OpenDevice& device, void* to, const tl_memory& from, std::size_t bytes) {
  // To memory that is no tensor's the values go to the program, which is no part of the tape.
  const Found target = find({to, nullptr, 0}), source = find(from);
  if (target.value >= 0 && source.value >= 0) transfer(device, source, target, bytes, true);
}

void Recorder::number_values() {
  std::map<Kind, std::int64_t> next;
  for (TraceValue& value : tape_.values) value.number = next[value.kind]++;
}

TapeData Recorder::finish(std::vector<Tensor> outputs) {
  for (const Tensor& y : outputs) {
    const Array& array = array_of(y);
    const int value = array.numel() == 0 ? -1 : value_of(array.storage(), array.device());
    read(value, "the end");
    tape_.output_places.push_back(
        {value, array.offset(), array.shape(), array.strides(), array.dtype()});
    tape_.output_devices.push_back(&array.device());
    tape_.output_values.push_back(value);
  }
  number_values();
  for (const int input : tape_.inputs) tape_.memory[static_cast<std::size_t>(input)].storage = nullptr;
  tape_.outputs = std::move(outputs);
  return std::move(tape_);
}

}  // namespace torchlight::trace_detail
