// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes the contractions of an interpreter, and keeps some of the rows that
// they read.

#include "compiler/calibrate/Samples.h"

#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::calibrate;

/// The number of rows that are kept for each member: with 64 the error of a
/// product is known to a few percent, and 30 layers of 1,536 channels take 80
/// MB.
constexpr int64_t rowsKept = 64;

/// The axis of an operand that its contraction sums over, if it is the only
/// one.
static std::optional<unsigned> summedAxis(ArrayAttr own, ArrayAttr result) {
  std::optional<unsigned> found;
  for (unsigned axis = 0; axis < own.size(); ++axis) {
    if (xf::findLabel(result, xf::getLabel(own, axis)))
      continue;
    if (found)
      return std::nullopt;
    found = axis;
  }
  return found;
}

std::optional<unsigned> calibrate::summedAxis(ModuleOp module,
                                              xf::StoredOp stored) {
  std::optional<unsigned> found;
  bool isOne = true;
  module.walk([&](xf::WeightOp weight) {
    if (weight.getStored() != stored.getSymName() ||
        weight->getParentOfType<xf::StoredOp>())
      return;
    for (OpOperand &use : weight->getUses()) {
      auto product = dyn_cast<xf::ContractOp>(use.getOwner());
      std::optional<unsigned> axis;
      if (product && use.getOperandNumber() == 1)
        axis = ::summedAxis(product.getRhsLabels(), product.getLabels());
      isOne &= axis && (!found || found == axis);
      found = axis;
    }
  });
  return isOne ? found : std::nullopt;
}

reference::Tensor calibrate::withLast(const reference::Tensor &x,
                                      unsigned axis) {
  std::vector<int64_t> shape = x.shape, strides = x.strides();
  for (auto *each : {&shape, &strides})
    std::rotate(each->begin() + axis, each->begin() + axis + 1, each->end());
  return reference::strided(x, shape, strides);
}

reference::Observer Samples::observer() {
  return [this](Operation &op, auto lookup) {
    auto product = dyn_cast<xf::ContractOp>(op);
    auto weight = product ? product.getRhs().getDefiningOp<xf::WeightOp>()
                          : xf::WeightOp();
    if (!weight || !weights.contains(weight.getStored()))
      return;
    xf::StoredOp stored = xf::storedOf(weight);
    int64_t member = 0;
    for (auto [index, extent] :
         llvm::zip(weight.getIndices(), stored.getExtents()))
      member = member * extent + static_cast<int64_t>(lookup(index).data[0]);
    add(product, lookup(product.getLhs()),
        all[{weight.getStored().str(), member}]);
  };
}

void Samples::add(xf::ContractOp product, const reference::Tensor &lhs,
                  Rows &rows) {
  auto axis = ::summedAxis(product.getLhsLabels(), product.getLabels());
  if (!axis || lhs.size() == 0)
    return;
  const reference::Tensor ordered = withLast(lhs, *axis);
  rows.width = ordered.shape.back();
  rows.squares.resize(rows.width);
  for (const double *row = ordered.data.data(),
                    *end = row + ordered.data.size();
       row != end; row += rows.width) {
    for (int64_t k = 0; k < rows.width; ++k)
      rows.squares[k] += row[k] * row[k];
    // Reservoir sampling: every row has the same probability of being kept.
    const int64_t place =
        rows.seen < rowsKept
            ? rows.seen
            : std::uniform_int_distribution<int64_t>(0, rows.seen)(random);
    ++rows.seen;
    if (place >= rowsKept)
      continue;
    if (place == rows.count())
      rows.kept.resize(rows.kept.size() + rows.width);
    std::copy_n(row, rows.width, rows.kept.begin() + place * rows.width);
  }
}

const Rows *Samples::of(StringRef weight, int64_t member) const {
  auto found = all.find({weight.str(), member});
  return found == all.end() || found->second.kept.empty() ? nullptr
                                                          : &found->second;
}
