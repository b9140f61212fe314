// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes biased products of norms whose result is averaged by an attention,
// and measures their biases.

#include "compiler/calibrate/LargeBiases.h"

#include "compiler/fold/solve/Shifts.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

/// The biased contraction (x γ + β) W + b, without the norm that computes x.
struct BiasedProduct {
  xf::StoredOp gain, shift, matrix, bias; // γ and β: null if absent
  unsigned summed = 0;                    // the contracted axis of W
  std::vector<unsigned> columns;          // axes of W, in the order of b's axes
};

/// Removes a row vector of weights from `value` = op(…, row), and returns it.
template <typename Op> xf::StoredOp takeRow(Value &value) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return {};
  for (auto [row, rest] : {std::pair(op.getRhs(), op.getLhs()),
                           std::pair(op.getLhs(), op.getRhs())})
    if (xf::StoredOp stored = xf::storedOf(row);
        stored && xf::getShape(row.getType()).size() == 1) {
      value = rest;
      return stored;
    }
  return {};
}

/// The product that `add` adds a bias to; nullopt if it has another form.
std::optional<BiasedProduct> biasedProduct(xf::AddOp add) {
  auto isRight = fold::biasIsRight(add);
  if (!isRight)
    return std::nullopt;
  BiasedProduct found;
  found.bias = xf::storedOf(*isRight ? add.getRhs() : add.getLhs());
  auto product =
      (*isRight ? add.getLhs() : add.getRhs()).getDefiningOp<xf::ContractOp>();
  if (!found.bias || !product)
    return std::nullopt;
  found.matrix = xf::storedOf(product.getRhs());
  Value rows = product.getLhs();
  found.shift = takeRow<xf::AddOp>(rows);
  found.gain = takeRow<xf::MultiplyOp>(rows);
  if (!found.matrix ||
      !isa_and_nonnull<xf::StandardizeOp, xf::UnitRmsOp>(rows.getDefiningOp()))
    return std::nullopt;
  ArrayAttr weightLabels = product.getRhsLabels();
  for (auto [axis, label] :
       llvm::enumerate(weightLabels.getAsValueRange<StringAttr>()))
    if (!xf::findLabel(product.getLabels(), label))
      found.summed = axis;
  ArrayAttr own = *isRight ? add.getRhsLabels() : add.getLhsLabels();
  for (StringRef label : own.getAsValueRange<StringAttr>()) {
    auto place = xf::findLabel(add.getLabels(), label);
    auto axis =
        xf::findLabel(weightLabels, xf::getLabel(product.getLabels(), *place));
    if (!axis)
      return std::nullopt;
    found.columns.push_back(*axis);
  }
  if (found.columns.size() + 1 != weightLabels.size())
    return std::nullopt;
  return found;
}

/// The root of the mean square, a magnitude that does not depend on the count.
double rootMeanSquare(const std::vector<double> &numbers) {
  double sum = 0;
  for (double x : numbers)
    sum += x * x;
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

/// The ratio |β W + b| / |γ W| of one member.
double besideProduct(const BiasedProduct &found, int64_t member,
                     const checkpoint::Checkpoint &checkpoint) {
  auto read = [&](xf::StoredOp stored) {
    return reference::readStored(stored, stored.getMembers() > 1 ? member : 0,
                                 &checkpoint);
  };
  Tensor whole = read(found.matrix);
  std::vector<int64_t> shape{whole.shape[found.summed]},
      strides{whole.strides()[found.summed]};
  for (unsigned axis : found.columns) {
    shape.push_back(whole.shape[axis]);
    strides.push_back(whole.strides()[axis]);
  }
  const Tensor matrix = reference::strided(whole, shape, strides);
  std::vector<double> total = read(found.bias).data, spread(total.size());
  const auto rowOf = [&](xf::StoredOp stored, double otherwise) {
    return stored ? read(stored).data
                  : std::vector<double>(shape.front(), otherwise);
  };
  const std::vector<double> gains = rowOf(found.gain, 1),
                            shifts = rowOf(found.shift, 0);
  for (size_t k = 0, at = 0; k < gains.size(); ++k)
    for (size_t column = 0; column < total.size(); ++column, ++at) {
      total[column] += shifts[k] * matrix.data[at];
      spread[column] += std::pow(gains[k] * matrix.data[at], 2);
    }
  for (double &square : spread)
    square = std::sqrt(square);
  return rootMeanSquare(total) / rootMeanSquare(spread);
}

/// Whether `value` is averaged over positions with the rows of a softmax,
/// possibly after operations that only move its elements.
bool isAveraged(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (auto product = dyn_cast<xf::ContractOp>(user))
      return llvm::any_of(product->getOperands(), [](Value operand) {
        return operand.getDefiningOp<xf::SoftmaxOp>() != nullptr;
      });
    return isa<xf::RearrangeOp, xf::RepeatOp, xf::SelectOp, xf::SliceOp>(
               user) &&
           isAveraged(user->getResult(0));
  });
}

} // namespace

void calibrate::markLargeBiases(ModuleOp module,
                                const checkpoint::Checkpoint &checkpoint) {
  module.walk([&](xf::AddOp add) {
    auto found = isAveraged(add) ? biasedProduct(add) : std::nullopt;
    if (!found)
      return;
    double largest = 0;
    for (int64_t member = 0; member < found->bias.getMembers(); ++member)
      largest = std::max(largest, besideProduct(*found, member, checkpoint));
    if (largest > 1)
      found->bias->setAttr(
          fold::largeBias,
          Builder(module.getContext())
              .getF64FloatAttr(std::round(largest * 100) / 100));
  });
}
