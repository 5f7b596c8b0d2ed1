#include "loader/discovery.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "crafted_elf.h"

using namespace torchlight::loader;
using torchlight::Candidate;
namespace fs = std::filesystem;

namespace {

class Fixture {
 public:
  Fixture() {
    std::string pattern = (fs::temp_directory_path() / "torchlight-discovery-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = fs::canonical(pattern).string();
    rules.owners = {::geteuid(), ::geteuid()};
  }
  ~Fixture() { fs::remove_all(root); }

  void put(const std::string& where, const std::string& name) {
    fs::create_directories(fs::path(root + "/" + where).parent_path());
    std::ofstream(root + "/" + where, std::ios::binary) << test::crafted_elf(test::make_note(name));
  }
  std::vector<Found> find(const std::vector<Place>& places) const {
    return discover(places, rules).files;
  }

  std::string root;
  Rules rules;
};

}  // namespace

TEST_CASE("discovery: cpu_simd from anywhere is cpu where none is shipped, and only there") {
  Fixture f;
  f.put("mine/cpu_simd.so", "cpu_simd");
  f.put("shipped/cpu_simd.so", "cpu_simd");
  f.put("installed/cpu_simd.so", "cpu_simd");
  const Place mine{f.root + "/mine", Origin::plugin_path};
  const Place shipped{f.root + "/shipped", Origin::beside_core};
  const Place installed{f.root + "/installed", Origin::installed};

  const auto alone = f.find({mine});
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].usable());
  CHECK(public_name(alone[0].identity.name) == "cpu");

  const auto all = f.find({mine, shipped, installed});
  REQUIRE(all.size() == 3);
  CHECK(all[0].candidate.state == Candidate::State::rejected);
  CHECK(all[0].candidate.reason ==
        "the name cpu_simd is reserved for the shipped plug-in, " + f.root + "/shipped/cpu_simd.so");
  CHECK(all[1].usable());
  CHECK(all[2].candidate.state == Candidate::State::duplicate);
}

TEST_CASE("discovery: a shipped file that is reached by another path first is still shipped") {
  Fixture f;
  f.put("shipped/cpu_simd.so", "cpu_simd");
  fs::create_directory(f.root + "/links");
  fs::create_symlink(f.root + "/shipped/cpu_simd.so", f.root + "/links/cpu_simd.so");
  const Place shipped{f.root + "/shipped", Origin::beside_core};
  for (const char* other : {"/shipped", "/links", "/shipped/cpu_simd.so"}) {
    CAPTURE(other);
    const auto found = f.find({{f.root + other, Origin::plugin_path}, shipped});
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].usable());
    CHECK(is_shipped(found[0].origin));
  }
}

TEST_CASE("discovery: places are reported with what is wrong with them") {
  Fixture f;
  f.put("good/a.so", "a");
  const Discovery found = discover({{f.root + "/good", Origin::plugin_path},
                                    {f.root + "/missing", Origin::beside_core},
                                    {"somewhere", Origin::kernel_dir}},
                                   f.rules);
  REQUIRE(found.places.size() == 3);
  CHECK(found.places[0].problem.empty());
  CHECK(found.places[1].problem == "No such file or directory");
  CHECK(found.places[2].problem == "a relative path: write it from / on");
  CHECK(found.files.size() == 1);
}

TEST_CASE("discovery: a list is split at colons, and empty entries are none") {
  const auto places = split_list("/a::/b:", Origin::plugin_path);
  REQUIRE(places.size() == 2);
  CHECK(places[0].path == "/a");
  CHECK(places[1].path == "/b");
  CHECK(split_list("", Origin::plugin_path).empty());
  CHECK(split_list(":", Origin::plugin_path).empty());
}
