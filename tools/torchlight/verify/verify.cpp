// torchlight verify: tries everything that is asked of a plug-in, each part in a process of its own.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include <torchlight/error.h>
#include <torchlight/io.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "text.h"
#include "verify/child.h"
#include "verify/core_parts.h"
#include "verify/drop_in.h"

namespace command {
namespace {

namespace tl = torchlight;
using Json = nlohmann::ordered_json;

/// Parts that the conformance runner does on the file itself, below the core.
constexpr const char* plugin_parts[] = {
    "device",          "map",          "zip",          "reduce", "matmul",      "attn_softmax_fw",
    "attn_softmax_bw", "layernorm_fw", "layernorm_bw", "gather", "scatter_add", "scan",
    "random",          "optim",        "random_case"};

constexpr const char* speed_part = "speed";
/// Parts that are tried through the core.
constexpr const char* core_parts[] = {"identity", "gradients", "training", "threads"};

bool is_among(std::span<const char* const> names, const std::string& name) {
  return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

/// The runner lies beside the directory of plug-ins.
std::string conformance_runner() {
  const std::filesystem::path prefix = own_program().parent_path().parent_path();
  for (const char* lib : {CONFORMANCE_LIBDIR, "lib"}) {
    const std::filesystem::path runner = prefix / lib / "torchlight" / "conformance";
    if (std::filesystem::exists(runner)) return runner.string();
  }
  throw std::runtime_error(
      "the conformance runner isn't there: " + (prefix / "lib/torchlight/conformance").string() +
      "; install Torchlight anew");
}

/// Where the plug-in of this name lies; empty where it isn't installed.
std::string plugin_called(const char* name) {
  using State = tl::Candidate::State;
  for (const tl::Candidate& found : tl::list_candidates())
    if (found.name == name && (found.state == State::found || found.state == State::loaded))
      return found.path;
  return {};
}

/// Parts for a kernel drop-in beside its family's primitives. The first is tried through the core.
constexpr const char* drop_in_part = "drop_in";
constexpr double probe_patience = 300;  // compiling, and a probe that ends by limits of its own
constexpr const char* drawn_parts[] = {"random_case", "long_case"};

/// What a kernel drop-in is tried by.
std::string judging_plugin() {
  const std::string twin = plugin_called("cpu_twin");
  if (twin.empty())
    throw std::runtime_error(
        "cpu_twin, which judges kernel drop-ins, isn't installed: torchlight devices says why");
  return twin;
}

/// What came out of one part.
struct Part {
  std::string name;
  enum class State { passed, failed, not_offered } state = State::passed;
  Json report;  ///< done, declined, failures, notes
};

void add_failure(Json& report, const std::string& name, const char* check, const std::string& text) {
  report["failures"].push_back({{"case", name}, {"check", check}, {"text", tl::printable(text)}});
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// What the runner says last, without what it puts in front: the report has it already. A library of its plug-in, or
/// a sanitizer, may print something behind it.
std::string last_words_after(const std::string& beginning, const std::string& text) {
  const std::size_t at = text.rfind(beginning);
  if (at == std::string::npos) return last_line(text);
  const std::string words = text.substr(at + beginning.size());
  return words.substr(0, words.find('\n'));
}

/// The child's own report, or what its end says where it couldn't give one.
Part judge(const std::string& name, const Outcome& outcome, double patience) {
  Part part{name, {}, {}};
  part.report = Json::parse(outcome.json, nullptr, false);
  if (part.report.is_discarded() || !part.report.contains("failures")) {
    part.report = {{"done", 0}, {"declined", 0}, {"failures", Json::array()}};
    const std::string at = outcome.activity.empty() ? name : outcome.activity;
    if (outcome.timed_out)
      add_failure(part.report, at, "time", format("nothing went on for %g s", patience));
    else if (outcome.signal != 0)
      add_failure(part.report, at, "crash", std::string("it ended by ") + strsignal(outcome.signal));
    else if (outcome.status == 3)
      add_failure(part.report, at, "crash", last_words_after("FAILED " + at + ": ", outcome.output));
    else
      add_failure(part.report, at, "open", last_words_after("FAILED: ", outcome.output));
  }
  if (!part.report["failures"].empty())
    part.state = Part::State::failed;
  else if (part.report["done"] == 0)
    part.state = Part::State::not_offered;
  return part;
}

/// One file, part by part.
class Verification {
 public:
  Verification(Output& out, const VerifyOptions& options, std::uint64_t seed, const std::string& file)
      : out_(out), options_(options), seed_(seed), file_(file) {}

  void run() {
    out_.line("verify " + tl::printable(file_));
    if (is_drop_in_) return run_drop_in();
    if (!options_.part.empty()) return run_one(options_.part);
    if (options_.only.empty()) {
      run_core_part(core_parts[0]);
      if (failed_ > 0 && !is_plugin(file_))
        out_.line(
            "    (a kernel drop-in is called softmax_kernel.so, layernorm_kernel.so or combine.so)");
      if (failed_ > 0) return;  // nothing else can be tried on a file that isn't loaded
    }
    for (const char* part : plugin_parts)
      if (options_.only.empty() || part != std::string("device")) run_plugin_part(part);
    if (!options_.only.empty()) return;
    for (std::size_t i = 1; i < std::size(core_parts); ++i) run_core_part(core_parts[i]);
    if (options_.speed) run_plugin_part(speed_part);
  }

  /// Whether it conforms, and what is to be said of it in a line.
  bool passed() const { return failed_ == 0 && done_ > 0; }
  std::string verdict() const {
    if (passed())
      return format("conforms: %llu cases, %d parts", static_cast<unsigned long long>(done_), passed_);
    if (failed_ == 0) return "does not conform: there is no such case, or it does none of them";
    return format("does not conform: %d of %d parts failed", failed_, failed_ + passed_);
  }
  Json json() const {
    return {{"file", file_},
            {"seed", options_.hide_seed ? Json() : Json(seed_)},
            {"passed", passed()},
            {"verdict", verdict()},
            {"parts", parts_}};
  }

 private:
  /// First what the file is used for: it says why where it is nothing. Then the cases of its family, which it
  /// declines beyond its limits.
  void run_drop_in() {
    std::vector<std::string> parts = drop_in_primitives(file_);
    parts.insert(parts.end(), std::begin(drawn_parts), std::end(drawn_parts));
    const std::string& wanted = options_.part;
    if (!wanted.empty() && wanted != drop_in_part && std::ranges::find(parts, wanted) == parts.end())
      throw BadInput("--part: a kernel drop-in of this name has no part " + tl::printable(wanted));
    const Part found = run_core(drop_in_part, std::max(options_.patience, probe_patience));
    add(found);
    if (wanted == drop_in_part) return;
    done_ = 0;  // which stands for no call
    if (failed_ > 0) return;
    for (const std::string& part : parts)
      if (wanted.empty() || wanted == part)
        run_plugin_part(part, found.report["notes"].value(part, ""));
  }

  void run_one(const std::string& name) {
    if (is_among(plugin_parts, name) || name == speed_part)
      run_plugin_part(name);
    else if (is_among(core_parts, name))
      run_core_part(name);
    else
      throw BadInput("--part: there is no part " + tl::printable(name) +
                     "; a report of all names them");
  }
  /// `route` says what a drop-in is used for there: a part of it in which it does nothing has failed.
  void run_plugin_part(const std::string& name, const std::string& route = "") {
    std::vector<std::string> arguments{
        plugin_, "--part", name, "--seed", "-", "--random", std::to_string(options_.random)};
    if (is_drop_in_) {
      for (const auto& [setting, value] : drop_in_settings(file_))
        arguments.insert(arguments.end(), {"--set", setting + "=" + value});
      arguments.insert(arguments.end(), {"--slack", drop_in_slack});
    }
    if (!options_.only.empty()) arguments.insert(arguments.end(), {"--only", options_.only});
    if (options_.complete) arguments.push_back("--complete");
    if (const std::string cpu = plugin_called("cpu_simd"); name == speed_part && !cpu.empty())
      arguments.insert(arguments.end(), {"--reference", cpu});
    Part part = judge(name, run_child(runner_, arguments, std::to_string(seed_), options_.patience),
                      options_.patience);
    if (part.state == Part::State::not_offered && route.starts_with("used") && options_.only.empty()) {
      add_failure(part.report, name, "calls", "it is used for this and does none of the cases");
      part.state = Part::State::failed;
    }
    add(part);
  }
  void run_core_part(const std::string& name) { add(run_core(name, options_.patience)); }
  Part run_core(const std::string& name, double patience) {
    return judge(
        name, run_child(own_program().string(), {"verify-part", file_, "--part", name}, "", patience),
        patience);
  }

  void add(Part part) {
    const bool nothing = part.state == Part::State::not_offered;
    if (nothing && !options_.only.empty()) return;
    if (part.state == Part::State::failed) ++failed_;
    if (part.state == Part::State::passed) ++passed_;
    done_ += part.report["done"].get<std::uint64_t>();
    show(part);
    Json entry{{"name", part.name},
               {"state", part.state == Part::State::failed ? "failed"
                         : nothing                         ? "not offered"
                                                           : "passed"}};
    entry.update(part.report);
    entry.erase("passed");
    parts_.push_back(entry);
  }

  void show(const Part& part) {
    const Json& report = part.report;
    const auto number = [&](const char* key) { return report[key].get<unsigned long long>(); };
    std::string text = part.state == Part::State::failed        ? "FAILED"
                       : part.state == Part::State::not_offered ? "not offered"
                                                                : "passed";
    if (part.state != Part::State::not_offered && number("done") > 0)
      text += format(", %llu cases", number("done"));
    if (part.state != Part::State::not_offered && number("declined") > 0)
      text += format(", %llu declined", number("declined"));
    out_.line(format("  %-16s %s", part.name.c_str(), text.c_str()));
    for (const Json& failure : report["failures"])
      out_.line("    " + failure["case"].get<std::string>() + " [" +
                failure["check"].get<std::string>() + "]: " + failure["text"].get<std::string>());
    show_accuracy(report);
    for (const Json& speed : report.value("speeds", Json::array())) show_speed(speed);
    if (!report.contains("notes")) return;
    for (const auto& [key, value] : report["notes"].items())
      out_.line("    " + key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  }

  /// Of the kinds of cases, the one that came closest to its bound, and the one with the most ULP where each
  /// element stands for itself: of a sum that cancels they say nothing.
  void show_accuracy(const Json& report) {
    const Json *closest = nullptr, *farthest = nullptr;
    if (!report.contains("accuracy")) return;
    for (const Json& kind : report["accuracy"]) {
      const std::string name = kind["kind"];
      const bool elementwise = name.starts_with("map/") || name.starts_with("zip/");
      if (!closest || kind["of_bound"] > (*closest)["of_bound"]) closest = &kind;
      if (elementwise && (!farthest || kind["ulp"] > (*farthest)["ulp"])) farthest = &kind;
    }
    if (closest)
      out_.line(format("    accuracy: at most %.2f of what is allowed (%s)",
                       (*closest)["of_bound"].get<double>(),
                       (*closest)["case"].get<std::string>().c_str()));
    if (farthest)
      out_.line(format("    accuracy: at most %.2f ULP (%s)", (*farthest)["ulp"].get<double>(),
                       (*farthest)["kind"].get<std::string>().c_str()));
  }
  void show_speed(const Json& speed) {
    const double seconds = speed["seconds"], reference = speed["reference"];
    std::string line =
        format("    %-40s %8.3f ms, %.2f of the core's limit", speed["name"].get<std::string>().c_str(),
               seconds * 1e3, speed["of_limit"].get<double>());
    if (reference > 0) line += format(", %.2f of cpu_simd's speed", reference / seconds);
    out_.line(line);
  }

  Output& out_;
  const VerifyOptions& options_;
  const std::uint64_t seed_;
  const std::string& file_;
  const bool is_drop_in_ = is_drop_in(file_);
  const std::string plugin_ = is_drop_in_ ? judging_plugin() : file_;  ///< what the runner opens
  std::string runner_ = conformance_runner();
  Json parts_ = Json::array();
  int failed_ = 0, passed_ = 0;
  std::uint64_t done_ = 0;
};

/// Ten digits at most, to be typed again.
std::uint64_t drawn_seed() { return std::random_device()(); }

std::string absolute(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(file, error);
  if (error) throw BadInput(tl::printable(file) + " can't be read: " + error.message());
  // A drop-in is known by its name, which may be a link's.
  if (is_drop_in(file)) return std::filesystem::absolute(file).lexically_normal().string();
  return path.string();
}

}  // namespace

int verify(Output& out, const VerifyOptions& options) {
  std::vector<std::string> files;
  for (const std::string& file : options.files) files.push_back(absolute(file));
  if (!options.json.empty()) tl::check_writable(options.json);
  const std::uint64_t seed = options.seed.value_or(drawn_seed());
  const auto shown = static_cast<unsigned long long>(seed);
  out.line(options.hide_seed ? "values from a seed that isn't shown"
           : options.seed    ? format("values from seed %llu", shown)
                             : format("values from seed %llu: again with --seed %llu", shown, shown));
  Json reports = Json::array();
  bool all_passed = true;
  for (const std::string& file : files) {
    Verification verification(out, options, seed, file);
    verification.run();
    out.line("verdict: " + tl::printable(file) + " " + verification.verdict());
    all_passed = all_passed && verification.passed();
    reports.push_back(verification.json());
  }
  if (!options.json.empty()) std::ofstream(options.json) << reports.dump(2) << "\n";
  return all_passed ? done : failed;
}

}  // namespace command
