#include <torchlight/error.h>
#include <torchlight/threads.h>

#include "support/text.h"
#include "support/thread_pool.h"

namespace torchlight {

int num_threads() { return static_cast<int>(pool::concurrency()); }

void set_num_threads(int count) {
  if (count < 1 || count > static_cast<int>(pool::max_concurrency))
    throw Error(text("set_num_threads: expected 1 to ", pool::max_concurrency, ", got ", count));
  pool::set_concurrency(static_cast<std::uint32_t>(count));
}

}  // namespace torchlight
