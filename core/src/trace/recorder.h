#pragma once

#include <map>
#include <utility>

#include "dispatch/observer.h"
#include "trace/tape.h"

namespace torchlight::trace_detail {

/// Writes down what its thread computes. Values are recognised by where they lie: a storage that was allocated
/// while this one watched is an intermediate, any other that is met was there before.
class Recorder final : public dispatch::Observer {
 public:
  explicit Recorder(const std::vector<Tensor>& inputs);

  /// The tape, once fn has given these.
  TapeData finish(std::vector<Tensor> outputs);

  void ran(OpenDevice& device, const dispatch::Call& call, Clock::time_point begin,
           Clock::time_point end) override;
  void copied_in(OpenDevice& device, const tl_memory& to, const void* from, std::size_t bytes) override;
  void copied_out(OpenDevice& device, void* to, const tl_memory& from, std::size_t bytes) override;
  void allocated(OpenDevice& device, const tl_memory& memory, std::size_t bytes) override;
  void released(const tl_memory& memory) noexcept override;
  void met(Storage& storage) override;
  void met(TensorImpl& tensor) override;

 private:
  /// A byte of the host's memory (of no block) or of a device's block.
  using Address = std::pair<std::uintptr_t, std::uint64_t>;  // block, byte
  struct Region {
    std::size_t bytes = 0;
    int value = -1;  ///< -1: allocated, and not used yet
    OpenDevice* device = nullptr;
  };
  struct Found {
    int value = -1;
    std::uint64_t offset = 0;  ///< in bytes from the storage's start
  };

  static Address address_of(const tl_memory& memory);
  /// The value that this memory is a part of; none if it is unknown.
  Found find(const tl_memory& memory);
  int add_value(TraceValue::Kind kind, Region region);
  int value_of(Storage& storage, OpenDevice& device);
  Place place_of(const tl_view& view);
  void read(int value, const char* operation);
  void touch(int value);
  TraceRecord record(const std::string& op, OpenDevice& device, Clock::time_point begin,
                     Clock::time_point end) const;
  void transfer(OpenDevice& device, Found from, Found to, std::size_t bytes, bool to_host);
  void number_values();
  void push(TraceRecord record, Step step);

  const Clock::time_point start_ = Clock::now();
  TapeData tape_;
  std::map<Address, Region> regions_;  // by their first byte; they don't overlap
  std::vector<bool> written_;          // for each value
};

}  // namespace torchlight::trace_detail
