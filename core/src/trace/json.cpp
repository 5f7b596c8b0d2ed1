#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <torchlight/error.h>

#include "io/input_file.h"
#include "io/reading.h"
#include "support/text.h"
#include "trace/tape.h"

namespace torchlight {
namespace {

using Json = nlohmann::ordered_json;
using trace_detail::TapeData;
using Kind = TraceValue::Kind;

constexpr const char* format = "torchlight tape";
constexpr int version = 1;
constexpr std::pair<Kind, const char*> kinds[] = {{Kind::input, "input"},
                                                  {Kind::weight, "weight"},
                                                  {Kind::constant, "constant"},
                                                  {Kind::intermediate, "intermediate"}};
constexpr Dtype dtypes[] = {float32, float64, int64, boolean, uint8, int32, float16, bfloat16};

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";  // names of devices may be anything
}

const char* kind_name(Kind kind) {
  return std::find_if(std::begin(kinds), std::end(kinds), [&](auto& k) { return k.first == kind; })
      ->second;
}

Json operands_of(const std::vector<TraceOperand>& operands) {
  Json list = Json::array();
  for (const TraceOperand& operand : operands)
    list.push_back({{"value", operand.value},
                    {"shape", std::vector<std::int64_t>(operand.shape.begin(), operand.shape.end())},
                    {"dtype", name_of(operand.dtype)}});
  return list;
}

// ---- reading: nothing of the file is trusted

[[noreturn]] void wrong(const std::string& what) { throw Error("it is no tape: " + what); }

const Json& member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) wrong(text("there is no \"", key, "\""));
  return object[key];
}

std::int64_t whole(const Json& object, const char* key, std::int64_t least, std::int64_t most) {
  const Json& value = member(object, key);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    wrong(text("\"", key, "\" is no number from ", least, " to ", most));
  return value.get<std::int64_t>();
}

double real(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    wrong(text("\"", key, "\" is no number"));
  return value.get<double>();
}

std::string words(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string()) wrong(text("\"", key, "\" is no text"));
  return value.get<std::string>();
}

const Json& list(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) wrong(text("\"", key, "\" is no list"));
  return value;
}

TraceValue read_value(const Json& json) {
  const std::string kind = words(json, "kind");
  const auto known =
      std::find_if(std::begin(kinds), std::end(kinds), [&](auto& k) { return k.second == kind; });
  if (known == std::end(kinds)) wrong(text("unknown kind ", in_quotes(kind)));
  return {known->first, whole(json, "number", 0, INT64_MAX), whole(json, "bytes", 0, INT64_MAX / 4096),
          words(json, "device")};
}

std::vector<TraceOperand> read_operands(const Json& json, const char* key, std::int64_t values) {
  std::vector<TraceOperand> operands;
  for (const Json& item : list(json, key)) {
    TraceOperand operand;
    operand.value = whole(item, "value", -1, values - 1);
    const std::string name = words(item, "dtype");
    const auto dtype =
        std::find_if(std::begin(dtypes), std::end(dtypes), [&](Dtype d) { return name_of(d) == name; });
    if (dtype == std::end(dtypes)) wrong(text("unknown dtype ", in_quotes(name)));
    operand.dtype = *dtype;
    const Json& shape = list(item, "shape");
    if (shape.size() > Shape::max_rank) wrong("a shape of more than 8 dims");
    for (const Json& extent : shape)
      operand.shape.push_back(whole({{"extent", extent}}, "extent", 0, INT64_MAX));
    operand.shape.numel();  // raises where it can't be counted
    operands.push_back(operand);
  }
  return operands;
}

Json parsed(const std::string& bytes) {
  try {
    return Json::parse(bytes);
  } catch (const Json::parse_error& error) {
    throw Error(text("it is not valid JSON: wrong at its byte ", error.byte));
  } catch (const Json::out_of_range&) {
    throw Error("it has a number that no float64 can hold");
  }
}

TapeData read_tape(const Json& json) {
  if (words(json, "format") != format) wrong("its format is another");
  whole(json, "version", version, version);
  TapeData tape;
  for (const Json& item : list(json, "values")) tape.values.push_back(read_value(item));
  const auto count = static_cast<std::int64_t>(tape.values.size());
  for (const Json& item : list(json, "records")) {
    TraceRecord record;
    record.op = words(item, "op");
    record.device = words(item, "device");
    record.start = real(item, "start");
    record.seconds = real(item, "seconds");
    record.bytes = whole(item, "bytes", 0, INT64_MAX / 4096);
    record.inputs = read_operands(item, "inputs", count);
    record.outputs = read_operands(item, "outputs", count);
    tape.records.push_back(std::move(record));
  }
  for (const Json& item : list(json, "outputs"))
    tape.output_values.push_back(static_cast<int>(whole({{"output", item}}, "output", -1, count - 1)));
  return tape;
}

std::string read_file(const std::string& path) {
  const io::InputFile file(path);
  std::string bytes(file.size(), '\0');
  file.read_all(0, bytes);
  return bytes;
}

}  // namespace

std::string Tape::json() const {
  Json json{{"format", format}, {"version", version}};
  json["values"] = Json::array();
  for (const TraceValue& value : values())
    json["values"].push_back({{"kind", kind_name(value.kind)},
                              {"number", value.number},
                              {"bytes", value.bytes},
                              {"device", value.device}});
  json["records"] = Json::array();
  for (const TraceRecord& record : records())
    json["records"].push_back({{"op", record.op},
                               {"device", record.device},
                               {"start", record.start},
                               {"seconds", record.seconds},
                               {"bytes", record.bytes},
                               {"inputs", operands_of(record.inputs)},
                               {"outputs", operands_of(record.outputs)}});
  json["outputs"] = data_->output_values;
  return text_of(json);
}

Tape Tape::load(const std::string& path) {
  return io::reading(path, [&] { return TapeData::tape(read_tape(parsed(read_file(path)))); });
}

// Times in microseconds; a device is a row ("thread") of one process.
std::string Tape::chrome_trace() const {
  Json events = Json::array();
  std::vector<std::string> devices;
  const auto row_of = [&](const std::string& device) {
    const auto it = std::find(devices.begin(), devices.end(), device);
    const auto row = it - devices.begin() + 1;
    if (it == devices.end()) devices.push_back(device);
    return row;
  };
  const auto sizes = [](const std::vector<TraceOperand>& operands) {
    std::string all;
    for (const TraceOperand& operand : operands)
      all += text(all.empty() ? "" : " ", operand.shape.str(), " ", name_of(operand.dtype));
    return all;
  };
  for (const TraceRecord& record : records())
    events.push_back({{"name", record.op},
                      {"cat", "op"},
                      {"ph", "X"},
                      {"ts", record.start * 1e6},
                      {"dur", record.seconds * 1e6},
                      {"pid", 1},
                      {"tid", row_of(record.device)},
                      {"args",
                       {{"inputs", sizes(record.inputs)},
                        {"outputs", sizes(record.outputs)},
                        {"bytes", record.bytes}}}});
  const auto name = [&](const char* what, std::int64_t row, const std::string& called) {
    events.push_back(
        {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", row}, {"args", {{"name", called}}}});
  };
  name("process_name", 0, "torchlight");
  for (std::size_t i = 0; i < devices.size(); ++i)
    name("thread_name", static_cast<std::int64_t>(i) + 1, devices[i]);
  return text_of({{"traceEvents", events}, {"displayTimeUnit", "ms"}});
}

}  // namespace torchlight
