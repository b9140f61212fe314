// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How alike two spellings are, for messages that say what was probably meant.

#ifndef TRANSFOLD_RUNTIME_EDITDISTANCE_H
#define TRANSFOLD_RUNTIME_EDITDISTANCE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace transfold::runtime {

/// How many letters must be changed, added or removed to get from one to the
/// other (Levenshtein); letters are the elements of a text. Takes time by the
/// product of their lengths.
template <typename Text> size_t editDistance(const Text &from, const Text &to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      size_t changed = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_EDITDISTANCE_H
