// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the error of a contraction whose weight is rounded to blocks.

#pragma once

#include "base/numeric/BlockFormat.h"
#include "compiler/calibrate/Samples.h"

namespace transfold::calibrate {

/// How a weight and the operand that it is multiplied with are rounded.
struct Rounding {
  xf::Format format;
  bool integerProducts = false; // x is rounded to 8 bits
  /// Whether each error is weighted by the magnitude that its element is
  /// multiplied with.
  bool weighs = true;
};

/// One member of a weight W applied to sample rows x, for some columns of W.
class ProductLoss {
public:
  /// `axis` is the contracted axis. Throws InterpreterError.
  ProductLoss(xf::StoredOp stored, int64_t member, unsigned axis,
              const checkpoint::Checkpoint &checkpoint, const Rows &rows);

  /// |x W - round(x / g) round(g W)|² / |x W|²; an empty `g` means 1.
  double of(const Rounding &rounding, llvm::ArrayRef<float> g = {}) const;

  /// The mean square of each channel of x.
  std::vector<double> channels() const;
  /// The mean square of each row of W.
  std::vector<double> weights() const;

  /// The weights of the errors of each row of g W: the mean square of x / g,
  /// which the row is multiplied with.
  std::vector<float> counts(llvm::ArrayRef<float> g) const;

private:
  /// The rows x / g, rounded to 8 bits in groups of `group` elements; 0: not
  /// rounded.
  std::vector<float> divided(llvm::ArrayRef<float> g, size_t group) const;

  const Rows &rows;
  std::vector<std::vector<float>> columns;
  std::vector<std::vector<double>>
      exact; // the products of each column with the rows
};

} // namespace transfold::calibrate
