#pragma once

#include <sys/stat.h>

#include <string_view>

namespace torchlight {

/// What a file is that has no content of its own or would be waited for; empty for a regular file.
inline std::string_view special_kind(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return "";
    case S_IFDIR: return "a directory";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFBLK:
    case S_IFCHR: return "a device file";
    default: return "something special";
  }
}

}  // namespace torchlight
