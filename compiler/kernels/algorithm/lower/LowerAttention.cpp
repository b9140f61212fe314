// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes the operations of an attention to the AttentionBuilder. Operations
// between the scores and the softmax are lowered like any others.

#include "compiler/kernels/algorithm/lower/LowerAttention.h"

#include "compiler/kernels/algorithm/lower/KeyMasks.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

// The three steps of an attention; throws std::runtime_error for other kernels.
static AttentionOps opsOf(xf::KernelOp kernel) {
  std::optional<AttentionOps> ops = findAttention(kernel);
  if (!ops || ops->scores.getType().getShape().size() < 2)
    throw std::runtime_error(
        "attention is two products around a softmax, by heads");
  return *ops;
}

AttentionLowering::AttentionLowering(xf::KernelOp kernel)
    : kernel(kernel), ops(opsOf(kernel)) {}

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

// The limits of the keys that rows see through the mask, from the schedule.
KeyLimits AttentionLowering::readLimits(const RegionValues &region) {
  using Parameter = xf::ScheduleParameter;
  auto number = [&](Parameter parameter) {
    return static_cast<int>(kernel.getScheduleNumber(parameter).value_or(0));
  };
  auto bound = [&](Parameter parameter) {
    return kernel.getScheduleEntry(parameter);
  };
  Value first = ops.softmax.getFirst();
  if (first && !region.tensors.contains(first))
    throw std::runtime_error(
        "the first position of an attention is known before its scores");
  Expr start = region.position(first);
  return {number(Parameter::Strip),
          number(Parameter::Part),
          number(Parameter::Across),
          boundOf(bound(Parameter::KeysFrom), start, Halide::max),
          boundOf(bound(Parameter::KeysTo), start, Halide::min),
          number(Parameter::Shared)};
}

// On a device a part of keys may begin before the first key that a row sees,
// and a cache with a window has no memory for earlier keys: they are replaced
// by that first key, and the mask discards the results.
AttentionBuilder::Operand
AttentionLowering::fromFirstSeen(AttentionBuilder::Operand operand,
                                 const std::string &key) const {
  if (!firstSeen.defined())
    return operand;
  const size_t axis = indexOf(operand.labels, key);
  auto entry = [=, first = firstSeen, all = operand.tensor.at](Indices place) {
    place[axis] = max(place[axis], first);
    return all(place);
  };
  operand.tensor.at = entry;
  return operand;
}

Tensor AttentionLowering::lowerScores(RegionValues &region) {
  xf::ContractOp op = ops.scores;
  AttentionBuilder::Operand queries = {region.get(op.getLhs()),
                                       labelsOf(op.getLhsLabels())};
  AttentionBuilder::Operand keys = {region.get(op.getRhs()),
                                    labelsOf(op.getRhsLabels())};
  Labels labels = labelsOf(op.getLabels());
  std::vector<Axis> axes = axesOf(op.getType());
  KeyLimits limits = readLimits(region);
  AlgorithmContext &context = region.builder.context();
  if (context.isOnDevice && ops.softmax.getFirst() && limits.from)
    firstSeen = clamp(limits.from(0, context.extent(axes[axes.size() - 2]) - 1),
                      0, context.extent(axes.back()) - 1);
  builder.emplace(context, axes[axes.size() - 2], axes.back(), limits);
  // The softmax is over the last axis: the keys are the operand that has its
  // label.
  bool isTurned = contains(queries.labels, labels.back()) &&
                  !contains(keys.labels, labels.back());
  if (isTurned)
    std::swap(queries, keys);
  return builder->scores(queries, fromFirstSeen(keys, labels.back()), labels);
}

Tensor AttentionLowering::lowerMixture(RegionValues &region) {
  xf::ContractOp op = ops.mixture;
  bool isTurned = ops.isMixtureTurned();
  AttentionBuilder::Operand values = {
      region.get(isTurned ? op.getLhs() : op.getRhs()),
      labelsOf(isTurned ? op.getLhsLabels() : op.getRhsLabels())};
  Labels own = labelsOf(ops.weightLabels());
  return builder->mixture(*weights, own, fromFirstSeen(values, own.back()),
                          labelsOf(op.getLabels()));
}
