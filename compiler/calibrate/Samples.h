// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the rows that quantized weights are multiplied with, on sample
// inputs.

#pragma once

#include "compiler/reference/Interpreter.h"

#include <llvm/ADT/StringSet.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace transfold::calibrate {

/// The rows x that one member of a weight is multiplied with.
struct Rows {
  int64_t width = 0; // elements of a row, i.e. the contracted size
  int64_t seen = 0;
  std::vector<float> kept;     // a random sample of the rows
  std::vector<double> squares; // per channel, summed over all rows
  int64_t count() const { return static_cast<int64_t>(kept.size()) / width; }
};

/// The axis of a weight that its contractions sum over; nullopt if they differ,
/// sum over several axes, or another operation reads the weight.
std::optional<unsigned> summedAxis(mlir::ModuleOp module, xf::StoredOp stored);

/// `x` with axis `axis` moved to the end.
reference::Tensor withLast(const reference::Tensor &x, unsigned axis);

/// Collects samples.
class Samples {
public:
  /// Collects samples for the weights with these names.
  explicit Samples(llvm::StringSet<> weights) : weights(std::move(weights)) {}

  /// Collects while an interpreter runs; must outlive it.
  reference::Observer observer();
  /// The samples of a member; null if it was not multiplied with anything.
  const Rows *of(llvm::StringRef weight, int64_t member) const;

private:
  /// Adds the rows of an operand of `product`, if it sums over one axis only.
  void add(xf::ContractOp product, const reference::Tensor &lhs, Rows &rows);

  llvm::StringSet<> weights;
  std::map<std::pair<std::string, int64_t>, Rows> all;
  std::mt19937 random{1};
};

} // namespace transfold::calibrate
