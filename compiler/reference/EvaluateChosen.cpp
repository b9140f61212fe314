// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen rows, in the two forms that `fuse` creates: compacted with a count
// that the host learns, and lists with room for all rows. Undefined rows are
// NaN here, so that a test fails if any of them is read.

#include "compiler/reference/EvaluateChosen.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace transfold;
using namespace transfold::reference;

using Shape = std::vector<int64_t>;

Tensor reference::rank(const Tensor &input) {
  Tensor result = input;
  const int64_t members = input.shape.size() == 1 ? 1 : input.shape[1];
  for (int64_t member = 0; member < members; ++member) {
    double chosen = 0;
    for (int64_t at = member; at < result.size(); at += members)
      result.data[at] = chosen += result.data[at] != 0;
  }
  return result;
}

/// Calls `function` with (row, index among the chosen rows) for each chosen
/// row.
static void
forEachChosen(const Tensor &ranks,
              const std::function<void(int64_t, int64_t)> &function) {
  double before = 0;
  for (int64_t row = 0; row < ranks.size(); ++row) {
    if (ranks.data[row] > before)
      function(row, static_cast<int64_t>(before));
    before = ranks.data[row];
  }
}

/// The elements of a row: the product of all axes but the first.
static int64_t widthOf(const Shape &shape) {
  return Tensor::count(Shape(shape.begin() + 1, shape.end()));
}

/// Copies the chosen rows: to their places among the chosen ones or, if
/// `spreads`, back from there.
static Tensor copyChosen(const Tensor &rows, const Tensor &ranks,
                         const Shape &shape, bool spreads) {
  Tensor result(shape);
  int64_t width = widthOf(shape);
  forEachChosen(ranks, [&](int64_t row, int64_t place) {
    auto [from, to] = spreads ? std::pair(place, row) : std::pair(row, place);
    std::copy_n(rows.data.begin() + from * width, width,
                result.data.begin() + to * width);
  });
  return result;
}

Tensor reference::pick(const Tensor &rows, const Tensor &ranks,
                       const Shape &shape) {
  return copyChosen(rows, ranks, shape, /*spreads=*/false);
}

Tensor reference::spread(const Tensor &rows, const Tensor &ranks,
                         const Shape &shape) {
  return copyChosen(rows, ranks, shape, /*spreads=*/true);
}

/// The value of rows past the end of a list.
static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

Tensor reference::list(const Tensor &ranks) {
  const int64_t rows = ranks.shape[0], members = ranks.shape[1];
  Tensor result({members, rows});
  std::fill(result.data.begin(), result.data.end(), -1);
  for (int64_t member = 0; member < members; ++member) {
    double before = 0;
    for (int64_t row = 0; row < rows; ++row) {
      double rank = ranks.data[row * members + member];
      if (rank > before)
        result.data[member * rows + static_cast<int64_t>(before)] =
            static_cast<double>(row);
      before = rank;
    }
  }
  return result;
}

Tensor reference::take(const Tensor &rows, const Tensor &list,
                       const Shape &shape) {
  Tensor result(shape);
  std::fill(result.data.begin(), result.data.end(), undefined);
  const int64_t width = widthOf(rows.shape);
  for (int64_t place = 0; place < list.size(); ++place)
    if (list.data[place] >= 0)
      std::copy_n(rows.data.begin() +
                      static_cast<int64_t>(list.data[place]) * width,
                  width, result.data.begin() + place * width);
  return result;
}

Tensor reference::listed(const Tensor &rows, const Tensor &list) {
  Tensor result = rows;
  const int64_t width =
      Tensor::count(Shape(rows.shape.begin() + 2, rows.shape.end()));
  for (int64_t place = 0; place < list.size(); ++place)
    if (list.data[place] < 0)
      std::fill_n(result.data.begin() + place * width, width, undefined);
  return result;
}

Tensor reference::sumListed(const Numbers &numbers, const Tensor &listed,
                            const Tensor &ranks, const Tensor &weights,
                            const Shape &shape) {
  Tensor result(shape);
  const int64_t rows = ranks.shape[0], members = ranks.shape[1],
                width = widthOf(shape);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t member = 0; member < members; ++member) {
      const double weight = weights.data[row * members + member];
      if (numbers.isZero(weight))
        continue;
      // A rank counts from 1, also the rows before; the row's place in the list
      // is therefore rank - 1.
      const auto place =
          member * rows +
          static_cast<int64_t>(ranks.data[row * members + member]) - 1;
      numbers.addProducts(
          {result.data.data() + row * width, static_cast<size_t>(width)},
          {&weight, 1}, listed.data.data() + place * width);
    }
  return result;
}
