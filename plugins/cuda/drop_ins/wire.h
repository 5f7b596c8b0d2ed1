#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "call.h"
#include "form.h"

/// What the plug-in and its helper say to each other, over a pair of SOCK_SEQPACKET sockets: one
/// struct, one message. The plug-in takes nothing on trust that comes back, for the helper runs foreign
/// code.
///
///   Start -> Description | then for each call: Request (with the region, when it is another one) -> Answer
namespace torchlight::drop_ins {

inline constexpr int helper_socket = 3;  // the helper's descriptor

struct Limits {
  double load_seconds = 60;    ///< for the first step of a probe: a GPU may have to wake up
  double step_seconds = 10;    ///< for each other step of it
  double probe_seconds = 120;  ///< for all of it
  double call_seconds = 120;
};

struct Start {
  static constexpr std::uint32_t magic_value = 0x544c4431;
  std::uint32_t magic = magic_value;
  Family family = Family::softmax;
  std::uint32_t known = 0;  ///< the description is known: serve
  std::uint32_t reserved = 0;
  Limits limits;
  Description description;
  char path[4096] = "";
};

struct Request {
  std::uint64_t number = 0;
  std::uint64_t region_bytes = 0;  ///< not 0: a new region comes with it
  Call call;
};

struct Answer {
  std::uint64_t number = 0;
  std::uint32_t failed = 0;
  char text[500] = "";
};

/// Copies as much as fits, closed.
template <std::size_t n> void put_text(char (&to)[n], const std::string& text) {
  to[text.copy(to, n - 1)] = 0;
}

/// Never waits, never raises SIGPIPE.
bool send_bytes(int socket, const void* bytes, std::size_t count, int descriptor = -1);
template <class T> bool send(int socket, const T& message, int descriptor = -1) {
  return send_bytes(socket, &message, sizeof message, descriptor);
}
enum class Received { message, other_message, end };
/// One message of exactly this size; a descriptor that comes with it goes to `descriptor`, or is closed.
Received receive_bytes(int socket, void* bytes, std::size_t count, int* descriptor = nullptr);
template <class T> Received receive(int socket, T& message, int* descriptor = nullptr) {
  return receive_bytes(socket, &message, sizeof message, descriptor);
}

/// Memory that both processes see. Neither can make it smaller under the other's feet.
class Region {
 public:
  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  /// Makes a new one. False without memory.
  bool create(std::size_t bytes);
  /// Maps one that was sent; takes over the descriptor.
  bool adopt(int descriptor, std::size_t bytes);

  float* floats() const { return static_cast<float*>(memory_); }
  std::size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  bool map();
  void clear();
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace torchlight::drop_ins
