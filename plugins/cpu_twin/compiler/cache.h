// What was compiled before, kept on disk: a folder for each key, which comes into being whole or not at all.
//
// Two processes that want the same entry at once: one makes it, the other waits. An entry that was damaged later, or
// never finished, counts as missing. What was not used for longest goes when the cache is full.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace twin {

class Cache {
 public:
  /// In this directory, which is made where it doesn't exist. Where it can't be written, or others can write there,
  /// entries go into a directory of this process's own under the system's temporary one, which remark() then says.
  explicit Cache(std::string directory, uint64_t limit_bytes = uint64_t{1} << 30);
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  /// TORCHLIGHT_TWIN_CACHE, or torchlight/twin in the user's cache directory.
  static std::string default_directory();

  /// The folder of a key. make(folder) fills a fresh one where there is no valid entry; what it throws goes on.
  /// `valid(folder)` may refuse an entry that is whole, because of files elsewhere.
  std::string entry(const std::string& key, const std::function<void(const std::string& folder)>& make,
                    const std::function<bool(const std::string& folder)>& valid = {});

  const std::string& directory() const { return directory_; }
  const std::string& remark() const { return remark_; }
  bool is_temporary() const { return temporary_; }
  uint64_t made() const { return made_; }

 private:
  void use_temporary(const std::string& why);
  void keep_below_limit(const std::string& just_made);

  std::string directory_, remark_;
  uint64_t limit_;
  bool temporary_ = false;
  uint64_t made_ = 0;
};

}  // namespace twin
