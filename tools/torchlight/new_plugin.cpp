// torchlight new-plugin: a template of a plug-in, in C or C++, under a name of the user's.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <torchlight/error.h>

#include "commands.h"
#include "text.h"

namespace command {
namespace {

namespace tl = torchlight;
namespace fs = std::filesystem;

constexpr std::string_view template_name = "my_backend";

/// They lie beside the program's data.
fs::path template_folder(const std::string& language) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
                          "share/torchlight" / (language == "c" ? "template" : "template_cxx");
  if (!fs::is_directory(folder))
    throw std::runtime_error("the template isn't there: " + folder.string() +
                             "; install Torchlight anew");
  return folder;
}

/// A name that a device, a file and a C identifier can have.
void require_name(const std::string& name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name.size() > 31 || !is_letter(name[0]) || !std::ranges::all_of(name, fits))
    throw BadInput(
        "\"" + tl::printable(name) +
        "\" is no name for a plug-in: lower-case letters, digits and _, a letter first, at most 31");
  for (const char* taken : {"cpu", "cpu_simd", "cpu_twin", "cuda"})
    if (name == taken) throw BadInput("the name " + name + " is taken by Torchlight's own");
}

std::string renamed(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(template_name, at)) != std::string::npos; at += name.size())
    text.replace(at, template_name.size(), name);
  return text;
}

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

int new_plugin(Output& out, const NewPluginOptions& options) {
  require_name(options.name);
  const fs::path folder = options.folder.empty() ? options.name : options.folder;
  if (fs::exists(folder))
    throw BadInput(tl::printable(folder.string()) + " is there already; choose another --out");
  const fs::path from = template_folder(options.language);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw BadInput("can't make " + tl::printable(folder.string()) + ": " + error.message());
  for (const fs::directory_entry& file : fs::directory_iterator(from)) {
    std::ofstream copy(folder / renamed(file.path().filename().string(), options.name));
    copy << renamed(content_of(file.path()), options.name);
    if (!copy.flush()) throw BadInput("can't write into " + tl::printable(folder.string()));
  }
  const std::string shown = folder.string();
  out.line("made " + shown + "; now");
  out.line("  cmake -S " + shown + " -B " + shown + "/build && cmake --build " + shown + "/build");
  out.line("  torchlight verify " + shown + "/build/" + options.name + ".so");
  out.line("  TORCHLIGHT_PLUGIN_PATH=$PWD/" + shown + "/build TORCHLIGHT_DEVICE=" + options.name +
           " torchlight train breast-cancer --epochs 5");
  return done;
}

}  // namespace command
