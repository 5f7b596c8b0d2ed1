#include "loader/trust.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace torchlight::loader;
namespace fs = std::filesystem;

namespace {

/// A file in a directory of its own, both of this process's user.
class Fixture {
 public:
  Fixture() {
    std::string pattern = (fs::temp_directory_path() / "torchlight-trust-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    directory = fs::canonical(pattern).string();
    file = directory + "/plugin.so";
    std::ofstream(file) << "x";
    mode(directory, 0755);
    mode(file, 0644);
  }
  ~Fixture() { fs::remove_all(directory); }
  static void mode(const std::string& path, mode_t bits) { REQUIRE(::chmod(path.c_str(), bits) == 0); }

  std::string directory, file;
  Owners mine{::geteuid(), ::geteuid()};
};

}  // namespace

TEST_CASE("S02: one's own file in one's own directory is fine, also below a sticky one") {
  const Fixture f;  // the temporary directory is one that all can write
  CHECK_FALSE(distrust(f.file, f.mine).has_value());
}

TEST_CASE("S02: a file or directory that others can write is refused") {
  Fixture f;
  f.mode(f.file, 0646);
  CHECK(distrust(f.file, f.mine).value() ==
        "others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
  f.mode(f.file, 0644);
  f.mode(f.directory, 0777);
  CHECK(distrust(f.file, f.mine).value() ==
        "others can replace it, since they can write the directory " + f.directory +
            "; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
  f.mode(f.directory, 01777);
  CHECK_FALSE(distrust(f.file, f.mine).has_value());
}

TEST_CASE("S02: a link counts where it lies, also one on the way") {
  Fixture f;
  const std::string open = f.directory + "/open", link = open + "/link.so";
  fs::create_directory(open);
  fs::create_symlink(f.file, link);
  fs::create_symlink("open/link.so", f.directory + "/first.so");
  for (const std::string& path : {link, f.directory + "/first.so"}) {
    f.mode(open, 0755);
    CHECK_FALSE(distrust_links(path, f.mine).has_value());
    f.mode(open, 0777);
    CHECK(distrust_links(path, f.mine).value().find("others can replace it") == 0);
  }
  CHECK_FALSE(distrust_links(f.file, f.mine).has_value());
}

TEST_CASE("S02: a directory further up counts as much") {
  Fixture f;
  const std::string inner = f.directory + "/inner";
  REQUIRE(fs::create_directory(inner));
  f.mode(inner, 0755);
  std::ofstream(inner + "/plugin.so") << "x";
  f.mode(f.directory, 0777);
  CHECK(distrust(inner + "/plugin.so", f.mine).has_value());
}

TEST_CASE("S02: files of anybody but root, the user and the core's owner are refused") {
  Fixture f;
  const uid_t me = ::geteuid(), somebody = 12345;
  if (me == 0) {  // root's own are always fine, so the file changes hands
    REQUIRE(::chown(f.directory.c_str(), somebody, somebody) == 0);
    REQUIRE(::chown(f.file.c_str(), somebody, somebody) == 0);
  }
  const uid_t owner = me == 0 ? somebody : me;
  CHECK(distrust(f.file, {owner + 1, owner + 2}).value() ==
        "it belongs to user " + std::to_string(owner) +
            ", neither root nor you nor the core's owner; TORCHLIGHT_TRUST_ALL=1 accepts it");
  CHECK_FALSE(distrust(f.file, {owner, owner + 2}).has_value());
  CHECK_FALSE(distrust(f.file, {owner + 1, owner}).has_value());
}

TEST_CASE("S02: a group that isn't the owner's own counts as others") {
  Fixture f;
  struct stat status {};
  REQUIRE(::stat(f.file.c_str(), &status) == 0);
  f.mode(f.file, 0664);
  const bool own_group = status.st_gid == 0 || status.st_gid == status.st_uid;
  CHECK(distrust(f.file, f.mine).has_value() == !own_group);
  if (::geteuid() == 0) {
    REQUIRE(::chown(f.file.c_str(), 0, 12345) == 0);
    f.mode(f.file, 0664);
    CHECK(distrust(f.file, f.mine).has_value());
  }
}
