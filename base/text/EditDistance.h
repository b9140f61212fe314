// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Similarity of two spellings, for messages that propose what was probably
// meant.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace transfold {

/// The number of letters that must be changed, added or removed to get from one
/// text to the other (Levenshtein); letters are the elements of a text. The
/// time is proportional to the product of the lengths; therefore only the
/// beginnings of texts longer than any name are compared, and for the rest only
/// the lengths.
template <typename Text> size_t editDistance(const Text &from, const Text &to) {
  constexpr size_t longest = 256;
  const size_t rows = std::min(from.size(), longest),
               columns = std::min(to.size(), longest);
  const size_t restOfFrom = from.size() - rows, restOfTo = to.size() - columns;
  std::vector<size_t> row(columns + 1);
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i < rows; ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < columns; ++j) {
      size_t changed = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back() + std::max(restOfFrom, restOfTo) -
         std::min(restOfFrom, restOfTo);
}

} // namespace transfold
