#pragma once

#include <zlib.h>

#include "support/scratch.h"

namespace torchlight::test {

inline std::string gzipped(const std::string& content) {
  const Scratch scratch;
  const gzFile file = gzopen(scratch.file("a.gz").c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return read_file(scratch.file("a.gz"));
}

}  // namespace torchlight::test
