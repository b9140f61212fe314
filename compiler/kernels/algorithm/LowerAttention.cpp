// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/algorithm/LowerAttention.h"

#include "compiler/kernels/algorithm/KeyMasks.h"
#include "compiler/kernels/algorithm/TensorLabels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

static AttentionOps opsOf(xf::KernelOp kernel) {
  std::optional<AttentionOps> ops = findAttention(kernel);
  if (!ops || ops->scores.getType().getShape().size() < 2)
    throw std::runtime_error(
        "attention is two products around a softmax, by heads");
  return *ops;
}

AttentionLowering::AttentionLowering(xf::KernelOp kernel)
    : schedule(kernel.getScheduleAttr()), ops(opsOf(kernel)) {}

bool AttentionLowering::lower(RegionValues &region, Operation *op) {
  if (op == ops.scores) {
    region.tensors[ops.scores.getResult()] = lowerScores(region);
  } else if (op == ops.softmax) {
    auto [scores, softmax] = softmaxOf(region, ops.softmax);
    weights = builder->weights(region.get(scores), softmax);
  } else if (op == ops.mixture) {
    region.tensors[ops.mixture.getResult()] = lowerMixture(region);
  } else {
    return false;
  }
  return true;
}

// What the schedule says about the keys that the mask lets rows see.
KeyLimits AttentionLowering::readLimits(const RegionValues &region) {
  auto number = [&](StringRef name) {
    auto attribute = schedule.getAs<IntegerAttr>(name);
    return attribute ? static_cast<int>(attribute.getInt()) : 0;
  };
  Value first = ops.softmax.getFirst();
  if (first && !region.tensors.contains(first))
    throw std::runtime_error(
        "the first position of an attention is known before its scores");
  Expr start = region.position(first);
  return {number("strip"), number("part"), number("across"),
          boundOf(schedule.get("keys_from"), start, Halide::max),
          boundOf(schedule.get("keys_to"), start, Halide::min)};
}

Tensor AttentionLowering::lowerScores(RegionValues &region) {
  xf::ContractOp op = ops.scores;
  AttentionBuilder::Operand queries = {region.get(op.getLhs()),
                                       labelsOf(op.getLhsLabels())};
  AttentionBuilder::Operand keys = {region.get(op.getRhs()),
                                    labelsOf(op.getRhsLabels())};
  Labels labels = labelsOf(op.getLabels());
  std::vector<Axis> axes = axesOf(op.getType());
  builder.emplace(region.builder.context(), axes[axes.size() - 2], axes.back(),
                  readLimits(region));
  // The softmax goes along the last axis: keys are the operand that has it.
  bool isTurned = contains(queries.labels, labels.back()) &&
                  !contains(keys.labels, labels.back());
  return isTurned ? builder->scores(keys, queries, labels)
                  : builder->scores(queries, keys, labels);
}

Tensor AttentionLowering::lowerMixture(RegionValues &region) {
  xf::ContractOp op = ops.mixture;
  bool isTurned = ops.isMixtureTurned();
  AttentionBuilder::Operand values = {
      region.get(isTurned ? op.getLhs() : op.getRhs()),
      labelsOf(isTurned ? op.getLhsLabels() : op.getRhsLabels())};
  return builder->mixture(*weights, labelsOf(ops.weightLabels()), values,
                          labelsOf(op.getLabels()));
}
