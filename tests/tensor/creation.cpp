#include "values.h"

TEST_CASE("tensor: nested lists, vectors and numbers, with the dtype of their values") {
  check_exact(tl::tensor({{1, 2}, {3, 4}}), {2, 2}, {1, 2, 3, 4});
  CHECK(tl::tensor({{1, 2}, {3, 4}}).dtype() == tl::int64);
  CHECK(tl::tensor({1.5, 2}).dtype() == tl::float32);
  CHECK(tl::tensor({true, false}).dtype() == tl::boolean);
  CHECK(tl::tensor(3.0).shape() == tl::Shape());
  CHECK(tl::tensor(std::vector<double>{1, 2}).dtype() == tl::float64);
  CHECK(tl::tensor(std::vector<std::uint8_t>{1, 255}).dtype() == tl::uint8);
  check_exact(tl::tensor(std::vector<bool>{true, false}), 2, {1, 0});
  CHECK(tl::tensor({std::int64_t{9007199254740993}}).item<std::int64_t>() == 9007199254740993);
  check_exact(tl::tensor({{{1}, {2}}, {{3}, {4}}}), {2, 2, 1}, {1, 2, 3, 4});
  check_exact(tl::tensor({{1, 2}}, {.dtype = tl::float64}), {1, 2}, {1, 2});
}

TEST_CASE("tensor: ragged lists raise") {
  CHECK_RAISES(tl::tensor({{1, 2}, {3}}), "ragged", "2", "1");
  CHECK_RAISES(tl::tensor({{1, 2}, 3}), "ragged");
  CHECK_RAISES(tl::tensor({1, {2, 3}}), "ragged");
  CHECK_RAISES(tl::tensor({{{1}, {2}}, {{3}, {4, 5}}}), "ragged");
}

TEST_CASE("factories: shapes, dtypes and values") {
  check_exact(tl::zeros({2, 2}), {2, 2}, {0, 0, 0, 0});
  check_exact(tl::ones(3, {.dtype = tl::int64}), 3, {1, 1, 1});
  check_exact(tl::full({}, 2.5), {}, {2.5});
  check_exact(tl::full(2, 1.5, {.dtype = tl::bfloat16}), 2, {1.5, 1.5});
  CHECK(tl::empty({2, 3}).shape() == tl::Shape{2, 3});
  check_exact(tl::arange(3), 3, {0, 1, 2});
  CHECK(tl::arange(3).dtype() == tl::int64);
  check_values(tl::arange(0, 1, 0.25), 4, {0, .25, .5, .75});
  check_exact(tl::arange(3, 0, -1), 3, {3, 2, 1});
  check_exact(tl::arange(3, 0), 0, {});
  CHECK_RAISES(tl::arange(0, 1, 0), "arange", "0");
  check_values(tl::linspace(-1, 1, 5), 5, {-1, -.5, 0, .5, 1});
  check_exact(tl::linspace(2, 9, 1), 1, {2});
  check_exact(tl::eye(2, 3), {2, 3}, {1, 0, 0, 0, 1, 0});
  const tl::Tensor like = tl::zeros({1, 2}, {.dtype = tl::float64});
  CHECK(tl::ones_like(like).dtype() == tl::float64);
  check_exact(tl::full_like(like, 4, {.dtype = tl::int64}), {1, 2}, {4, 4});
  CHECK(tl::zeros(2, {.requires_grad = true}).requires_grad());
  CHECK_RAISES(tl::zeros(2, {.dtype = tl::int64, .requires_grad = true}), "requires_grad", "int64");
  CHECK_RAISES(tl::zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}), "8");
}

TEST_CASE("factories: a number that the dtype can't hold raises") {
  const tl::Options whole{.dtype = tl::int64}, byte{.dtype = tl::uint8};
  CHECK_RAISES(tl::full(2, 1e300, whole), "full", "int64", "1e+300");
  CHECK_RAISES(tl::full(2, nan_value, whole), "full", "int64", "nan");
  CHECK_RAISES(tl::full(2, -1, byte), "full", "uint8", "-1");
  CHECK_RAISES(tl::full(2, 0x1p31, {.dtype = tl::int32}), "full", "int32");
  CHECK_RAISES(tl::full(2, 0.5, whole), "full", "int64", "0.5", "round");
  CHECK_RAISES(tl::zeros(2).to(tl::int64).fill_(0.5), "fill_", "int64", "0.5");
  for (const tl::Dtype dtype : {tl::float32, tl::float16, tl::bfloat16}) {
    CHECK_RAISES(tl::full(2, -1e300, {.dtype = dtype}), "full");
    CHECK_RAISES(tl::full(2, -1e300, {.dtype = dtype}), std::string(tl::name_of(dtype)));
    CHECK(tl::full({}, inf, {.dtype = dtype}).item<float>() == inf);
  }
  CHECK_RAISES(tl::full(2, 65520, {.dtype = tl::float16}), "full", "float16", "65520");
  check_exact(tl::full({}, 65519, {.dtype = tl::float16}).to(tl::float32), {}, {65504});
  CHECK_RAISES(tl::zeros(2).fill_(1e39), "fill_", "float32", "1e+39");
  CHECK_RAISES(tl::tensor({1.5, 1e300}, whole), "tensor", "int64", "1e+300");
  CHECK_RAISES(tl::tensor({1, 256}, byte), "tensor", "uint8", "256");
  CHECK_RAISES(tl::tensor({UINT64_MAX}), "tensor", "18446744073709551615");
  CHECK_RAISES(tl::arange(0, 600, 200, byte), "arange", "uint8", "400");
  CHECK_RAISES(tl::arange(1e300, 1.1e300, 1e299), "arange", "int64");
  CHECK_RAISES(tl::linspace(0, 1e30, 3, whole), "linspace", "int64");
  CHECK_RAISES(tl::rand(2, whole), "rand", "int64");
  CHECK_RAISES(tl::randn_like(tl::tensor({true})), "randn", "bool");
  CHECK_RAISES(tl::randint(0, 300, 2, byte), "randint", "uint8", "299");
  CHECK_RAISES(tl::uniform(2, -1.7e308, 1.7e308), "uniform", "finite");
  CHECK_RAISES(tl::normal(2, nan_value, 1), "normal", "nan");
  CHECK(tl::tensor({INT64_MIN, INT64_MAX})[1].item<std::int64_t>() == INT64_MAX);
}

TEST_CASE("factories: a negative extent raises in their names") {
  CHECK_RAISES(tl::zeros({2, -1}), "zeros", "(2, -1)", "negative");
  CHECK_RAISES(tl::ones(-3), "ones", "-3");
  CHECK_RAISES(tl::empty(-3), "empty", "-3");
  CHECK_RAISES(tl::full(-3, 1), "full", "-3");
  CHECK_RAISES(tl::eye(-3), "eye", "-3");
  CHECK_RAISES(tl::rand(-3), "rand", "-3");
  CHECK_RAISES(tl::randint(0, 2, -3), "randint", "-3");
}

TEST_CASE("from_blob: data must lie as its dtype needs it") {
  alignas(8) std::byte bytes[32] = {};
  CHECK_RAISES(tl::from_blob(bytes + 2, {2}, tl::float32), "from_blob", "multiple of 4", "float32");
  CHECK_RAISES(tl::from_blob(bytes + 4, {2}, tl::int64), "multiple of 8");
  CHECK(tl::from_blob(bytes + 1, {2}, tl::uint8).numel() == 2);
}

TEST_CASE("linspace: ends that are far apart or not finite") {
  const tl::Options wide{.dtype = tl::float64};
  check_exact(tl::linspace(-1.5e308, 1.5e308, 5, wide), 5, {-1.5e308, -.75e308, 0, .75e308, 1.5e308});
  CHECK_RAISES(tl::linspace(0, inf, 3), "linspace", "inf", "finite");
}

TEST_CASE("from_blob: strides that leave every memory raise") {
  float values[4] = {1, 2, 3, 4};
  for (const tl::Strides& strides : {tl::Strides{INT64_MAX, INT64_MAX},
                                     tl::Strides{INT64_MAX, INT64_MIN}, tl::Strides{INT64_MAX / 4, 1}})
    CHECK_RAISES(tl::from_blob(values, {2, 2}, tl::float32, strides), "from_blob", "reach beyond");
  check_exact(tl::from_blob(values + 3, 4, tl::float32, {-1}), 4, {4, 3, 2, 1});
}

TEST_CASE("from_blob: sees the user's memory and releases it once") {
  float values[] = {1, 2, 3, 4, 5, 6};
  int released = 0;
  {
    tl::Tensor x = tl::from_blob(values, {2, 3}, tl::float32, {}, [&] { ++released; });
    const tl::Tensor column = x.select(1, 2);
    x = {};
    CHECK(released == 0);
    values[2] = 30;
    check_exact(column, 2, {30, 6});
  }
  CHECK(released == 1);
  check_exact(tl::from_blob(values, {3, 2}, tl::float32, {1, 3}), {3, 2}, {1, 4, 2, 5, 30, 6});
  CHECK_RAISES(tl::from_blob(values, {2, 3}, tl::float32, {1}), "strides");
}

TEST_CASE("to and item convert as C++ does, data gives the host's memory") {
  const tl::Tensor x = tl::tensor({1.7, -2.2, 0.0});
  check_exact(x.to(tl::int64), 3, {1, -2, 0});
  check_exact(x.to(tl::boolean), 3, {1, 1, 0});
  check_exact(tl::tensor({0, 300}).to(tl::uint8), 2, {0, 44});
  check_values(x.to(tl::float16), 3, {1.7, -2.2, 0}, 1e-3);
  check_values(x.to(tl::bfloat16), 3, {1.7, -2.2, 0}, 1e-2);
  CHECK(x[0].item<int>() == 1);
  CHECK_RAISES(tl::tensor(5000000000).item<int>(), "item", "int32", "5000000000");
  CHECK_RAISES(tl::tensor(1e300).item<std::int64_t>(), "item", "int64", "inf");
  CHECK_RAISES(x.item<float>(), "item", "(3,)");
  CHECK(x.data<float>()[1] == -2.2f);
  CHECK_RAISES(x.data<double>(), "float64", "float32");
  CHECK(x.to("cpu").is_view_of(x));
}

TEST_CASE("tensor: a vector's values must fit the dtype, as a list's do") {
  check_exact(tl::tensor(std::vector<std::int64_t>{0, 255}, {.dtype = tl::uint8}), 2, {0, 255});
  CHECK_RAISES(tl::tensor(std::vector<std::int64_t>{1, 300}, {.dtype = tl::uint8}), "tensor", "uint8",
               "300");
  CHECK_RAISES(tl::tensor(std::vector<double>{1e10}, {.dtype = tl::int32}), "tensor", "int32", "1e+10");
  CHECK_RAISES(tl::tensor(std::vector<float>{NAN}, {.dtype = tl::int64}), "tensor", "int64", "nan");
  check_exact(tl::tensor(std::vector<int>{0, 7}, {.dtype = tl::boolean}), 2, {0, 1});
}

TEST_CASE("devices: the default, by name, and errors that list what is known") {
  CHECK(tl::zeros(1).device() == tl::Device("cpu"));
  CHECK(tl::zeros(1, {.device = "cpu"}).device().name() == "cpu");
  CHECK_RAISES(tl::zeros(1, {.device = "cpux"}), "cpux", "cpu");
}
