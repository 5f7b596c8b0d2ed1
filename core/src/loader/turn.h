#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace torchlight::loader {

/// One caller at a time, but not a lock: nothing else waits for it, a wait ends with an error rather than
/// never, and a forked child knows that whoever had the turn is gone. The functions of a plug-in that
/// allow one caller only are called in one's turn; they may take long and call back into the library.
/// REQUIRES: the thread doesn't hold it already.
class Turn {
 public:
  explicit Turn(std::chrono::milliseconds patience = std::chrono::minutes(2)) : patience_(patience) {}

  /// Holds the turn while it lives. `who` begins the message when waiting fails.
  class Hold {
   public:
    Hold(Turn& turn, const std::string& who) : turn_(turn) { turn_.take(who); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { turn_.give_back(); }

   private:
    Turn& turn_;
  };

 private:
  void take(const std::string& who);
  bool try_take(const std::string& who);
  void give_back();

  std::chrono::milliseconds patience_;
  bool taken_ = false;
  std::uint32_t generation_ = 0;
};

}  // namespace torchlight::loader
