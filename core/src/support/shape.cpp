#include <torchlight/error.h>
#include <torchlight/shape.h>

#include <algorithm>

#include "support/text.h"

namespace torchlight {
namespace {

void check_rank(std::uint64_t rank) {
  if (rank > Shape::max_rank) throw Error(text("shape: at most 8 dims, got ", rank));
}

void check_position(const Shape& shape, int at, int last) {
  if (at < 0 || at > last) throw Error(text("shape: no position ", at, " in ", shape.str()));
}

}  // namespace

Shape::Shape(const std::int64_t* values, std::size_t count) {
  check_rank(count);
  rank_ = static_cast<std::int32_t>(count);
  std::copy_n(values, count, values_);
}

Shape Shape::filled(int rank, std::int64_t value) {
  if (rank < 0) throw Error(text("shape: the number of dims is negative: ", rank));
  check_rank(static_cast<std::uint64_t>(rank));
  Shape shape;
  shape.rank_ = rank;
  std::fill_n(shape.values_, rank, value);
  return shape;
}

void Shape::refuse(int i) const {
  throw Error(text("shape ", str(), " has no entry ", i, ": it has ", rank_,
                   ", and negative ones count from the end"));
}

void Shape::push_back(std::int64_t value) { insert(rank_, value); }

void Shape::insert(int at, std::int64_t value) {
  check_position(*this, at, rank_);
  check_rank(static_cast<std::uint64_t>(rank_) + 1);
  std::copy_backward(values_ + at, values_ + rank_, values_ + rank_ + 1);
  values_[at] = value;
  ++rank_;
}

void Shape::erase(int at) {
  check_position(*this, at, rank_ - 1);
  std::copy(values_ + at + 1, values_ + rank_, values_ + at);
  --rank_;
}

std::int64_t Shape::numel() const {
  // Zeros are left out of the product that must fit: strides are products of the same numbers.
  std::int64_t product = 1;
  bool nothing = false, too_many = false;
  for (const std::int64_t extent : *this) {
    if (extent < 0) throw Error(text("shape ", str(), ": negative extent ", extent));
    if (extent == 0)
      nothing = true;
    else if (!too_many)
      too_many = __builtin_mul_overflow(product, extent, &product);
  }
  if (too_many)
    throw Error(text("shape ", str(),
                     nothing
                         ? ": no elements, but its other extents multiply to more than an int64 holds"
                         : ": more elements than an int64 can count"));
  return nothing ? 0 : product;
}

std::string Shape::str() const {
  std::string out = "(";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(values_[i]);
  }
  return out + (rank_ == 1 ? ",)" : ")");
}

}  // namespace torchlight
