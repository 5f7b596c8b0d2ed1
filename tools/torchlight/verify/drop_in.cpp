#include "verify/drop_in.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <torchlight/device.h>
#include <torchlight/plugin.h>
#include <nlohmann/json.hpp>

namespace command {
namespace {

namespace tl = torchlight;
using Json = nlohmann::ordered_json;

const std::map<std::string, std::vector<std::string>>& families() {
  static const std::map<std::string, std::vector<std::string>> all{
      {"softmax_kernel", {"attn_softmax_fw", "attn_softmax_bw"}},
      {"layernorm_kernel", {"layernorm_fw", "layernorm_bw"}},
      {"combine", {"map", "zip", "reduce", "matmul"}}};
  return all;
}

/// What the device tells of its drop-ins.
Json told_of_drop_ins() {
  const std::string name = tl::Device("cpu_twin").name();
  for (const tl::DeviceReport& report : tl::list_devices(tl::Details::thorough))
    for (const tl::DeviceDetail& detail : report.details)
      if (report.name == name && detail.topic == "drop_ins")
        return Json::parse(detail.json, nullptr, false);
  return {};
}

}  // namespace

/// By the note's beginning, which stands in the file as it is.
bool is_plugin(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) return false;  // reading a FIFO might never end
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::string note = std::string(TL_NOTE_OWNER) + std::string(2, '\0') + TL_NOTE_MAGIC;
  return bytes.find(note) != bytes.npos;
}

bool is_drop_in(const std::string& file) {
  const std::filesystem::path path(file);
  if (path.extension() == ".cu") return true;
  return path.extension() == ".so" && families().count(path.stem().string()) > 0 && !is_plugin(file);
}

std::vector<std::string> drop_in_primitives(const std::string& file) {
  const auto found = families().find(std::filesystem::path(file).stem().string());
  return found == families().end() ? std::vector<std::string>() : found->second;
}

std::vector<std::pair<std::string, std::string>> drop_in_settings(const std::string& file) {
  const char* trust = std::getenv("TORCHLIGHT_TRUST_ALL");
  return {{"TORCHLIGHT_CUDA_KERNEL_DIR", file},
          {"TORCHLIGHT_DROP_INS", "only"},
          {"TORCHLIGHT_TRUST_ALL", trust ? trust : "0"}};
}

DropInReport examine_drop_in(const std::string& file) {
  if (drop_in_primitives(file).empty())
    return {"a kernel drop-in is called softmax_kernel, layernorm_kernel or combine, with .so or .cu",
            {}};
  if (file.find(':') != file.npos)
    return {"its path holds a colon, which separates the entries of TORCHLIGHT_CUDA_KERNEL_DIR", {}};
  for (const auto& [name, value] : drop_in_settings(file)) ::setenv(name.c_str(), value.c_str(), 1);
  const Json told = told_of_drop_ins();
  if (!told.is_object() || told["files"].empty())
    return {"cpu_twin, which judges kernel drop-ins, tells nothing of it", {}};
  const Json& listed = told["files"][0];
  if (listed["state"] == "rejected") return {listed["reason"], {}};
  DropInReport report;
  for (const Json& route : listed["routes"])
    report.routes.emplace_back(route["primitive"], (route["used"] == true ? "used: " : "not used: ") +
                                                       route["details"].get<std::string>());
  return report;
}

}  // namespace command
