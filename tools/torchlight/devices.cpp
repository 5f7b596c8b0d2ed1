#include <algorithm>
#include <sstream>

#include <torchlight/device.h>
#include <torchlight/error.h>

#include "commands.h"
#include "text.h"

namespace command {
namespace {

namespace tl = torchlight;

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " ") + word;
  return result.empty() ? "none" : result;
}

// The core composes these out of the others.
std::string missing(const std::vector<std::string>& offered) {
  std::vector<std::string> result;
  for (const char* primitive : {"map", "zip", "reduce", "matmul", "attn_softmax_fw", "attn_softmax_bw",
                                "layernorm_fw", "layernorm_bw"})
    if (std::find(offered.begin(), offered.end(), primitive) == offered.end())
      result.push_back(primitive);
  return joined(result);
}

const char* name_of(tl::Candidate::State state) {
  switch (state) {
    case tl::Candidate::State::found: return "found";
    case tl::Candidate::State::loaded: return "loaded";
    case tl::Candidate::State::rejected: return "rejected";
    case tl::Candidate::State::duplicate: return "duplicate";
    case tl::Candidate::State::ignored: return "ignored";
  }
  return "";
}

void show(Output& out, const tl::DeviceReport& device) {
  out.line(device.name + ": " + device.description);
  if (!device.instruction_set.empty()) out.line("  instruction set  " + device.instruction_set);
  std::string memory = device.memory_space;
  if (device.memory_bytes > 0)
    memory += format(", %.1f GiB", static_cast<double>(device.memory_bytes) / (1 << 30));
  out.line("  memory           " + memory);
  out.line("  primitives       " + joined(device.primitives));
  out.line("  composed         " + missing(device.primitives));
  out.line("  extensions       " + joined(device.extensions));
  out.line("  fallbacks        " + joined(device.fallbacks));
  for (const tl::DeviceDetail& detail : device.details) {
    out.line("  " + detail.topic +
             (detail.complete ? "" : " (torchlight devices without --quick tells more)"));
    std::istringstream lines(detail.text);
    for (std::string line; std::getline(lines, line);) out.line("    " + line);
  }
}

/// All there is to tell; where it may take its time, the progress line says what is looked at.
std::vector<tl::DeviceReport> look(Output& out, bool quick) {
  std::vector<tl::DeviceReport> reports = tl::list_devices();
  const auto is_incomplete = [](const tl::DeviceReport& report) {
    return std::any_of(report.details.begin(), report.details.end(),
                       [](const tl::DeviceDetail& detail) { return !detail.complete; });
  };
  if (quick || std::none_of(reports.begin(), reports.end(), is_incomplete)) return reports;
  out.progress("compiling and trying what the devices haven't used yet (--quick doesn't)");
  return tl::list_devices(tl::Details::thorough);
}

// Why nothing can run on it; empty where something can. A loaded file may still have no device that opens.
std::string reason(const tl::Candidate& candidate) {
  if (candidate.state != tl::Candidate::State::loaded) return candidate.reason;
  try {
    tl::Device(candidate.name);
    return "";
  } catch (const tl::DeviceError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
}

void show(Output& out, const tl::Candidate& candidate) {
  std::string line = format("  %-9s ", name_of(candidate.state)) + candidate.path;
  if (!candidate.name.empty()) line += " (" + candidate.name + " " + candidate.version + ")";
  const std::string why = reason(candidate);
  out.line(why.empty() ? line : line + ": " + why);
}

// Of files that are there, the one that came nearest to working says what to mend.
std::string why_none(const std::vector<tl::Candidate>& candidates) {
  for (const auto state : {tl::Candidate::State::loaded, tl::Candidate::State::rejected})
    for (const tl::Candidate& candidate : candidates)
      if (candidate.state == state) return candidate.path + ": " + reason(candidate);
  return "there is no plug-in";
}

// What a program gets that names no device.
int show_default(Output& out) {
  try {
    out.line("default device: " + tl::Device().name());
    return done;
  } catch (const tl::DeviceError& error) {
    const std::string text = error.what();  // the lists that follow the first line were just shown
    out.complain(text.substr(0, text.find('\n')));
    return bad_input;
  }
}

}  // namespace

int devices(Output& out, bool quick) {
  const auto reports = look(out, quick);
  out.line(reports.empty() ? "no device works" : "devices:");
  for (const tl::DeviceReport& report : reports) show(out, report);
  out.line("plug-in files, in the order they were met:");
  const auto candidates = tl::list_candidates();
  for (const tl::Candidate& candidate : candidates) show(out, candidate);
  if (!reports.empty()) return show_default(out);
  out.complain("no device works: " + why_none(candidates));
  return failed;
}

}  // namespace command
