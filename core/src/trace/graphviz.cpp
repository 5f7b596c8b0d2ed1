#include <set>

#include "support/text.h"
#include "trace/tape.h"

namespace torchlight {
namespace {

std::string dot_string(const std::string& label) {
  std::string out = "\"";
  for (const char c : label) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string size_of_operand(const TraceOperand& operand) {
  return text(operand.shape.str(), " ", name_of(operand.dtype));
}

/// The graph's lines, and who wrote each value last.
class Graph {
 public:
  explicit Graph(const std::vector<TraceValue>& values) : values_(values), writers_(values.size()) {}

  void add(std::size_t number, const TraceRecord& record) {
    const std::string node = text("r", number);
    std::string label = record.op;
    for (const TraceOperand& output : record.outputs) label += "\n" + size_of_operand(output);
    lines_ += text("  ", node, " [shape=box, label=", dot_string(label), "];\n");
    std::set<std::string> sources;
    for (const TraceOperand& input : record.inputs)
      if (input.value >= 0)
        for (const std::string& source : sources_of(static_cast<std::size_t>(input.value)))
          if (sources.insert(source).second) edge(source, node, size_of_operand(input));
    for (const TraceOperand& output : record.outputs) {
      if (output.value < 0) continue;
      const auto value = static_cast<std::size_t>(output.value);
      if (output.shape.numel() * size_of(output.dtype) == values_[value].bytes) writers_[value].clear();
      writers_[value].push_back(node);
    }
  }
  void add_output(std::size_t number, int value) {
    const std::string node = text("o", number);
    lines_ += text("  ", node, " [shape=ellipse, label=", dot_string(text("output ", number)), "];\n");
    if (value >= 0)
      for (const std::string& source : sources_of(static_cast<std::size_t>(value)))
        edge(source, node, "");
  }
  std::string str() const { return "digraph tape {\n  rankdir=TB;\n" + lines_ + "}\n"; }

 private:
  void edge(const std::string& from, const std::string& to, const std::string& label) {
    lines_ += text("  ", from, " -> ", to);
    if (!label.empty()) lines_ += text(" [label=", dot_string(label), "]");
    lines_ += ";\n";
  }
  /// The records that wrote the value, or a node of its own for what nobody wrote.
  const std::vector<std::string>& sources_of(std::size_t value) {
    if (writers_[value].empty()) {
      const std::string node = text("v", value);
      lines_ +=
          text("  ", node, " [shape=ellipse, label=", dot_string(trace_detail::name_of(values_[value])),
               "];\n");
      writers_[value].push_back(node);
    }
    return writers_[value];
  }

  const std::vector<TraceValue>& values_;
  std::vector<std::vector<std::string>> writers_;
  std::string lines_;
};

}  // namespace

std::string Tape::graphviz() const {
  Graph graph(values());
  for (std::size_t i = 0; i < records().size(); ++i) graph.add(i, records()[i]);
  for (std::size_t i = 0; i < data_->output_values.size(); ++i)
    graph.add_output(i, data_->output_values[i]);
  return graph.str();
}

}  // namespace torchlight
