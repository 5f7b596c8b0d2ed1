#include "trace/tape.h"

#include <algorithm>

#include <torchlight/error.h>
#include <torchlight/io.h>

#include "io/atomic_file.h"
#include "support/text.h"

namespace torchlight {
namespace trace_detail {

std::string name_of(const TraceValue& value) {
  switch (value.kind) {
    case TraceValue::Kind::input: return text("input ", value.number);
    case TraceValue::Kind::weight: return text("weight ", value.number);
    case TraceValue::Kind::constant: return text("constant ", value.number);
    case TraceValue::Kind::intermediate: return text("%", value.number);
  }
  return "";
}

}  // namespace trace_detail

Tape::Tape() : data_(std::make_shared<trace_detail::TapeData>()) {}

const std::vector<TraceRecord>& Tape::records() const { return data_->records; }
const std::vector<TraceValue>& Tape::values() const { return data_->values; }
const std::vector<Tensor>& Tape::outputs() const { return data_->outputs; }

std::map<std::string, std::int64_t> Tape::count_ops() const {
  std::map<std::string, std::int64_t> counts;
  for (const TraceRecord& record : records()) ++counts[record.op];
  return counts;
}

double Tape::seconds() const {
  double sum = 0;
  for (const TraceRecord& record : records()) sum += record.seconds;
  return sum;
}

std::int64_t Tape::peak_bytes() const {
  constexpr auto never = static_cast<std::size_t>(-1);
  const auto counts = [this](int value) {
    const auto kind = values()[static_cast<std::size_t>(value)].kind;
    return kind == TraceValue::Kind::constant || kind == TraceValue::Kind::intermediate;
  };
  const auto operands = [](const TraceRecord& record, auto&& visit) {
    for (const auto* list : {&record.inputs, &record.outputs})
      for (const TraceOperand& operand : *list)
        if (operand.value >= 0) visit(static_cast<int>(operand.value));
  };
  std::vector<std::size_t> first(values().size(), never), last(values().size(), 0);
  for (std::size_t i = 0; i < records().size(); ++i)
    operands(records()[i], [&](int value) {
      const auto v = static_cast<std::size_t>(value);
      first[v] = std::min(first[v], i);
      last[v] = i;
    });
  for (const int value : data_->output_values)
    if (value >= 0) last[static_cast<std::size_t>(value)] = never;

  std::vector<std::int64_t> change(records().size() + 1, 0);
  for (std::size_t v = 0; v < values().size(); ++v) {
    if (first[v] == never || !counts(static_cast<int>(v))) continue;
    change[first[v]] += values()[v].bytes;
    if (last[v] != never) change[last[v] + 1] -= values()[v].bytes;
  }
  std::int64_t now = 0, peak = 0;
  for (const std::int64_t step : change) peak = std::max(peak, now += step);
  return peak;
}

void Tape::save_graphviz(const std::string& path) const { io::write_file(path, graphviz()); }
void Tape::save_chrome_trace(const std::string& path) const { io::write_file(path, chrome_trace()); }
void Tape::save(const std::string& path) const { io::write_file(path, json()); }

}  // namespace torchlight
