// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a stored weight as its checkpoint has them, which may be in a
// tensor for each member of a family.

#ifndef TRANSFOLD_COMPILER_REFERENCE_STOREDNUMBERS_H
#define TRANSFOLD_COMPILER_REFERENCE_STOREDNUMBERS_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/reference/Part.h"
#include "dialect/Dialect.h"

namespace transfold::reference {

/// Tensors one behind the other, of each the first `each` numbers.
struct StoredNumbers {
  std::vector<checkpoint::StoredTensor> tensors;
  int64_t each;

  /// Numbers `first`, `first` + `step`, …, counted through all tensors.
  void read(int64_t first, int64_t step, std::span<double> to) const;
};

/// Where the numbers of a layout are, as a matrix: the number of row r and
/// column c is `rows[r]` + `columns[c]`. The last axis has the columns.
struct StoredPlaces {
  std::vector<int64_t> shape, rows, columns;
  /// From one column to the next, where it is always as far.
  std::optional<int64_t> step;
};
StoredPlaces placesOf(xf::LayoutAttr layout, const OptionalPart &part);

/// "PATH: 'TENSOR'": where a member of a stored weight is read, for messages.
std::string nameOf(xf::StoredOp stored, int64_t member,
                   const checkpoint::Checkpoint &checkpoint);

/// What a member of a stored weight is read from; its layout reaches no
/// further. `member` counts the combinations of its indices, last fastest.
/// Throws InterpreterError where a tensor is missing or does not reach as far
/// as the layout says.
StoredNumbers findStored(xf::StoredOp stored, int64_t member,
                         const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_STOREDNUMBERS_H
