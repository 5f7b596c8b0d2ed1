// Run in child processes by the loader's tests: does what its arguments say, one after the other, and
// prints what came of it. Errors of the library are lines, too; whatever else happens is for the parent
// to see.
#include <torchlight/device.h>
#include <torchlight/error.h>

#include <dlfcn.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "loader/call.h"
#include "loader/open_device.h"
#include "loader/registry.h"

namespace {

using namespace torchlight;
using loader::OpenDevice;

const char* name_of(Candidate::State state) {
  constexpr const char* names[] = {"found", "loaded", "rejected", "duplicate", "ignored"};
  return names[static_cast<int>(state)];
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void print_candidates() {
  for (const Candidate& c : list_candidates())
    std::cout << "candidate " << file_name(c.path) << '|' << c.name << '|' << c.version << '|'
              << name_of(c.state) << '|' << c.reason << '\n';
}

void print_devices() {
  for (const DeviceReport& report : list_devices()) {
    std::cout << "device " << report.name << '|' << report.memory_space << '|';
    for (const std::string& primitive : report.primitives) std::cout << primitive << ' ';
    std::cout << '\n';
  }
}

/// Lines of a text in one line, and the beginning of a long one.
std::string in_a_line(const std::string& text) {
  if (text.size() > 1000) return text.substr(0, 100) + "… of " + std::to_string(text.size()) + " bytes";
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  return line;
}

void print_details(const std::string& how) {
  std::cout << "asked " << how << '\n';
  for (const DeviceReport& report : list_devices(how == "quick" ? Details::quick : Details::thorough))
    for (const DeviceDetail& detail : report.details)
      std::cout << "detail " << report.name << '|' << detail.topic << '|'
                << (detail.complete ? "complete" : "incomplete") << '|' << detail.json << '|'
                << in_a_line(detail.text) << '\n';
}

tl_view vector_of(float* values, std::int64_t count) {
  tl_view view{};
  view.size = sizeof view;
  view.dtype = {TL_FLOAT, 32, 1};
  view.rank = 1;
  view.base = values;
  view.extent[0] = count;
  view.stride[0] = 1;
  return view;
}

/// ones(4).sum() through the plug-in.
float sum_of_ones(OpenDevice& device) {
  float ones[] = {1, 1, 1, 1}, sum = -1;
  const tl_view in = vector_of(ones, 4), out = vector_of(&sum, 1);
  tl_reduce_args args{};
  args.head.size = sizeof args;
  args.fn = TL_REDUCE_sum;
  args.axis_mask = 1;
  args.input = &in;
  args.output = &out;
  device.prepare(TL_PRIMITIVE_REDUCE);
  loader::ErrorText error;
  loader::check(loader::call(device, nullptr, TL_PRIMITIVE_REDUCE, &args.head, error.get()), device,
                "sum", error);
  return sum;
}

void print_sum(OpenDevice& device) {
  const float sum = sum_of_ones(device);
  std::cout << "sum " << sum << '\n';
}

void prepare_all(const std::string& name) {
  OpenDevice& device = loader::open(name);
  for (const std::uint32_t primitive :
       {std::uint32_t{TL_PRIMITIVE_MAP}, std::uint32_t{TL_PRIMITIVE_ZIP},
        std::uint32_t{TL_PRIMITIVE_REDUCE}, std::uint32_t{TL_PRIMITIVE_MATMUL},
        std::uint32_t{loader::primitive_optim}})
    device.prepare(primitive);
  std::cout << "prepared " << name << '\n';
}

/// That many threads at a barrier, each first touches the library.
void race(const std::string& name, int threads) {
  std::barrier together(threads);
  std::vector<OpenDevice*> devices(threads);
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      together.arrive_and_wait();
      if (i % 2 == 0) list_candidates();
      devices[i] = &loader::open(name);
      if (sum_of_ones(*devices[i]) != 4) ++wrong;
    });
  for (std::thread& thread : all) thread.join();
  const void* entries = devices[0]->table().extension(devices[0]->handle(), "zoo.entries");
  std::cout << "race: " << std::set<OpenDevice*>(devices.begin(), devices.end()).size() << " device, "
            << *static_cast<const std::uint32_t*>(entries) << " entry, " << wrong << " wrong\n";
}

/// A library's constructor asks for a device that another thread is opening: who holds which lock?
void cross(const std::string& library, const std::string& name) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::cout << "thread opened " + loader::open(name).name() + "\n";
  });
  if (!::dlopen(library.c_str(), RTLD_NOW)) std::cout << "dlopen: " << ::dlerror() << '\n';
  other.join();
}

void print_floating_mode() {
  volatile float one = 1, three = 3;
  const float third = one / three;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &third, sizeof bits);
  std::printf("floating mode: %s, 1/3 is 0x%08x\n",
              std::fegetround() == FE_TONEAREST ? "nearest" : "changed", bits);
}

/// Whether a file is mapped into this process.
void print_mapped(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.size() > file.size() && line.compare(line.size() - file.size(), file.size(), file) == 0) {
      std::cout << "mapped " << file << '\n';
      return;
    }
  std::cout << "not mapped " << file << '\n';
}

void in_child(const std::function<void()>& body) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      body();
    } catch (const Error& error) {
      std::cout << "error: " << error.what() << '\n';
    }
    std::cout.flush();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::cout << "child ended " << (WIFEXITED(status) ? "well" : "by a signal") << '\n';
}

void become_nobody() {
  constexpr unsigned nobody = 65534;
  if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) std::abort();
}

using Arguments = std::vector<std::string>;
struct Command {
  std::size_t arguments;
  std::function<void(const Arguments&)> run;
};

const std::map<std::string, Command>& commands() {
  static const std::map<std::string, Command> all{
      {"candidates", {0, [](const Arguments&) { print_candidates(); }}},
      {"devices", {0, [](const Arguments&) { print_devices(); }}},
      {"details", {1, [](const Arguments& a) { print_details(a[0]); }}},
      {"open", {1, [](const Arguments& a) { std::cout << "opened " + Device(a[0]).name() + "\n"; }}},
      {"default", {0, [](const Arguments&) { std::cout << "default " + Device().name() + "\n"; }}},
      {"choose", {1, [](const Arguments& a) { set_default_device(Device(a[0])); }}},
      {"load", {1, [](const Arguments& a) { std::cout << "loaded " + load_plugin(a[0]) + "\n"; }}},
      {"setenv", {2, [](const Arguments& a) { ::setenv(a[0].c_str(), a[1].c_str(), 1); }}},
      {"prepare", {1, [](const Arguments& a) { prepare_all(a[0]); }}},
      {"sum", {1, [](const Arguments& a) { print_sum(loader::open(a[0])); }}},
      {"race", {2, [](const Arguments& a) { race(a[0], std::stoi(a[1])); }}},
      {"cross", {2, [](const Arguments& a) { cross(a[0], a[1]); }}},
      {"mode", {0, [](const Arguments&) { print_floating_mode(); }}},
      {"mapped", {1, [](const Arguments& a) { print_mapped(a[0]); }}},
      {"global",
       {1,
        [](const Arguments& a) {
          std::cout << a[0]
                    << (::dlsym(RTLD_DEFAULT, a[0].c_str()) ? " is global\n" : " is not global\n");
        }}},
      {"fork",
       {1,
        [](const Arguments& a) {
          in_child([&] {
            OpenDevice& device = loader::open(a[0]);
            device.prepare(0);
            if (device.is_host()) print_sum(device);
            std::cout << "used " << device.name() << '\n';
          });
        }}},
      {"sync",
       {1,
        [](const Arguments& a) {
          synchronize(Device(a[0]));
          std::cout << "synchronized " << a[0] << '\n';
        }}},
      {"nobody", {0, [](const Arguments&) { become_nobody(); }}},
      {"chdir",
       {1,
        [](const Arguments& a) {
          if (::chdir(a[0].c_str()) != 0) std::abort();
        }}},
      {"rmdir",
       {1,
        [](const Arguments& a) {
          if (::rmdir(a[0].c_str()) != 0) std::abort();
        }}},
  };
  return all;
}

}  // namespace

/// For plug-ins and libraries of the zoo: opens a device from inside a constructor.
extern "C" __attribute__((visibility("default"))) int probe_open(const char* name) {
  try {
    std::cout << "inside opened " + torchlight::Device(name).name() + "\n";
    return 0;
  } catch (const torchlight::Error& error) {
    std::cout << std::string("inside error: ") + error.what() + "\n";
    return 1;
  }
}

int main(int count, char** values) {
  const Arguments given(values + 1, values + count);
  for (std::size_t i = 0; i < given.size();) {
    const Command& command = commands().at(given[i++]);
    const Arguments arguments(given.begin() + static_cast<std::ptrdiff_t>(i),
                              given.begin() + static_cast<std::ptrdiff_t>(i + command.arguments));
    i += command.arguments;
    try {
      command.run(arguments);
    } catch (const torchlight::DeviceError& error) {
      std::cout << "error: " << error.what() << '\n';
    }
  }
  std::cout << "end" << std::endl;
  return 0;
}
