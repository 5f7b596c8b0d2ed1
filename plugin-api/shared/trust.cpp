#include "shared/trust.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace torchlight {
namespace {

constexpr const char* remedy = "; TORCHLIGHT_TRUST_ALL=1 accepts it";
constexpr const char* remedy_of_mode = "; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it";

bool accepted(uid_t owner, const Owners& owners) {
  return owner == 0 || owner == owners.user || owner == owners.core;
}

bool others_can_write(const struct stat& status) {
  const bool own_group = status.st_gid == 0 || status.st_gid == status.st_uid;
  return (status.st_mode & S_IWOTH) != 0 || ((status.st_mode & S_IWGRP) != 0 && !own_group);
}

std::optional<std::string> distrust_one(const std::string& path, const Owners& owners, bool is_file) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return path + " can't be examined: " + std::strerror(errno);
  if (!accepted(status.st_uid, owners))
    return (is_file ? "it" : path) + " belongs to user " + std::to_string(status.st_uid) +
           ", neither root nor you nor the core's owner" + remedy;
  if (!others_can_write(status)) return {};
  if (is_file) return std::string("others can write it") + remedy_of_mode;
  if ((status.st_mode & S_ISVTX) != 0) return {};
  return "others can replace it, since they can write the directory " + path + remedy_of_mode;
}

/// For the directories that a path without links lies in.
std::optional<std::string> distrust_place(const std::string& path, const Owners& owners) {
  std::filesystem::path directory = path;
  do {
    directory = directory.parent_path();
    if (auto reason = distrust_one(directory.string(), owners, false)) return reason;
  } while (directory.has_relative_path());
  return {};
}

}  // namespace

std::optional<std::string> distrust(const std::string& path, const Owners& owners) {
  if (auto reason = distrust_one(path, owners, true)) return reason;
  return distrust_place(path, owners);
}

std::optional<std::string> distrust_links(std::string path, const Owners& owners) {
  constexpr int most = 40;  // as many as the system follows
  for (int hop = 0; hop < most; ++hop) {
    const std::filesystem::path given(path), place = canonical(given.parent_path()) / given.filename();
    if (!is_symlink(place)) return {};
    if (auto reason = distrust_place(place.string(), owners)) return reason;
    path = (place.parent_path() / read_symlink(place)).string();
  }
  return {};
}

}  // namespace torchlight
