#include "compiler/digest.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "error.h"

namespace twin {
namespace {

uint64_t mixed(uint64_t a, uint64_t b) {
  const __uint128_t product = static_cast<__uint128_t>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

Digest& Digest::add(std::string_view piece) {
  const auto take = [&](uint64_t word) {
    low_ = mixed(low_ ^ word, 0x9e3779b97f4a7c15ULL) + high_;
    high_ = mixed(high_ ^ word, 0xc2b2ae3d27d4eb4fULL) ^ (low_ >> 29);
  };
  take(piece.size());
  while (!piece.empty()) {
    uint64_t word = 0;
    const size_t bytes = piece.size() < 8 ? piece.size() : 8;
    std::memcpy(&word, piece.data(), bytes);
    take(word);
    piece.remove_prefix(bytes);
  }
  return *this;
}

std::string Digest::text() const {
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx",
                static_cast<unsigned long long>(mixed(low_ ^ high_, 0x9e3779b97f4a7c15ULL)),
                static_cast<unsigned long long>(mixed(high_, low_ | 1)));
  return digits;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw CompileError("can't read " + path + ": " + std::strerror(errno));
  return text;
}

std::string file_digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Digest().add(text).text();
}

}  // namespace twin
