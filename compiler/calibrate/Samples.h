// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What quantised weights are multiplied with, on sample inputs.

#ifndef TRANSFOLD_COMPILER_CALIBRATE_SAMPLES_H
#define TRANSFOLD_COMPILER_CALIBRATE_SAMPLES_H

#include "compiler/reference/Interpreter.h"

#include <llvm/ADT/StringSet.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace transfold::calibrate {

/// Rows x that one member of a weight is multiplied with.
struct Rows {
  int64_t width = 0; // numbers of a row: what the product sums over
  int64_t seen = 0;
  std::vector<float> kept;     // some of the rows, at random
  std::vector<double> squares; // of each channel, summed over all rows
  int64_t count() const { return static_cast<int64_t>(kept.size()) / width; }
};

/// The axis of a weight that its products sum over; none where they differ, sum
/// over several, or something else reads it.
std::optional<unsigned> summedAxis(mlir::ModuleOp module, xf::StoredOp stored);

/// `x` with one of its axes as the last.
reference::Tensor withLast(const reference::Tensor &x, unsigned axis);

class Samples {
public:
  /// Of the weights with these names.
  explicit Samples(llvm::StringSet<> weights) : weights(std::move(weights)) {}

  /// Collects while an interpreter runs; lives as long as that.
  reference::Observer observer();
  /// Null where nothing was multiplied with it.
  const Rows *of(llvm::StringRef weight, int64_t member) const;

private:
  void add(xf::ContractOp product, const reference::Tensor &lhs, Rows &rows);

  llvm::StringSet<> weights;
  std::map<std::pair<std::string, int64_t>, Rows> all;
  std::mt19937 random{1};
};

} // namespace transfold::calibrate

#endif // TRANSFOLD_COMPILER_CALIBRATE_SAMPLES_H
