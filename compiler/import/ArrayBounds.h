// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a definition by index needs of lengths to read inside of its arrays:
// P[t, c] of a table of 512 rows needs n <= 512, P[n - 3, c] needs n >= 3.
//
// Indices that are sums of positions, lengths and numbers, bounded by clamp or
// a remainder, are reasoned about; others, and what an `if` chooses, are not.

#ifndef TRANSFOLD_COMPILER_IMPORT_ARRAYBOUNDS_H
#define TRANSFOLD_COMPILER_IMPORT_ARRAYBOUNDS_H

#include "dialect/Dialect.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::importer {

/// The largest and smallest values of lengths that equations are for.
struct LengthBounds {
  std::map<std::string, int64_t> most, least;
  /// Indices that leave an axis one position and no more, "i - j of n": hardly
  /// what was meant.
  std::vector<std::string> leavingOne;

  void atMost(const std::string &length, int64_t number);
  void atLeast(const std::string &length, int64_t number);
};

/// Adds what `definition` needs over axes `shape`, where it reads `arrays`.
/// Throws std::domain_error where it reads outside whatever the lengths are.
void boundReads(const IndexDefinition &definition,
                llvm::ArrayRef<mlir::Attribute> shape, mlir::ValueRange arrays,
                LengthBounds &bounds);

} // namespace transfold::importer

#endif // TRANSFOLD_COMPILER_IMPORT_ARRAYBOUNDS_H
