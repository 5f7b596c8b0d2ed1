// Each function of the table and of the extensions that enqueues work fails late, once called by itself and
// once by the library.
#include <algorithm>
#include <set>

#include "small_training.h"
#include "table_calls.h"

namespace {

constexpr const char* wanted = "the test wanted it";

struct Row {
  std::string name;
  std::function<Said(tl_stream*)> call;
};

/// A call of every function, on zeros.
class Rows {
 public:
  Rows() {
    add<tl_map_args>("map", table().map, [&](auto& a) {
      a.fn = TL_MAP_neg;
      a.input = x();
      a.output = y();
    });
    add<tl_zip_args>("zip", table().zip, [&](auto& a) {
      a.fn = TL_ZIP_add;
      a.input_count = 2;
      a.inputs[0] = a.inputs[1] = x();
      a.output = y();
    });
    add<tl_reduce_args>("reduce", table().reduce, [&](auto& a) {
      a.fn = TL_REDUCE_sum;
      a.axis_mask = 1;
      a.input = x();
      a.output = second_.floats({1, 4});
    });
    add<tl_matmul_args>("matmul", table().matmul, [&](auto& a) {
      a.a = a.b = x();
      a.output = y();
      a.alpha = 1;
    });
    add<tl_attn_softmax_fw_args>("attn_softmax_fw", table().attn_softmax_fw, [&](auto& a) {
      a.input = x();
      a.output = y();
      a.scale = 1;
    });
    add<tl_attn_softmax_bw_args>("attn_softmax_bw", table().attn_softmax_bw, [&](auto& a) {
      a.grad = a.soft = x();
      a.output = y();
      a.scale = 1;
    });
    add<tl_layernorm_fw_args>("layernorm_fw", table().layernorm_fw, [&](auto& a) {
      a.input = x();
      a.output = y();
      a.eps = 1e-5;
      a.normalized = 1;
    });
    add<tl_layernorm_bw_args>("layernorm_bw", table().layernorm_bw, [&](auto& a) {
      a.grad = a.input = x();
      a.dinput = y();
      a.eps = 1e-5;
      a.normalized = 1;
    });
    add_extensions();
    rows_.push_back({"copy", [&](tl_stream* stream) { return second_.write(stream); }});
    rows_.push_back(
        {"event_record", [&](tl_stream* stream) { return ask(table().event_record, stream, event_); }});
    rows_.push_back(
        {"event_wait", [&](tl_stream* stream) { return ask(table().event_wait, stream, event_); }});
    REQUIRE(ask(table().event_open, &event_).status == TL_OK);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { ask(table().event_close, event_); }

  const std::vector<Row>& all() const { return rows_; }

 private:
  void add_extensions() {
    const torchlight::loader::OpenDevice& device = torchlight::loader::open("remote");
    REQUIRE(device.index_table());
    REQUIRE(device.scan_table());
    REQUIRE(device.random_table());
    REQUIRE(device.optim_table());
    const tl_view* zeros = third_.view({TL_INT, 64, 1}, {4, 4});
    const auto pick = [=, this](tl_index_args& a) {
      a.source = x();
      a.index = zeros;
      a.output = y();
    };
    add<tl_index_args>("gather", device.index_table()->gather, pick);
    add<tl_index_args>("scatter_add", device.index_table()->scatter_add, pick);
    add<tl_scan_args>("scan", device.scan_table()->scan, [&](auto& a) {
      a.fn = TL_REDUCE_sum;
      a.input = x();
      a.output = y();
    });
    add<tl_random_args>("random", device.random_table()->fill, [&](auto& a) {
      a.distribution = TL_RANDOM_UNIFORM;
      a.output = y();
      a.params[1] = 1;
    });
    item_ = {y(), x(), {nullptr, nullptr}};
    add<tl_optim_args>("optim", device.optim_table()->step, [&](auto& a) {
      a.fn = TL_OPTIM_SGD;
      a.count = 1;
      a.item_size = sizeof item_;
      a.items = &item_;
      a.lr = 0.1;
    });
  }

  template <class Args, class Function, class Fill>
  void add(const char* name, Function function, Fill fill) {
    REQUIRE_MESSAGE((function != nullptr), name);
    Args args{};
    args.head.size = sizeof args;
    fill(args);
    args.head.workspace = scratch_.view({TL_UINT, 8, 1}, {scratch_bytes});
    rows_.push_back({name, [=](tl_stream* stream) { return ask(function, stream, &args); }});
  }
  const tl_view* x() { return first_.floats({4, 4}); }
  const tl_view* y() { return second_.floats({4, 4}); }

  static constexpr std::int64_t scratch_bytes = 4096;
  TableMemory first_{64}, second_{64}, third_{128}, scratch_{scratch_bytes};
  tl_optim_item item_{};
  tl_event* event_ = nullptr;
  std::vector<Row> rows_;
};

std::string late_failure_of(const std::string& name) {
  return "late failure of " + name + ": " + wanted;
}

}  // namespace

TEST_CASE("E04: each function that enqueues fails late, by its name, until the stream is reopened") {
  const Rows rows;
  CHECK(rows.all().size() == 16);
  for (const Row& row : rows.all()) {
    CAPTURE(row.name);
    {
      const TableStream control_stream;  // the control: nothing fails by itself
      CHECK(row.call(control_stream.get()).status == TL_OK);
      CHECK(control_stream.sync().status == TL_OK);
      CHECK(control_stream.poll().status == TL_OK);
    }
    const TableStream stream, other;
    control().fail_after(remote_handle(), 0);
    CHECK(row.call(stream.get()).status == TL_OK);  // nothing to see yet
    for (int i = 0; i < 2; ++i) {
      const Said polled = stream.poll(), synced = stream.sync();
      CHECK(polled.status == TL_E_DEVICE);
      CHECK(polled.text == late_failure_of(row.name));
      CHECK(synced.status == TL_E_DEVICE);
      CHECK(synced.text == late_failure_of(row.name));
    }
    for (const Row& any : rows.all()) {
      CAPTURE(any.name);
      const Said said = any.call(stream.get());
      CHECK(said.status == TL_E_DEVICE);
      CHECK(said.text == late_failure_of(row.name));
    }
    CHECK(row.call(other.get()).status == TL_OK);  // another stream isn't concerned
    CHECK(other.sync().status == TL_OK);
  }
}

TEST_CASE(
    "E04: whichever piece of a training step fails, an error says which, and the next step works") {
  const double right = SmallTraining("remote").step();
  tl::synchronize("remote");
  const std::uint64_t blocks = counters().live_blocks;
  std::set<std::string> failed;
  std::uint32_t piece = 0;
  for (bool all_done = false; !all_done; ++piece) {
    CAPTURE(piece);
    control().fail_after(remote_handle(), piece);
    const std::string what = error_of([] { SmallTraining("remote").step(); });
    control().forget_failures(remote_handle());
    all_done = what.empty();
    if (!all_done) {
      const std::size_t at = what.find("late failure of ");
      REQUIRE_MESSAGE(at != std::string::npos, what);
      failed.insert(what.substr(at + 16, what.find(':', at) - at - 16));
      CHECK(what.find("device remote: device failed: ") != std::string::npos);
      control().reopen_default_stream(remote_handle());
    }
    CHECK(counters().live_blocks == blocks);
    if (piece % 16 == 0) CHECK(SmallTraining("remote").step() == right);
  }
  CHECK(piece > 40);
  for (const char* name :
       {"map", "zip", "reduce", "matmul", "attn_softmax_fw", "attn_softmax_bw", "layernorm_fw",
        "layernorm_bw", "gather", "scatter_add", "scan", "random", "optim", "copy"})
    CHECK_MESSAGE(failed.count(name) == 1, name);
}
