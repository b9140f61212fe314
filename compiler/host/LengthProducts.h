// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value over pairs of positions, <n, m>, has as many rows as the product of
// two lengths. Those of all sequences lie behind each other, so memory is
// planned in sums over the sequences: of n, of m, and of n · m.

#ifndef TRANSFOLD_COMPILER_HOST_LENGTHPRODUCTS_H
#define TRANSFOLD_COMPILER_HOST_LENGTHPRODUCTS_H

#include "dialect/Dialect.h"

namespace transfold::host {

/// What the sizes of an entry's values are multiples of: its lengths, in their
/// order, then the products of several that some value has.
class LengthProducts {
public:
  /// `sources`: lengths of chosen rows, and those that they are chosen from.
  explicit LengthProducts(
      xf::EntryOp entry,
      llvm::DenseMap<mlir::Attribute, mlir::Attribute> sources =
          llvm::DenseMap<mlir::Attribute, mlir::Attribute>());

  /// Of each product the numbers of its lengths, rising.
  using Product = llvm::SmallVector<unsigned, 2>;
  llvm::ArrayRef<Product> products() const { return found; }
  /// Lengths and products.
  size_t count() const { return lengths.size() + found.size(); }
  /// Which of them the numbers of a value are a multiple of; none for a value
  /// without a length.
  std::optional<unsigned> of(mlir::Type type) const;

private:
  Product numbersOf(mlir::Type type) const;

  llvm::SmallVector<mlir::StringAttr> lengths;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> sources;
  llvm::SmallVector<Product> found;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_LENGTHPRODUCTS_H
