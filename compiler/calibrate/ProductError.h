// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product loses when its weight is rounded to blocks.

#ifndef TRANSFOLD_COMPILER_CALIBRATE_PRODUCTERROR_H
#define TRANSFOLD_COMPILER_CALIBRATE_PRODUCTERROR_H

#include "compiler/calibrate/Samples.h"
#include "dialect/blocks/BlockFormat.h"

namespace transfold::calibrate {

/// How a weight and what it meets are rounded.
struct Rounding {
  xf::Format format;
  bool integerProducts = false; // x is rounded to 8 bits
  /// Errors count as much as what their number is multiplied with is large.
  bool weighs = true;
};

/// One member of a weight W on sample rows x: some of its columns.
class ProductError {
public:
  /// `axis` is the one that is summed over. Throws InterpreterError.
  ProductError(xf::StoredOp stored, int64_t member, unsigned axis,
               const checkpoint::Checkpoint &checkpoint, const Rows &rows);

  /// |x W - round(x / g) round(g W)|² / |x W|²; a `g` of no factors is 1.
  double of(const Rounding &rounding, llvm::ArrayRef<float> g = {}) const;

  /// The mean square of each channel of x, and of each row of W.
  std::vector<double> channels() const;
  std::vector<double> weights() const;

  /// What the errors of each row of g W count: the mean square of what it
  /// meets, x / g.
  std::vector<float> counts(llvm::ArrayRef<float> g) const;

private:
  std::vector<float> divided(llvm::ArrayRef<float> g, size_t group) const;

  const Rows &rows;
  std::vector<std::vector<float>> columns;
  std::vector<std::vector<double>>
      exact; // each column's products with the rows
};

} // namespace transfold::calibrate

#endif // TRANSFOLD_COMPILER_CALIBRATE_PRODUCTERROR_H
