#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "find.h"
#include "helper_process.h"
#include "job.h"

namespace torchlight::drop_ins {

/// One drop-in file: probed at first use, then called through its helper. Any thread.
///
/// A call that fails in any way ends the helper. The next call starts another one; when that fails,
/// too, the file isn't used any more. A call between them that succeeds makes the first good; one for
/// which there is no memory counts as neither.
class Service {
 public:
  Service(FoundFile file, const Options& options);

  const FoundFile& file() const { return file_; }
  /// Why nothing of it can be used, or nothing. Probes it if nobody did.
  std::string refusal();
  /// Whether refusal() would answer at once.
  bool is_probed();
  /// Of an op. REQUIRES: refusal() was asked.
  const Form& form(Op op) const { return description_.forms[static_cast<int>(op)]; }
  /// Does a job. TL_OK, or TL_E_INTERNAL or TL_E_MEMORY with what happened, beginning with the file's
  /// path.
  std::int32_t run(const Job& job, std::string& error);
  /// Of a file that was used, and isn't any more: why.
  std::string why_given_up();

 private:
  void probe();
  void examine();
  std::string start(bool known, Description* description);
  std::string attempt(const Job& job, const Layout& layout);
  std::string count_failure(const std::string& problem);
  bool make_room(std::size_t bytes);

  const FoundFile file_;
  const Limits& limits() const { return file_.is_source ? options_.source_limits : options_.limits; }

  const Options& options_;
  const pid_t owner_;
  std::mutex mutex_;
  bool probed_ = false;
  int failures_ = 0;  ///< in a row
  bool given_up_ = false;
  std::string refusal_;
  std::string library_;  ///< the shared object: the file, or what its source was compiled to
  Description description_;
  std::unique_ptr<HelperProcess> helper_;
  Region region_;
  bool helper_has_region_ = false;
};

}  // namespace torchlight::drop_ins
