// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value over pairs of positions, <n, m>, has as many rows as the product of
// two lengths. The values of all sequences are concatenated, so memory is
// planned in terms of sums over the sequences: of n, of m, and of n · m.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::host {

/// The quantities that sizes of an entry's values are multiples of: its
/// lengths, in order, then the products of several lengths that occur.
class LengthProducts {
public:
  /// `sources`: maps lengths of chosen rows to those that they are chosen from.
  explicit LengthProducts(
      xf::EntryOp entry,
      llvm::DenseMap<mlir::Attribute, mlir::Attribute> sources =
          llvm::DenseMap<mlir::Attribute, mlir::Attribute>());

  /// The indices of the lengths of a product, ascending.
  using Product = llvm::SmallVector<unsigned, 2>;
  /// The products of several lengths.
  llvm::ArrayRef<Product> products() const { return found; }
  /// The count of lengths and products.
  size_t count() const { return lengths.size() + found.size(); }
  /// The index of the length or product that the size of a value is a multiple
  /// of; nullopt for a value without a length.
  std::optional<unsigned> of(mlir::Type type) const;

private:
  /// The lengths of a type by index; those of chosen rows count as the lengths
  /// that they are chosen from, which are an upper bound.
  Product numbersOf(mlir::Type type) const;

  llvm::SmallVector<mlir::StringAttr> lengths;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> sources;
  llvm::SmallVector<Product> found;
};

} // namespace transfold::host
