// The side of --launch that runs kernels: one process for all launches of a command.
#include <cuda_runtime_api.h>

#include <array>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>

#include "command.h"
#include "compare.h"
#include "error.h"
#include "fault.h"
#include "find_kernel.h"
#include "launch_text.h"
#include "number.h"
#include "runtime/process.h"
#include "type.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

struct OnDevice {
  Array first;  ///< as it came into being
  Array now;    ///< as the last launch left it
  bool given = true;
  void* memory = nullptr;
};

class Session {
 public:
  explicit Session(const Options& options) : options_(options) {
    twin::Process& process = twin::Process::get();
    process.on_report = [&](const std::string& text) { reports_ += text + "\n"; };
    for (const std::string& file : options.files) {
      twin::Warnings warnings;
      const std::string ptx = process.toolchain().ptx({file, options.compile, true}, &warnings);
      if (!warnings.text.empty()) std::fputs(near_path(warnings.text).c_str(), stderr);
      modules_.push_back({file, &process.module(ptx)});
    }
  }

  Json run() {
    Json report{{"launches", Json::array()}, {"expectations", Json::array()}};
    std::vector<LaunchText> launches;
    for (const std::string& text : options_.launches) launches.push_back(parse_launch(text));
    for (std::size_t k = 0; k < launches.size(); ++k) {
      const std::string problem = launch(launches[k]);
      report["launches"].push_back({{"launch", options_.launches[k]}, {"error", problem}});
      if (!problem.empty()) break;
    }
    const bool ran = reports_.empty() && report["launches"].size() == launches.size() &&
                     report["launches"].back()["error"] == "";
    if (ran) {
      for (auto& [name, array] : arrays_)
        if (!array.now.bytes.empty())
          cudaMemcpy(array.now.bytes.data(), array.memory, array.now.bytes.size(), cudaMemcpyDefault);
      for (const std::string& text : options_.expectations)
        report["expectations"].push_back(expect(text));
      for (const std::string& text : options_.saves) save(text);
    }
    for (auto& [name, array] : arrays_) cudaFree(array.memory);
    report["reports"] = reports_;
    return report;
  }

 private:
  std::string launch(const LaunchText& text) {
    const Found found = find_kernel(modules_, text.kernel, options_.compile);
    const Signature& signature = found.signature;
    if (text.arguments.size() != signature.parameters.size())
      throw BadInput(text.kernel + " takes " + std::to_string(signature.parameters.size()) +
                     " arguments, not " + std::to_string(text.arguments.size()) + ": " +
                     shown(signature));
    std::deque<std::array<char, 16>> held;
    std::vector<void*> arguments;
    for (std::size_t k = 0; k < text.arguments.size(); ++k) {
      held.emplace_back() = {};
      pass(text.arguments[k], signature.parameters[k], found.kernel->parameter_sizes[k],
           held.back().data());
      arguments.push_back(held.back().data());
    }
    handles_.push_back(text.kernel);
    twin::Process::get().add_kernel(&handles_.back(), {found.module, found.kernel});
    const auto dim = [](twin::Dim d) { return dim3(d.x, d.y, d.z); };
    const cudaError_t refused = cudaLaunchKernel(&handles_.back(), dim(text.grid), dim(text.block),
                                                 arguments.data(), text.shared, nullptr);
    const cudaError_t after = cudaDeviceSynchronize();
    if (refused != cudaSuccess) return cudaGetErrorString(refused);
    return after != cudaSuccess ? cudaGetErrorString(after) : "";
  }

  void pass(const Argument& argument, const Parameter& parameter, std::uint32_t bytes, char* place) {
    const std::string what = parameter.type.text + (parameter.name.empty() ? "" : " " + parameter.name);
    if (parameter.type.pointer || argument.kind == Argument::Kind::array) {
      if (!parameter.type.pointer)
        throw BadInput("\"" + argument.text + "\" is an array, and the parameter is " + what);
      void* pointer = nullptr;
      if (argument.kind == Argument::Kind::array)
        pointer = array(argument, parameter.type, what).memory;
      else if (argument.kind == Argument::Kind::number && argument.text != "0")
        throw BadInput("\"" + argument.text + "\" is no array, and the parameter is " + what);
      std::memcpy(place, &pointer, sizeof pointer);
      return;
    }
    if (argument.kind == Argument::Kind::null)
      throw BadInput("the parameter " + what + " is no pointer");
    pass_number(argument.text, parameter.type, bytes, what, place);
  }

  OnDevice& array(const Argument& argument, const Type& type, const std::string& what) {
    auto found = arrays_.find(argument.name);
    if (argument.made.empty()) {
      if (found == arrays_.end())
        throw BadInput("there is no array " + argument.name + " yet: say " + argument.name +
                       "=rand(1000), zeros(…), poison(…) or FILE.npy");
    } else {
      if (found != arrays_.end())
        throw BadInput("the array " + argument.name + " exists already: say " + argument.name +
                       " alone");
      Made made = make_array(argument, type.element);
      OnDevice fresh{made.array, made.array, made.given, nullptr};
      if (cudaMalloc(&fresh.memory, made.array.bytes.size()) != cudaSuccess)
        throw std::runtime_error("there is no memory for " + argument.text);
      if (!made.array.bytes.empty())
        cudaMemcpy(fresh.memory, made.array.bytes.data(), made.array.bytes.size(), cudaMemcpyDefault);
      found = arrays_.emplace(argument.name, std::move(fresh)).first;
    }
    if (type.element && found->second.first.element != *type.element)
      throw BadInput(argument.name + " is of " + name_of(found->second.first.element) +
                     ", and the parameter is " + what);
    return found->second;
  }

  OnDevice& known(const std::string& name) {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw BadInput("no launch has an array " + name);
    return found->second;
  }

  Json expect(const std::string& text) {
    const auto [name, right] = assignment(text, "--expect");
    const Array& got = known(name).now;
    const auto look_up = [&](const std::string& other) {
      const OnDevice& array = known(other);
      return values_of(array.given ? array.first : array.now);
    };
    const Values wanted =
        right.ends_with(".npy") ? values_of(load_array(right)) : evaluate(right, look_up);
    Json result{{"expect", text}};
    result.update(json_of(compare(name, got, wanted, options_.tolerance)));
    return result;
  }

  void save(const std::string& text) {
    const auto [name, path] = assignment(text, "--save");
    save_array(known(name).now, path);
  }

  const Options& options_;
  std::vector<Module> modules_;
  std::map<std::string, OnDevice> arrays_;
  std::deque<std::string> handles_;
  std::string reports_;
};

}  // namespace

int launch_worker(const Options& options, const std::string& path) {
  Json report;
  int status = done;
  try {
    report = Session(options).run();
  } catch (const BadInput& error) {
    report = {{"error", error.what()}};
    status = bad_input;
  } catch (const std::exception& error) {
    report = {{"error", near_path(error.what())}};
    status = failed;
  }
  std::ofstream(path) << report.dump(-1, ' ', false, Json::error_handler_t::replace);
  return status;
}

}  // namespace twin_command
