#include "extension_tables.h"

using namespace cpu_simd_test;

namespace {

/// Row-major element of an array of `extents` at the place of element i of `walked`, but for the axis.
int64_t selected(int64_t i, const Extents& walked, const Extents& extents, size_t axis, int64_t index) {
  int64_t place = 1, result = 0;
  for (size_t d = walked.size(); d-- > 0;) {
    result += (d == axis ? index : i % walked[d]) * place;
    i /= walked[d];
    place *= extents[d];
  }
  return result;
}

template <class T>
Reply gather(const Backend& backend, const Strided<T>& source, const tl_view& index, Strided<T>& out,
             uint32_t axis) {
  const tl_view source_view = source.view(), out_view = out.view();
  tl_index_args args{};
  args.axis = axis, args.source = &source_view, args.index = &index, args.output = &out_view;
  return call_extension(backend, index_table(backend).gather, args);
}

template <class T>
Reply scatter_add(const Backend& backend, const Strided<T>& source, const tl_view& index,
                  Strided<T>& out, uint32_t axis) {
  const tl_view source_view = source.view(), out_view = out.view();
  tl_index_args args{};
  args.axis = axis, args.source = &source_view, args.index = &index, args.output = &out_view;
  return call_extension(backend, index_table(backend).scatter_add, args);
}

struct Case {
  Extents walked;  ///< the index's extents
  int64_t chosen;  ///< the other view's extent on the axis
  uint32_t axis;
  Extents distinct;  ///< the index's own extents, 1 where it is broadcast
};

std::vector<Case> cases() {
  return {{{7}, 5, 0, {7}},
          {{6, 9}, 4, 0, {6, 1}},
          {{6, 9}, 4, 1, {1, 9}},
          {{6, 9}, 4, 0, {6, 9}},
          {{3, 5, 4}, 7, 1, {1, 5, 1}},
          {{3, 5, 4}, 7, 1, {3, 5, 1}},
          {{3, 5, 4}, 7, 2, {3, 5, 4}},
          {{2, 3, 2, 4}, 3, 0, {2, 1, 1, 1}},
          {{500, 300}, 100, 0, {500, 1}},
          {{1, 1}, 1, 1, {1, 1}},
          {{0, 4}, 3, 0, {0, 1}}};
}

template <class T> void check_case(const Backend& backend, const Case& c, std::mt19937& random) {
  const size_t rank = c.walked.size();
  Extents chosen = c.walked;
  chosen[c.axis] = c.chosen;
  Strided<int64_t> index(c.distinct, random_layout(rank, random));
  index.fill([&](int64_t) { return static_cast<int64_t>(random() % static_cast<unsigned>(c.chosen)); });
  const tl_view index_view = index.view_as(c.walked);
  const auto index_at = [&](int64_t i) { return index[broadcast_index(i, c.walked, c.distinct)]; };

  Strided<T> source(chosen, random_layout(rank, random)), out(c.walked, random_layout(rank, random));
  source.fill([](int64_t i) { return i % 251; });
  CHECK(gather(backend, source, index_view, out, c.axis).status == TL_OK);
  bool equal = out.gaps_untouched();
  for (int64_t i = 0; i < out.count(); ++i)
    equal &= out[i] == source[selected(i, c.walked, chosen, c.axis, index_at(i))];
  CHECK(equal);
  if constexpr (sizeof(T) == 1) return;

  Strided<T> terms(c.walked, random_layout(rank, random)), sums(chosen, random_layout(rank, random));
  terms.fill([&](int64_t) { return static_cast<T>(random() % 1000) / 7; });
  sums.fill([](int64_t i) { return i; });
  std::vector<T> expected = sums.values();
  for (int64_t i = 0; i < terms.count(); ++i)
    expected[static_cast<size_t>(selected(i, c.walked, chosen, c.axis, index_at(i)))] += terms[i];
  CHECK(scatter_add(backend, terms, index_view, sums, c.axis).status == TL_OK);
  CHECK(sums.values() == expected);  // the very bits: it is the same order
  CHECK(sums.gaps_untouched());
}

}  // namespace

TEST_CASE("index: gather and scatter_add agree with plain loops, in any layout and with threads") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    std::mt19937 random(14);
    for (unsigned threads : {1u, 3u}) {
      const Backend backend(set, threads);
      for (const Case& c : cases())
        for (int i = 0; i < 5; ++i) {
          check_case<float>(backend, c, random);
          check_case<double>(backend, c, random);
          check_case<int64_t>(backend, c, random);
          check_case<uint8_t>(backend, c, random);
        }
    }
  }
}

TEST_CASE("index: a value outside the axis is named with its position, and nothing is written") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    for (int64_t bad : {int64_t{4}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
      const std::string value = std::to_string(bad);
      Strided<int64_t> index({2, 3}), rows({3, 1});
      index.assign({0, 1, 2, 3, bad, bad}), rows.assign({3, 2, bad});
      Strided<float> four({4, 3}), two({2, 3}), three({3, 3});
      four.fill([](int64_t i) { return i; }), two.fill([](int64_t) { return 7; });
      three.fill([](int64_t) { return 7; });
      const std::vector<float> before = four.values();

      const Reply gathered = gather(backend, four, index.view(), two, 0);
      CHECK(gathered.status == TL_E_ARGUMENT);
      CHECK(gathered.text == "index " + value + " at position 4 is outside 0 to 3");
      CHECK(two.values() == std::vector<float>(6, 7.0f));
      const Reply by_rows = gather(backend, four, rows.view_as({3, 3}), three, 0);
      CHECK(by_rows.text == "index " + value + " at position 6 is outside 0 to 3");
      CHECK(three.values() == std::vector<float>(9, 7.0f));
      const Reply scattered = scatter_add(backend, two, index.view(), four, 0);
      CHECK(scattered.status == TL_E_ARGUMENT);
      CHECK(four.values() == before);
    }
  }
}

TEST_CASE("index: what isn't offered is declined, what can't be is an error") {
  const Backend backend(supported_sets().back());
  Strided<int64_t> index({2, 3});
  index.fill([](int64_t) { return 0; });
  Strided<float> x({4, 3}), out({2, 3}), wrong({2, 4});
  CHECK(gather(backend, x, index.view(), out, 0).status == TL_OK);
  CHECK(gather(backend, x, index.view(), out, 2).status == TL_E_ARGUMENT);
  CHECK(gather(backend, x, index.view(), wrong, 0).status == TL_E_ARGUMENT);
  CHECK(gather(backend, x, x.view(), out, 0).status == TL_DECLINED);
  Strided<uint8_t> masks({2, 3}), more({4, 3});
  CHECK(scatter_add(backend, masks, index.view(), more, 0).status == TL_DECLINED);
}
