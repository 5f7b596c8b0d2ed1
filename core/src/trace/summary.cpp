#include <algorithm>
#include <array>
#include <cstdio>

#include "support/text.h"
#include "trace/tape.h"

namespace torchlight {
namespace {

/// Records of one kind, together.
struct Group {
  std::array<std::string, 4> names;  // op, inputs, output, dtype
  std::int64_t calls = 0, bytes = 0;
  double seconds = 0;
};

std::string shapes(const std::vector<TraceOperand>& operands) {
  std::string all;
  for (const TraceOperand& operand : operands) all += (all.empty() ? "" : " ") + operand.shape.str();
  return all;
}

std::string dtypes(const TraceRecord& record) {
  std::string all;
  for (const auto* list : {&record.inputs, &record.outputs})
    for (const TraceOperand& operand : *list) {
      const std::string name(name_of(operand.dtype));
      if (all.find(name) == all.npos) all += (all.empty() ? "" : " ") + name;
    }
  return all;
}

template <class... Numbers> std::string format(const char* pattern, Numbers... numbers) {
  char line[64];
  std::snprintf(line, sizeof line, pattern, numbers...);
  return line;
}

std::string time_of(double seconds) { return format("%.3f ms", seconds * 1e3); }

std::string size_of_bytes(std::int64_t bytes) {
  constexpr std::array units{"B", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < units.size(); ++unit) size /= 1000;
  return format(unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
}

std::vector<Group> groups_of(const std::vector<TraceRecord>& records) {
  std::map<std::array<std::string, 4>, Group> groups;
  for (const TraceRecord& record : records) {
    const std::array<std::string, 4> names{record.op, shapes(record.inputs), shapes(record.outputs),
                                           dtypes(record)};
    Group& group = groups[names];
    group.names = names;
    ++group.calls;
    group.bytes += record.bytes;
    group.seconds += record.seconds;
  }
  std::vector<Group> sorted;
  for (auto& [names, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group& a, const Group& b) { return a.seconds > b.seconds; });
  return sorted;
}

constexpr std::size_t columns = 8;
using Row = std::array<std::string, columns>;

/// Names to the left, numbers to the right; each column as wide as it must be.
std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      out += (i == 0 ? "" : "  ") + (i < 4 ? row[i] + space : space + row[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string Tape::summary() const {
  const double total = seconds();
  std::vector<Row> rows{{"op", "inputs", "output", "dtype", "calls", "time", "share", "bytes"}};
  std::int64_t bytes = 0;
  for (const Group& group : groups_of(records())) {
    const double share = total > 0 ? 100 * group.seconds / total : 0;
    rows.push_back({group.names[0], group.names[1], group.names[2], group.names[3],
                    std::to_string(group.calls), time_of(group.seconds), format("%.1f %%", share),
                    size_of_bytes(group.bytes)});
    bytes += group.bytes;
  }
  rows.push_back({"total", "", "", "", std::to_string(records().size()), time_of(total), "",
                  size_of_bytes(bytes)});
  return table(rows) + text("at most ", size_of_bytes(peak_bytes()), " of intermediates at once\n");
}

}  // namespace torchlight
