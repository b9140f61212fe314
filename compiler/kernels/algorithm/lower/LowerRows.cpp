// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on whole rows or columns.

#include "compiler/kernels/algorithm/lower/KeyMasks.h"
#include "compiler/kernels/algorithm/lower/RegionValues.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

// The input of a softmax without a positive scale that was not folded, and the
// exponent that contains this scale. With a sink the scale stays in the scores,
// because the sink is compared with the scaled scores.
static std::pair<Value, Expr> scoresOf(RegionValues &region, xf::SoftmaxOp op) {
  constexpr double log2e = 1.4426950408889634;
  if (op.getExponent())
    return {op.getInput(), region.scalar(op.getExponent())};
  auto scale = op.getInput().getDefiningOp<xf::ScaleOp>();
  double factor = scale ? scale.getFactor().toDouble() : 0;
  if (factor > 0 && !op.getSink())
    return {scale.getInput(), Expr(static_cast<float>(factor * log2e))};
  return {op.getInput(), Expr(static_cast<float>(log2e))};
}

std::pair<Value, Softmax> kernels::softmaxOf(RegionValues &region,
                                             xf::SoftmaxOp op) {
  auto [scores, exponent] = scoresOf(region, op);
  Softmax softmax{exponent, region.scalar(op.getFactor())};
  softmax.isSeen = Softmax::seenBy(maskOf(op.getMask().value_or(xf::MaskAttr()),
                                          region.position(op.getFirst())));
  if (op.getSink())
    softmax.sink = region.get(op.getSink());
  softmax.isRounded = op.getRounded().has_value();
  return {scores, softmax};
}

/// The ε of a norm: the operand that folding added where it differs by layer,
/// or the attribute.
template <typename Op> static Expr epsilon(RegionValues &region, Op op) {
  return region.scalar(op.getLayerEpsilon(),
                       static_cast<float>(op.getEpsilon().toDouble()));
}

// Lowers the operations on chosen rows; nullopt for other operations.
static std::optional<Tensor> lowerChosen(RegionValues &region, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](xf::RunningCountOp op) {
        const Tensor &input = region.get(op.getInput());
        return input.axes.size() == 1 ? region.builder.rank(input)
                                      : region.builder.rankOfEach(input);
      })
      .Case([&](xf::CompressOp op) {
        return region.builder.pickChosen(region.get(op.getInput()),
                                         region.get(op.getRanks()),
                                         axesOf(op.getType()));
      })
      .Case([&](xf::ExpandOp op) {
        return region.builder.spreadChosen(region.get(op.getInput()),
                                           region.get(op.getRanks()),
                                           axesOf(op.getType()));
      })
      .Case([&](xf::BuildRowIndexOp op) {
        return region.builder.list(region.get(op.getRanks()));
      })
      .Case([&](xf::GatherRowsOp op) {
        return region.builder.takeListed(region.get(op.getInput()),
                                         region.get(op.getList()));
      })
      .Case([&](xf::BoundedByOp op) {
        return region.builder.listed(region.get(op.getInput()),
                                     region.get(op.getList()));
      })
      .Case([&](xf::ScatterAddOp op) {
        return region.builder.sumListed(region.get(op.getInput()),
                                        region.get(op.getRanks()),
                                        region.get(op.getWeights()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Tensor> kernels::lowerRows(RegionValues &region, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](xf::SoftmaxOp op) {
        auto [scores, softmax] = softmaxOf(region, op);
        return region.builder.softmax(region.get(scores), softmax,
                                      region.optional(op.getAmong()));
      })
      .Case([&](xf::StandardizeOp op) {
        return region.builder.standardize(region.get(op.getInput()),
                                          epsilon(region, op),
                                          region.scalar(op.getFactor()));
      })
      .Case([&](xf::UnitRmsOp op) {
        return region.builder.unitRms(region.get(op.getInput()),
                                      epsilon(region, op),
                                      region.scalar(op.getFactor()));
      })
      .Case([&](xf::UnitOp op) {
        return region.builder.unit(region.get(op.getInput()),
                                   region.scalar(op.getFactor()));
      })
      .Case([&](xf::QuantizeOp op) {
        return region.builder.quantize(region.get(op.getInput()),
                                       static_cast<int>(op.getGroup()));
      })
      .Case([&](xf::SumOp op) {
        return region.builder.reduce(region.get(op.getInput()), op.getAxis(),
                                     Reduction::Sum);
      })
      .Case([&](xf::MeanOp op) {
        return region.builder.reduce(region.get(op.getInput()), op.getAxis(),
                                     Reduction::Mean);
      })
      .Case([&](xf::MaxOp op) {
        return region.builder.reduce(region.get(op.getInput()), op.getAxis(),
                                     Reduction::Max);
      })
      .Case([&](xf::TopKMaskOp op) {
        return region.builder.top(region.get(op.getInput()), op.getCount());
      })
      .Default([&](Operation *op) { return lowerChosen(region, op); });
}
