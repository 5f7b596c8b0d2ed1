// Kernels with one fault each must be reported, with the kernel, the block, the thread and the lines; the same files
// with -DFIXED must not be. A case is a comment in faults/*.cu:
//
//   // case NAME: block (x,y,z) thread (x,y,z): REGEX
//
// The block and the thread may be left out. `@NAME` marks the lines that may be reported, `@NAME other` those of the
// other access, which the report must name as well.
#include "programs.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "error.h"

namespace {

struct Fault {
  std::string name, text, block, thread;
  std::vector<int> lines, others;
};

std::vector<Fault> faults_of(const std::string& path) {
  std::vector<Fault> found;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  static const std::regex begin(
      R"(// case (\w+):( block (\([0-9,]+\)))?( thread (\([0-9,]+\)))?:? ?(.*))");
  for (const std::string& line : lines) {
    std::smatch parts;
    if (!std::regex_match(line, parts, begin)) continue;
    found.push_back({parts[1], parts[6], parts[3], parts[5], {}, {}});
  }
  for (size_t k = 0; k < lines.size(); ++k) {
    for (Fault& fault : found) {
      for (size_t at = lines[k].find("@" + fault.name); at != std::string::npos;
           at = lines[k].find("@" + fault.name, at + 1)) {
        const std::string behind = lines[k].substr(at + fault.name.size() + 1);
        if (!behind.empty() &&
            (std::isalnum(static_cast<unsigned char>(behind[0])) || behind[0] == '_'))
          continue;
        (behind.rfind(" other", 0) == 0 ? fault.others : fault.lines)
            .push_back(static_cast<int>(k) + 1);
      }
    }
  }
  return found;
}

bool names_one(const std::string& text, const std::string& before, const std::vector<int>& lines,
               const std::string& after) {
  for (const int line : lines)
    if (text.find(before + std::to_string(line) + after) != std::string::npos) return true;
  return lines.empty();
}

/// Empty where the report is what the case says.
std::string wrong_with(const std::string& report, const Fault& fault, const std::string& file,
                       bool exact) {
  if (!std::regex_search(report, std::regex(fault.text))) return "another text";
  // Of two accesses that race, the later one is reported.
  const auto are = [&](const std::vector<int>& first, const std::vector<int>& second) {
    return names_one(report, file + ":", first, ": ") &&
           names_one(report, file + ":", second, ", with");
  };
  if (!are(fault.lines, fault.others) && (fault.others.empty() || !are(fault.others, fault.lines)))
    return "another line";
  if (exact && !fault.block.empty() && report.find("block " + fault.block) == std::string::npos)
    return "another block";
  if (exact && !fault.thread.empty() &&
      report.find("thread " + fault.thread + "]") == std::string::npos)
    return "another thread";
  return {};
}

void check_file(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string faulty, fixed;
  try {
    faulty = compile_program({path});
    fixed = compile_program({path}, {"-DFIXED"});
  } catch (const twin::CompileError& problem) {
    FAIL_CHECK(std::string(problem.what()));
    return;
  }
  for (const Fault& fault : faults_of(path)) {
    CAPTURE(fault.name);
    // Only what never ends has to wait for it.
    const char* limit = fault.text.find("longer than") != std::string::npos ? "1000" : "60000";
    for (int seed = 0; seed < seeds(); ++seed) {
      CAPTURE(seed);
      const std::vector<std::string> environment = {
          "TWIN_CHECK=1", std::string("TWIN_LIMIT_MS=") + limit, "TWIN_SEED=" + std::to_string(seed)};
      const Output bad = run({faulty, fault.name}, environment);
      if (bad.reports.empty())
        FAIL_CHECK(fault.name << " of " << name << ": not reported\n" << bad.text);
      else {
        const std::string wrong = wrong_with(bad.reports[0], fault, name, seed == 0);
        CHECK_MESSAGE(wrong.empty(), fault.name << " of " << name << ": " << wrong << "\n"
                                                << bad.reports[0]);
        CHECK_MESSAGE(bad.reports.size() == 1, fault.name << ": " << bad.text);
      }
      const Output good = run({fixed, fault.name}, environment);
      CHECK_MESSAGE(good.status == 0, good.text);
      CHECK_MESSAGE(good.text == fault.name + ": cudaSuccess\n",
                    fault.name << " of " << name << ", fixed: " << good.text);
    }
  }
}

}  // namespace

TEST_CASE("faults: each is reported where it is, and its remedy is not") {
  for (const std::string& path : sources("faults", ".cu")) {
    CHECK_MESSAGE(!faults_of(path).empty(), path);
    check_file(path);
  }
}

TEST_CASE("faults: a report that differs is noticed") {
  const Fault fault{"sum", "race: reads", "(0,0,0)", "(3,0,0)", {7}, {9}};
  const std::string report =
      "/x/a.cu:7: race: reads y, which is written by thread (4,0,0) at /x/a.cu:9, with nothing "
      "that puts the two in order: a barrier is missing [kernel sum(int*), block (0,0,0), thread "
      "(3,0,0)]";
  CHECK(wrong_with(report, fault, "a.cu", true).empty());
  CHECK(wrong_with(std::regex_replace(report, std::regex(":7:"), ":8:"), fault, "a.cu", true) ==
        "another line");
  CHECK(wrong_with(std::regex_replace(report, std::regex(":9,"), ":8,"), fault, "a.cu", true) ==
        "another line");
  CHECK(wrong_with(std::regex_replace(report, std::regex("3,0,0"), "2,0,0"), fault, "a.cu", true) ==
        "another thread");
  CHECK(wrong_with(std::regex_replace(report, std::regex("reads"), "writes"), fault, "a.cu", true) ==
        "another text");
}
