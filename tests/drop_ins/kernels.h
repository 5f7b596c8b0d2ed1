#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "../support/scratch.h"
#include "drop_ins.h"

namespace test {

namespace drop_ins = torchlight::drop_ins;
using drop_ins::DropIns;
using drop_ins::Listed;

/// A directory of kernels, filled with stand-ins.
class Kernels {
 public:
  /// `behaviour` is what STAND_IN says: see stand_in.cpp.
  explicit Kernels(const std::string& behaviour = "") { behave(behaviour); }
  ~Kernels() { ::unsetenv("STAND_IN"); }

  static void behave(const std::string& words) { ::setenv("STAND_IN", words.c_str(), 1); }

  /// "softmax_tutorial", "softmax_kernel.so"; the whole path.
  std::string put(const std::string& stand_in, const std::string& name) const {
    std::filesystem::copy_file(std::string(STAND_INS "/") + stand_in + ".so", path(name),
                               std::filesystem::copy_options::overwrite_existing);
    return path(name);
  }
  std::string path(const std::string& name) const { return scratch_.file(name); }
  std::string write(const std::string& name, const std::string& content) const {
    return scratch_.write(name, content);
  }

  drop_ins::Options options() const {
    drop_ins::Options options;
    options.directories = scratch_.file("");
    options.directories.pop_back();  // the slash
    options.helper = DROP_IN_HOST;
    options.limits = {60, 20, 300, 60};
    return options;
  }

 private:
  torchlight::test::Scratch scratch_;
};

/// A stand-in and how it behaves.
struct Variant {
  const char* stand_in;
  const char* behaviour;
};

/// Drop-ins that a file's tests share, each probed once.
class Probed {
 public:
  explicit Probed(std::string name) : name_(std::move(name)) {}
  DropIns& get(const std::string& stand_in, const std::string& behaviour) {
    std::unique_ptr<One>& one = ones_[stand_in + " " + behaviour];
    if (!one) {
      one = std::make_unique<One>(behaviour, stand_in, name_);
      one->drop_ins.list();  // while STAND_IN says it
    }
    return one->drop_ins;
  }

 private:
  struct One {
    One(const std::string& behaviour, const std::string& stand_in, const std::string& name)
        : kernels(behaviour), file(kernels.put(stand_in, name)), drop_ins(kernels.options()) {}
    Kernels kernels;
    std::string file;
    DropIns drop_ins;
  };
  std::string name_;
  std::map<std::string, std::unique_ptr<One>> ones_;
};

/// Of the one file that there is: why it is refused, or "".
inline std::string refusal(const drop_ins::Options& options) {
  const drop_ins::Listing listing = DropIns(options).list();
  return listing.files.size() == 1 ? listing.files[0].reason
                                   : std::to_string(listing.files.size()) + " files";
}

/// What the listing tells of a primitive: "used: …", "not used: …".
inline std::string route(const drop_ins::Listing& listing, const std::string& primitive) {
  for (const Listed& file : listing.files)
    for (const Listed::Route& route : file.routes)
      if (route.primitive == primitive) return (route.used ? "used: " : "not used: ") + route.details;
  return "nothing";
}

}  // namespace test
