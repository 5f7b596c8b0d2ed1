#include "fault.h"

#include <filesystem>
#include <regex>
#include <sstream>

namespace twin_command {

std::string near_path(const std::string& text) {
  std::error_code none;
  const std::string here = std::filesystem::current_path(none).string() + "/";
  std::string result = text;
  for (std::size_t at = 0; here.size() > 1 && (at = result.find(here, at)) != result.npos;)
    result.erase(at, here.size());
  return result;
}

std::vector<Fault> faults_of(const std::string& reports) {
  static const std::regex place("^(\\S[^:]*:[0-9]+): (.*)$");
  static const std::regex who(" \\[kernel (.*), block (\\([0-9,]*\\)), thread (\\([0-9,]*\\))\\]");
  std::vector<Fault> faults;
  std::istringstream lines(near_path(reports));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    // What a report says in further lines belongs to it.
    const bool of_compiler =
        !faults.empty() && faults.back().text.find("doesn't compile (") != line.npos;
    if ((line[0] == ' ' || of_compiler) && !faults.empty()) {
      faults.back().text += "\n" + line;
      continue;
    }
    Fault fault;
    std::smatch match;
    if (std::regex_match(line, match, place)) fault.place = match[1], line = std::string(match[2]);
    if (std::regex_search(line, match, who)) {
      fault.kernel = match[1], fault.block = match[2], fault.thread = match[3];
      line = std::string(match.prefix()) + std::string(match.suffix());
    }
    fault.text = line;
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::string shown(const Fault& fault) {
  std::string text = (fault.place.empty() ? "" : fault.place + ": ") + "error: " + fault.text;
  if (!fault.kernel.empty())
    text += " [kernel " + fault.kernel + ", block " + fault.block + ", thread " + fault.thread + "]";
  return text;
}

nlohmann::ordered_json json_of(const Fault& fault) {
  nlohmann::ordered_json json{{"text", fault.text}};
  const std::size_t colon = fault.place.rfind(':');
  if (colon != fault.place.npos) {
    json["file"] = fault.place.substr(0, colon);
    json["line"] = std::stoi(fault.place.substr(colon + 1));
  }
  if (!fault.kernel.empty())
    json["kernel"] = fault.kernel, json["block"] = fault.block, json["thread"] = fault.thread;
  return json;
}

}  // namespace twin_command
