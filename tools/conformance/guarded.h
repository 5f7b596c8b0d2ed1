#pragma once

#include <cstddef>
#include <span>
#include <string>

/// Memory between guard pages.
namespace torchlight::test {

/// Where in its pages a buffer stands: flush with the guard page behind it (only aligned to its dtype)
/// or with the one before it (aligned to a page).
enum class Placement { at_end, at_begin };

/// Pages between two inaccessible ones. A buffer of `bytes` stands flush with one guard, canaries lie
/// on its other side: whoever reads or writes beyond the guard dies, whoever writes within the
/// canaries is found by `intact`.
class GuardedPages {
 public:
  explicit GuardedPages(const char* owner) : owner_(owner) {}
  ~GuardedPages() { release(); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  /// Forgets the buffer before it. The contents are unspecified. `shift` keeps so many bytes free at
  /// the guard (canaries then stand on both sides), to try other alignments.
  std::span<std::byte> place(std::size_t bytes, Placement placement, std::size_t shift = 0);
  bool intact() const;

  /// The line to print if `address` is in one of the guards around any object: "input: 12 bytes
  /// behind its end"; empty if it isn't.
  static std::string describe_fault(const void* address);

 private:
  void reserve(std::size_t bytes);
  void release();

  const char* owner_;           ///< the operand's name
  std::byte* pages_ = nullptr;  ///< without the guards
  std::size_t capacity_ = 0;
  std::span<std::byte> buffer_;
};

/// From now on a crash of this process prints `current_activity()` and the operand whose guard was hit
/// and exits with status 3.
void report_crashes();
/// What a crash report says was going on; the text is copied.
void set_current_activity(const std::string& text);
/// Keeps that text there from now on, closed by a 0, where another process may see it, too.
void keep_activity_in(std::span<char> memory);

}  // namespace torchlight::test
