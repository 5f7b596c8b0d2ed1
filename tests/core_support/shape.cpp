#include <doctest/doctest.h>
#include <torchlight/error.h>
#include <torchlight/shape.h>

#include <algorithm>
#include <limits>
#include <string>

using torchlight::Error;
using torchlight::Shape;

namespace {

constexpr std::int64_t two_to_62 = std::int64_t{1} << 62;

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("shape: prints like a tuple") {
  CHECK(Shape{}.str() == "()");
  CHECK(Shape{4}.str() == "(4,)");
  CHECK(Shape{2, 3}.str() == "(2, 3)");
  CHECK(Shape{-1, 0, std::numeric_limits<std::int64_t>::min()}.str() ==
        "(-1, 0, -9223372036854775808)");
}

TEST_CASE("shape: the number of elements") {
  CHECK(Shape{}.numel() == 1);
  CHECK(Shape{2, 3, 4}.numel() == 24);
  CHECK(Shape{5, 0, 7}.numel() == 0);
  CHECK(Shape{std::numeric_limits<std::int64_t>::max()}.numel() ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(Shape{two_to_62 - 1, 2}.numel() == 2 * (two_to_62 - 1));
}

TEST_CASE("A11: a number of elements that int64 can't hold is an error, never a wrap") {
  for (const Shape& shape : {Shape{65536, 65536, 65536, 65536}, Shape{two_to_62, 2},
                             Shape{std::int64_t{1} << 40, std::int64_t{1} << 40},
                             Shape{0, two_to_62, 4}, Shape{two_to_62, 4, 0}}) {
    const std::string error = error_of([&] { static_cast<void>(shape.numel()); });
    CAPTURE(error);
    CHECK(contains(error, shape.str()));
    CHECK(contains(error, "int64"));
    const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    CHECK(contains(error, is_empty ? "no elements" : "more elements"));
  }
  CHECK(error_of([] {
          static_cast<void>(Shape{std::int64_t{1} << 31, std::int64_t{1} << 31}.numel());
        }) == "no error");
}

TEST_CASE("A11: a negative extent is an error that names it") {
  CHECK(contains(error_of([] { static_cast<void>(Shape{2, -1}.numel()); }), "negative extent -1"));
  CHECK(contains(error_of([] { static_cast<void>(Shape{0, -1}.numel()); }), "negative extent -1"));
}

TEST_CASE("shape: eight dims are the limit, however it is made") {
  CHECK(Shape::filled(8, 1).rank() == 8);
  CHECK(contains(error_of([] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }), "at most 8 dims, got 9"));
  CHECK(contains(error_of([] { Shape(std::vector<std::int64_t>(1000)); }), "got 1000"));
  CHECK(contains(error_of([] { Shape::filled(9, 1); }), "got 9"));
  CHECK(contains(error_of([] { Shape::filled(-1, 1); }), "negative"));
  Shape full = Shape::filled(8, 1);
  CHECK(contains(error_of([&] { full.push_back(1); }), "got 9"));
  CHECK(full == Shape::filled(8, 1));
}

TEST_CASE("shape: entries are added and taken away in place") {
  Shape shape{2, 4};
  shape.insert(1, 3);
  shape.push_back(5);
  shape.insert(0, 1);
  CHECK(shape == Shape{1, 2, 3, 4, 5});
  shape.erase(0);
  shape.erase(3);
  CHECK(shape == Shape{2, 3, 4});
  CHECK(shape != Shape{2, 3});
  CHECK(contains(error_of([&] { shape.erase(3); }), "no position 3 in (2, 3, 4)"));
  CHECK(contains(error_of([&] { shape.insert(-1, 0); }), "no position -1"));
  CHECK(contains(error_of([&] { shape.insert(4, 0); }), "no position 4"));
}

TEST_CASE("shape: entries count from both ends, and there are no others") {
  Shape shape{2, 3, 4};
  CHECK(shape[-1] == 4);
  CHECK(shape[-3] == 2);
  CHECK(shape.back() == 4);
  shape[-2] = 7;
  CHECK(shape == Shape{2, 7, 4});
  CHECK(contains(error_of([&] { shape[3]; }), "(2, 7, 4) has no entry 3"));
  CHECK(contains(error_of([&] { shape[-4]; }), "no entry -4"));
  CHECK(contains(error_of([&] { Shape().back(); }), "() has no entry -1"));
  static_assert(!std::is_constructible_v<Shape, bool>);
}
