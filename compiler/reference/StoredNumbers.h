// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a stored weight as its checkpoint has them, possibly with a
// separate tensor for each member of a family.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/reference/Numbers.h"
#include "compiler/reference/Part.h"
#include "dialect/Dialect.h"

namespace transfold::reference {

/// Concatenated tensors, of each the first `each` elements.
struct StoredNumbers {
  std::vector<checkpoint::StoredTensor> tensors;
  // Elements of each tensor that are counted; a tensor may be longer.
  int64_t each;

  /// Reads the elements `first`, `first` + `step`, …, counted through all
  /// tensors.
  void read(int64_t first, int64_t step, std::span<double> to) const;
  /// Replaces elements that were read so by those of other numbers.
  void convert(int64_t first, int64_t step, std::span<double> elements,
               const Numbers &numbers) const;
};

/// The positions of a layout's elements, as a matrix: the element of row r and
/// column c is at `rows[r]` + `columns[c]`. Columns are the last axis.
struct StoredPlaces {
  std::vector<int64_t> shape, rows, columns;
  /// The distance between consecutive columns, if it is constant.
  std::optional<int64_t> step;
};
/// The positions of a part of a layout.
StoredPlaces placesOf(xf::LayoutAttr layout, const OptionalPart &part);

/// "PATH: 'TENSOR'": the source of a member of a stored weight, for messages.
std::string nameOf(xf::StoredOp stored, int64_t member,
                   const checkpoint::Checkpoint &checkpoint);

/// The tensors that a member of a stored weight is read from, no further than
/// its layout reaches. `member` is the linear index of the combination of its
/// indices, the last fastest. Throws InterpreterError if a tensor is missing or
/// smaller than the layout requires.
StoredNumbers findStored(xf::StoredOp stored, int64_t member,
                         const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::reference
