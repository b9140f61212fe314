// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/EvaluateChosen.h"

#include <algorithm>

using namespace transfold;
using namespace transfold::reference;

using Shape = std::vector<int64_t>;

Tensor reference::rank(const Tensor &input) {
  Tensor result = input;
  double chosen = 0;
  for (double &entry : result.data)
    entry = chosen += entry != 0;
  return result;
}

/// Calls with (row, place among the chosen) for each row that is.
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

static int64_t widthOf(const Shape &shape) {
  return Tensor::count(Shape(shape.begin() + 1, shape.end()));
}

Tensor reference::pick(const Tensor &rows, const Tensor &ranks,
                       const Shape &shape) {
  Tensor result(shape);
  int64_t width = widthOf(shape);
  forEachChosen(ranks, [&](int64_t row, int64_t place) {
    std::copy_n(rows.data.begin() + row * width, width,
                result.data.begin() + place * width);
  });
  return result;
}

Tensor reference::spread(const Tensor &rows, const Tensor &ranks,
                         const Shape &shape) {
  Tensor result(shape);
  int64_t width = widthOf(shape);
  forEachChosen(ranks, [&](int64_t row, int64_t place) {
    std::copy_n(rows.data.begin() + place * width, width,
                result.data.begin() + row * width);
  });
  return result;
}
