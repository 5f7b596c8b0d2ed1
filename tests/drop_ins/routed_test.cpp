// What the plug-in makes of drop-ins: cpu_twin is loaded by hand, in a child for each set of variables, for it reads
// them once. A stand-in that fails at 77 columns, which no probe tries, shows whether a call went to it.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <torchlight/ext/details.h>
#include <torchlight/ext/index.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>

#include "kernels.h"
#include "tensor.h"

using namespace test;

namespace {

std::map<std::string, std::string> settings;
std::string logged;

const char* setting(const tl_host*, const char* name) noexcept {
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : found->second.c_str();
}
void log(const tl_host*, uint32_t level, const char* text) noexcept {
  logged += (level == TL_LOG_WARN ? "warning: " : "") + std::string(text) + "\n";
}
const void* no_extension(const tl_host*, const char*) noexcept { return nullptr; }

constexpr tl_host host = {sizeof(tl_host), TL_ABI_MAJOR, TL_ABI_MINOR, "0.1.0", log,
                          setting,         no_extension};

/// "repeatable" or "not repeatable", what supports says of a softmax of `columns`.
std::string answer_to(const tl_backend& table, tl_device* device, std::int64_t columns) {
  Tensor<> x({4, columns}), y({4, columns});
  tl_attn_softmax_fw_args args{};
  args.head.size = sizeof args;
  args.input = &x.view;
  args.output = &y.view;
  args.scale = 1;
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  tl_support answer{sizeof answer, 0, 0};
  if (table.supports(device, TL_PRIMITIVE_ATTN_SOFTMAX_FW, &args.head, &answer, &error) != TL_OK)
    return text;
  return answer.traits & TL_TRAIT_REPEATABLE ? "repeatable" : "not repeatable";
}

/// The status of torchlight.details/1, what was told, and the error.
std::string described(const tl_backend& table, tl_device* device, std::uint32_t thorough) {
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  std::string told;
  tl_details_args args{};
  args.head.size = sizeof args;
  args.thorough = thorough;
  args.context = &told;
  args.tell = [](void* context, const tl_detail* detail) noexcept {
    *static_cast<std::string*>(context) += detail->topic +
                                           std::string(detail->incomplete ? ", incomplete" : "") +
                                           ": " + detail->text + detail->json;
  };
  const auto* details = static_cast<const tl_details_table*>(table.extension(device, TL_EXT_DETAILS));
  const std::int32_t status = details->describe(device, &args, &error);
  return std::to_string(status) + ": " + told + text;
}

using Spoil = void (*)(tl_view& x, tl_view& y);
void as_it_is(tl_view&, tl_view&) {}

/// Copies between the host's memory and the device's, which the host needn't see, and waits for it.
std::int32_t transfer(const tl_backend& table, tl_device* device, const tl_memory& from,
                      const tl_memory& to, std::uint64_t bytes, tl_error& error) {
  const tl_copy_args args{sizeof args, 0, from, to, bytes};
  const std::int32_t status = table.copy(device, nullptr, &args, &error);
  return status == TL_OK ? table.stream_sync(device, nullptr, &error) : status;
}

/// The status and error of a softmax of zeros in the device's memory; `spoil` may change its views.
std::string call(const tl_backend& table, tl_device* device, std::int64_t columns,
                 Spoil spoil = as_it_is) {
  char text[512] = "";
  tl_error error{sizeof error, sizeof text, text};
  Tensor<> x({4, columns}, 0), y({4, columns});
  tl_memory memory[2];
  const std::uint64_t bytes = 4 * static_cast<std::uint64_t>(columns) * sizeof(float);
  Tensor<>* const tensors[] = {&x, &y};
  for (int k = 0; k < 2; ++k) {
    if (table.allocate(device, nullptr, bytes, &memory[k], &error) != TL_OK) return text;
    const tl_memory here{tensors[k]->values.data(), nullptr, 0};
    if (transfer(table, device, here, memory[k], bytes, error) != TL_OK) return text;
    tensors[k]->view.base = memory[k].base;
    tensors[k]->view.block = memory[k].block;
  }
  tl_attn_softmax_fw_args args{};
  args.head.size = sizeof args;
  args.input = &x.view;
  args.output = &y.view;
  args.scale = 1;
  spoil(x.view, y.view);
  const std::int32_t status = table.attn_softmax_fw(device, nullptr, &args, &error);
  if (status != TL_OK) return std::to_string(status) + ": " + text;
  const tl_memory here{y.values.data(), nullptr, 0};
  if (transfer(table, device, memory[1], here, bytes, error) != TL_OK) return text;
  const float first = y.values[0];
  return std::abs(first * static_cast<float>(columns) - 1) < 1e-4F ? "right" : "wrong";
}

/// What becomes of a process that touches the device's memory by itself.
std::string touched(const tl_backend& table, tl_device* device) {
  char text[256] = "";
  tl_error error{sizeof error, sizeof text, text};
  tl_memory memory;
  if (table.allocate(device, nullptr, 64, &memory, &error) != TL_OK) return text;
  const pid_t pid = fork();
  if (pid == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    *static_cast<volatile char*>(memory.base) = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? "kept out" : "let in";
}

/// Takes a number from outside of a tensor. What the stream says, which keeps it.
std::string gather_badly(const tl_backend& table, tl_device* device) {
  char text[512] = "";
  tl_error error{sizeof error, sizeof text, text};
  Tensor<> from({1}), to({1});
  Tensor<std::int64_t> index({1});
  index.view.dtype = {TL_INT, 64, 1};
  for (tl_view* view : {&from.view, &to.view, &index.view}) {
    tl_memory memory;
    if (table.allocate(device, nullptr, 8, &memory, &error) != TL_OK) return text;
    std::memcpy(memory.base, index.values.data(), 8);
    view->base = memory.base;
    view->block = memory.block;
  }
  tl_index_args args{};
  args.head.size = sizeof args;
  args.source = &from.view;
  args.index = &index.view;
  args.output = &to.view;
  const auto* gathers = static_cast<const tl_index_table*>(table.extension(device, TL_EXT_INDEX));
  if (gathers->gather(device, nullptr, &args, &error) == TL_OK)
    table.stream_sync(device, nullptr, &error);
  return text;
}

/// What a child does with the device.
using Visit = std::string (*)(const tl_backend& table, tl_device* device);

/// Answers for 33 and 77 columns.
std::string try_two(const tl_backend& table, tl_device* device) {
  return answer_to(table, device, 33) + "; " + call(table, device, 77);
}

/// What a child says that loads the plug-in with these settings, and its log.
std::string child(const std::map<std::string, std::string>& variables, Visit visit = try_two) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    settings = variables;
    void* const plugin = dlopen(CPU_TWIN, RTLD_NOW);
    const auto enter =
        plugin ? reinterpret_cast<decltype(&torchlight_plugin_v1)>(dlsym(plugin, TL_ENTRY_NAME))
               : nullptr;
    char text[256] = "";
    tl_error error{sizeof error, sizeof text, text};
    const tl_backend* table = nullptr;
    tl_device* device = nullptr;
    std::string said = "can't be entered";
    if (enter && enter(&host, &table, &error) == TL_OK && table->open(0, &device, &error) == TL_OK)
      said = visit(*table, device) + "; " + logged;
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    said.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  return said;
}

}  // namespace

TEST_CASE(
    "a softmax goes to a drop-in, isn't called repeatable, and fails with its file where nothing may "
    "stand in") {
  Kernels kernels("fault=crash at=77");
  const std::string file = kernels.put("softmax", "softmax_kernel.so");
  const std::string directory = kernels.options().directories;
  const std::string said =
      child({{"TORCHLIGHT_CUDA_KERNEL_DIR", directory}, {"TORCHLIGHT_FALLBACK", "error"}});
  CAPTURE(said);
  CHECK(said.find("not repeatable; ") == 0);
  CHECK(said.find(file) != said.npos);
  CHECK(said.find("it crashed: Segmentation fault") != said.npos);
  CHECK(said.find("attn_softmax_fw goes to a kernel drop-in") != said.npos);
}

TEST_CASE("a drop-in that fails is passed over with a line in the log, unless that is forbidden") {
  Kernels kernels("fault=crash at=77");
  kernels.put("softmax", "softmax_kernel.so");
  const std::string said = child({{"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}});
  CAPTURE(said);
  CHECK(said.find("not repeatable; right; ") == 0);
  CHECK(said.find("it crashed: Segmentation fault") != said.npos);
  CHECK(said.find("doing it by the own kernel") != said.npos);
}

TEST_CASE("a drop-in that is given up is told once, and missed where nothing may stand in") {
  Kernels kernels("fault=crash at=77");
  const std::string file = kernels.put("softmax", "softmax_kernel.so");
  std::map<std::string, std::string> variables = {
      {"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}};
  const auto visit = [](const tl_backend& table, tl_device* device) {
    std::string said;
    for (const int columns : {77, 33, 77, 77, 77, 33}) said += call(table, device, columns) + "\n";
    return said;
  };
  const std::string crash = "it crashed: Segmentation fault",
                    fails = file + ": attn_softmax_fw: " + crash;
  const std::string given_up = "it failed twice in a row, and isn't used any more";
  CHECK(child(variables, visit) ==
        "right\nright\nright\nright\nright\nright\n; attn_softmax_fw goes to a kernel drop-in\n"
        "warning: " +
            fails +
            "; doing it by the own kernel\n"
            "warning: " +
            fails +
            "; doing it by the own kernel\n"
            "warning: " +
            fails + "; " + given_up +
            "; doing it by the own kernel\n"
            "attn_softmax_fw isn't done by a kernel drop-in: " +
            file + ": " + given_up + ": " + crash + "\n");
  variables["TORCHLIGHT_FALLBACK"] = "error";
  const std::string missed = "-5: " + file + ": " + given_up + ": " + crash + "\n";
  CHECK(child(variables, visit) == "-5: " + fails + "\nright\n-5: " + fails + "\n-5: " + fails + "; " +
                                       given_up + "\n" + missed + missed +
                                       "; attn_softmax_fw goes to a kernel drop-in\n");
}

TEST_CASE("a drop-in is given no memory that isn't the device's, and nothing after a failure") {
  Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  const std::map<std::string, std::string> variables = {
      {"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}};
  const std::string said = child(variables, [](const tl_backend& table, tl_device* device) {
    const auto on_host = [](tl_view&, tl_view& y) { y.block = nullptr; };
    const auto too_long = [](tl_view& x, tl_view&) { x.byte_offset += 4; };
    return call(table, device, 33) + "; " + call(table, device, 33, on_host) + "; " +
           call(table, device, 33, too_long);
  });
  CAPTURE(said);
  CHECK(
      said.find("right; -1: host memory where memory of the device is due; -1: a view reaches outside "
                "of its block of 528 bytes; ") == 0);
  CHECK(said.find("goes to a kernel drop-in") != said.npos);
  const std::string late = child(variables, [](const tl_backend& table, tl_device* device) {
    const std::string failure = gather_badly(table, device), next = call(table, device, 33);
    return failure + (next.find(failure) != next.npos ? "; kept" : "; " + next);
  });
  CAPTURE(late);
  CHECK(late.find("index 77 at position 0 is outside 0 to 0; kept; ") != late.npos);
}

TEST_CASE("what is found and can't be used is told when drop-ins are looked for") {
  Kernels kernels;
  const std::string path = kernels.put("softmax", "softmax_kernel.so"),
                    directory = kernels.options().directories;
  ::chmod(path.c_str(), 0666);
  const auto nothing = [](const tl_backend&, tl_device*) { return std::string(); };
  std::map<std::string, std::string> variables = {
      {"TORCHLIGHT_CUDA_KERNEL_DIR", directory + ":/nowhere"}};
  CHECK(child(variables, nothing) ==
        "; warning: not used as a kernel drop-in: /nowhere: No such file or directory\n"
        "warning: not used as a kernel drop-in: " +
            path + ": others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it\n");
  variables["TORCHLIGHT_DROP_INS"] = "off";
  CHECK(child(variables, nothing) == "; ");
}

TEST_CASE(
    "with TORCHLIGHT_DROP_INS=only the device declines what no drop-in does, and has no extension but "
    "details") {
  Kernels kernels("columns=64");
  const std::string file = kernels.put("softmax", "softmax_kernel.so");
  const std::string said = child(
      {{"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}, {"TORCHLIGHT_DROP_INS", "only"}},
      [](const tl_backend& table, tl_device* device) {
        const bool has = table.extension(device, TL_EXT_INDEX);
        return answer_to(table, device, 33) + "; " + call(table, device, 33) + "; " +
               answer_to(table, device, 65) + "; " + call(table, device, 65) +
               (has ? "; gathers" : "; no gather");
      });
  CAPTURE(said);
  const std::string limit = file + ": it does up to 64 columns, not 65";
  CHECK(said.find("not repeatable; right; " + limit + "; 1: " + limit + "; no gather; ") == 0);
  CHECK(child({{"TORCHLIGHT_DROP_INS", "only"}}) ==
        "no kernel drop-in does this; 1: no kernel drop-in does this; ");
}

TEST_CASE(
    "where the host can't see the device's memory, a drop-in gets copies, after what was enqueued "
    "before") {
  Kernels kernels("fault=crash at=77");
  const std::string file = kernels.put("softmax", "softmax_kernel.so");
  ::setenv("TWIN_HIDE_MEMORY", "1", 1);
  const std::string said = child(
      {{"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}, {"TORCHLIGHT_DROP_INS", "only"}},
      [](const tl_backend& table, tl_device* device) {
        std::string all;
        for (const int columns : {33, 77, 34}) all += call(table, device, columns) + "; ";
        const auto on_host = [](tl_view&, tl_view& y) { y.block = nullptr; };
        return all + call(table, device, 33, on_host) + "; " + touched(table, device);
      });
  ::unsetenv("TWIN_HIDE_MEMORY");
  CAPTURE(said);
  CHECK(said.find("right; -5: " + file +
                  ": attn_softmax_fw: it crashed: Segmentation fault; right; "
                  "-1: host memory where memory of the device is due; kept out; ") == 0);
}

TEST_CASE("the device tells of its drop-ins, quickly without trying them") {
  Kernels kernels("columns=64");
  const std::string file = kernels.put("softmax", "softmax_kernel.so");
  const auto visit = [](const tl_backend& table, tl_device* device) {
    std::string said;
    for (const std::uint32_t thorough : {0u, 1u, 2u}) said += described(table, device, thorough);
    return said;
  };
  const std::string said =
      child({{"TORCHLIGHT_CUDA_KERNEL_DIR", kernels.options().directories}}, visit);
  CAPTURE(said);
  CHECK(said.find("0: drop_ins, incomplete: " + file + ": untried: ") == 0);
  CHECK(said.find("0: drop_ins: " + file +
                  ": used\n  attn_softmax_fw: launch form; up to 64 columns; ") != said.npos);
  CHECK(said.find("\"primitive\": \"attn_softmax_bw\", \"used\": true, ") != said.npos);
  CHECK(said.find("1: how to describe is 0 or 1, not 2") != said.npos);
  CHECK(child({}, visit) == "0: 0: 1: how to describe is 0 or 1, not 2; ");
}

TEST_CASE("layernorm's sums never lie in an input, which is still to be read") {
  CHECK(child({}, [](const tl_backend& table, tl_device* device) -> std::string {
          char text[256] = "";
          tl_error error{sizeof error, sizeof text, text};
          tl_memory memory;
          if (table.allocate(device, nullptr, 4096, &memory, &error) != TL_OK) return text;
          std::memset(memory.base, 0, 4096);
          Tensor<> x({4, 8}), dinput({4, 8}), gamma({8}), rows({4});
          std::uint64_t at = 0;
          for (tl_view* view : {&x.view, &dinput.view, &gamma.view, &rows.view}) {
            view->base = memory.base;
            view->block = memory.block;
            view->byte_offset = 256 * at++;
          }
          tl_layernorm_bw_args args{};
          args.head.size = sizeof args;
          args.grad = args.input = &x.view;
          args.gamma = args.dgamma = &gamma.view;
          args.mean = args.rstd = &rows.view;
          args.dinput = &dinput.view;
          args.normalized = 1;
          tl_view workspace = Tensor<std::uint8_t>({2048}).view;
          workspace.dtype = {TL_UINT, 8, 1};
          workspace.base = memory.base;
          workspace.block = memory.block;
          workspace.byte_offset = 2048;
          args.head.workspace = &workspace;
          const std::int32_t status = table.layernorm_bw(device, nullptr, &args, &error);
          return std::to_string(status) + ": " + text;
        }) == "-1: dgamma shares memory with gamma; ");
}

TEST_CASE("without drop-ins, and with TORCHLIGHT_DROP_INS=off, softmax is our own and repeatable") {
  Kernels kernels("fault=crash at=77");
  const std::string directory = kernels.options().directories;
  CHECK(child({{"TORCHLIGHT_CUDA_KERNEL_DIR", directory}}) == "repeatable; right; ");
  kernels.put("softmax", "softmax_kernel.so");
  CHECK(child({{"TORCHLIGHT_CUDA_KERNEL_DIR", directory}, {"TORCHLIGHT_DROP_INS", "off"}}) ==
        "repeatable; right; ");
}
