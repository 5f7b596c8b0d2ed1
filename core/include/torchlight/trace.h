#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <torchlight/tensor.h>

namespace torchlight::trace_detail {
struct TapeData;
}

#pragma GCC visibility push(default)
namespace torchlight {

/// A piece of memory that the records of a tape read and write; views of it are one value.
struct TraceValue {
  enum class Kind {
    input,        ///< given to fn; replay takes another one
    weight,       ///< was there before: replay reads it as it then is
    constant,     ///< made of numbers of the program; replay makes it of the same
    intermediate  ///< computed
  };
  Kind kind = Kind::intermediate;
  std::int64_t number = 0;  ///< of its kind, from 0; inputs in the order they were given in
  std::int64_t bytes = 0;
  std::string device;
};

/// What a record read or wrote.
struct TraceOperand {
  std::int64_t value = -1;  ///< in Tape::values(); -1 where it has no elements
  Shape shape;
  Dtype dtype = float32;
};

/// One computation that a device did: an operation of the library consists of one or several.
struct TraceRecord {
  std::string op;  ///< "matmul", "add", "layer_norm", …
  std::string device;
  std::vector<TraceOperand> inputs, outputs;
  double start = 0;        ///< seconds since the trace began
  double seconds = 0;      ///< that it took, the wait for the device included
  std::int64_t bytes = 0;  ///< of all operands: what it has to read and write
};

/// What a function computed, written down by trace(). A cheap handle.
class Tape {
 public:
  Tape();  ///< empty

  const std::vector<TraceRecord>& records() const;
  const std::vector<TraceValue>& values() const;
  const std::vector<Tensor>& outputs() const;  ///< what fn gave; none in a tape from a file

  std::map<std::string, std::int64_t> count_ops() const;
  double seconds() const;  ///< of all records
  std::int64_t peak_bytes()
      const;  ///< the most that intermediates and constants take at once in a replay
  /// A table: each kind of record (op, shapes, dtype) with its calls, time, share of the time, and bytes; the
  /// most expensive first.
  std::string summary() const;

  /// Computes what fn computed, on these inputs, without fn, without recording history: the records in their
  /// order, with weights as they are now. Inputs must be of the traced shapes, dtypes and devices. What fn
  /// wrote into inputs and weights is written into these. What fn decided by values that it read (item()) stays
  /// decided, random numbers are those of the trace.
  ///
  /// Error where inputs don't fit, where a weight has become another shape, dtype or device, where the tape comes
  /// from a file, or where fn read memory that was filled by other means than operations (data<T>()).
  std::vector<Tensor> replay(const std::vector<Tensor>& inputs) const;
  Tensor replay(const Tensor& input) const;  ///< of one input and one output

  std::string graphviz() const;      ///< a graph in the dot language
  std::string chrome_trace() const;  ///< a time line for ui.perfetto.dev or chrome://tracing
  std::string json() const;          ///< all records and values, as load() reads them

  /// These in a file, written atomically. FileError where that fails.
  void save_graphviz(const std::string& path) const;
  void save_chrome_trace(const std::string& path) const;
  void save(const std::string& path) const;
  /// A tape to look at: it can do everything but replay. FileError for a file that isn't one.
  static Tape load(const std::string& path);

 private:
  friend trace_detail::TapeData;
  explicit Tape(std::shared_ptr<const trace_detail::TapeData> data) : data_(std::move(data)) {}
  std::shared_ptr<const trace_detail::TapeData> data_;
};

/// Runs fn once and writes down everything that this thread computes meanwhile, backward included. Traces nest:
/// an outer one has the records of the inner ones, too. Values that backward through the result needs are kept
/// as without a trace.
///
///   Tape tape = trace([&](const Tensor& x) { return model(x); }, x);
///   std::cout << tape.summary();
///   Tensor y = tape.replay(x2);  // with the weights that model has now
///
/// Error where two inputs share storage or an input or output is undefined.
Tape trace(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fn,
           const std::vector<Tensor>& inputs);
Tape trace(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
           const std::vector<Tensor>& inputs);
Tape trace(const std::function<Tensor(const Tensor&)>& fn, const Tensor& input);

}  // namespace torchlight
#pragma GCC visibility pop
