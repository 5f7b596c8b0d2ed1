// Calls the user's function once, in a process of its own: it may crash, hang or exit.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "array.h"
#include "command.h"
#include "runtime/process.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

// Launchers of some courses round rows up and touch what is behind them.
constexpr std::size_t room_behind = 1 << 16;

struct Buffer {
  void* memory = nullptr;
  std::vector<char> host;
};

std::string call(const Json& plan) {
  void* const library = dlopen(plan["library"].get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::string("it can't be loaded: ") + dlerror();
  const auto function = reinterpret_cast<void (*)(void**)>(dlsym(library, "torchlight_twin_call"));
  if (!function) return "it lacks the call";
  const std::string path = plan["data"];
  std::fstream data(path, std::ios::in | std::ios::out | std::ios::binary);
  const bool on_host = plan["host_pointers"];
  const Json& arguments = plan["arguments"];
  std::vector<Buffer> buffers(arguments.size());
  std::vector<std::uint64_t> words(arguments.size());
  std::vector<void*> places;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Json& one = arguments[k];
    if (one.contains("bits")) {
      words[k] = one["bits"];
    } else {
      const std::size_t bytes = one["bytes"];
      Buffer& buffer = buffers[k];
      buffer.host.resize(bytes + (on_host ? room_behind : 0));
      data.seekg(static_cast<std::streamoff>(one["at"].get<std::uint64_t>()));
      data.read(buffer.host.data(), static_cast<std::streamsize>(bytes));
      buffer.memory = buffer.host.data();
      if (!on_host) {
        if (cudaMalloc(&buffer.memory, bytes) != cudaSuccess)
          return "there is no memory for its arrays";
        cudaMemcpy(buffer.memory, buffer.host.data(), bytes, cudaMemcpyDefault);
      }
      words[k] = reinterpret_cast<std::uint64_t>(buffer.memory);
    }
    places.push_back(&words[k]);
  }
  try {
    function(places.data());
  } catch (const std::exception& error) {
    return std::string("it threw: ") + error.what();
  } catch (...) {
    return "it threw";
  }
  std::string problem;
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error != cudaSuccess) problem = cudaGetErrorString(error);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Json& one = arguments[k];
    if (!one.contains("written")) continue;
    const std::size_t bytes = one["bytes"];
    if (one["written"] == true && problem.empty()) {
      if (!on_host) cudaMemcpy(buffers[k].host.data(), buffers[k].memory, bytes, cudaMemcpyDefault);
      data.clear();
      data.seekp(static_cast<std::streamoff>(one["at"].get<std::uint64_t>()));
      data.write(buffers[k].host.data(), static_cast<std::streamsize>(bytes));
    }
    if (!on_host) cudaFree(buffers[k].memory);
  }
  data.close();
  return problem;
}

}  // namespace

int exercise_worker(const std::string& path) {
  std::ifstream file(path);
  const Json plan = Json::parse(file);
  const std::string problem = call(plan);
  std::ofstream(plan["report"].get<std::string>())
      << Json{{"problem", problem}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fflush(stdout);
  return done;
}

}  // namespace twin_command
