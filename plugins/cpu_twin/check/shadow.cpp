#include "check/shadow.h"

#include <sys/mman.h>

#include <new>

namespace twin {

Shadow::Shadow(uint64_t bytes) : bytes_(bytes) {
  const uint64_t rows = bytes / (4 * row_words) + 2;
  mapped_ = rows * (sizeof(Row) + row_words * sizeof(Cell));
  void* place = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  rows_ = static_cast<Row*>(place);
  cells_ = reinterpret_cast<Cell*>(rows_ + rows);
}

Shadow::~Shadow() { munmap(rows_, mapped_); }

/// Gives the cells of a row what is known of it.
void Shadow::spread(uint64_t row, uint32_t stamp) {
  Row& from = rows_[row];
  const bool known = from.stamp == stamp;  // else the cells are of launches before, as their stamps say
  from.stamp = stamp & 0xFFFFFFF;
  from.spread = 1;
  if (!known) return;
  for (uint32_t k = 0; k < row_words; ++k) {
    Cell cell;
    static_cast<Accesses&>(cell) = from;
    for (Access* access : {&cell.write, &cell.read, &cell.other_read})
      if (access->thread) access->thread = (access->thread + k) & 0x7FF;
    cell.stamp = stamp & 0xFFFFFFF;
    cells_[row * row_words + k] = cell;
  }
}

}  // namespace twin
