// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-equalize-channels: channels that are not observable may be scaled by any
// factors.
//
//   (x diag(γ)) W = (x diag(γ / g)) (diag(g) W)        for every g > 0
//
// Before:
//   xf.stored @γ : !xf.real<64> from "γ" as <([64:1])>
//   xf.stored @W : !xf.real<64, 32> from "W" as <…> rounded q4_1
//   %y = xf.multiply %x[n, k], %γ[k] -> [n, k]
//   %z = xf.contract %y[n, k], %W[k, c] -> [n, c]
// After: the same operations, and
//   xf.channel_scales @γ.channels : 64
//   xf.stored @γ : … equalized [<channels = @γ.channels, …, inverse = true>]
//   xf.stored @W : … rounded q4_1 equalized [<channels = @γ.channels, …>]
//
// Exact before W is rounded, for every g; with 4 bits, g determines which
// elements of a block lose how much precision. The pass finds where a g can be
// applied: to a gain vector, or to the columns of a matrix, if every reader
// passes the factors on to the rows of matrices (GainLaws.cpp), as attention
// passes those of the values on to the output matrix, and as the product of a
// gated MLP passes those of one projection on to the next matrix. Operations
// without a gain law prevent it; so does a matrix that is also read by
// something else. A calibration then measures which g loses least
// (compiler/calibrate). Until then all factors are 1.

#include "compiler/fold/Passes.h"
#include "compiler/fold/move/GainWalk.h"
#include "compiler/fold/move/MovedLines.h"
#include "dialect/Labels.h"
#include "dialect/weights/Channels.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>

#include <random>

namespace transfold::fold {
#define GEN_PASS_DEF_EQUALIZECHANNELS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

/// Whether factors change what a matrix loses: single elements have the same
/// relative error whatever their factor.
bool isRoundedToBlocks(xf::StoredOp stored) {
  return stored.getRounded() && xf::isInBlocks(*stored.getRounded());
}

/// The sizes of some axes of a weight.
SmallVector<int64_t> extentsOf(xf::RealType type, ArrayRef<unsigned> axes) {
  SmallVector<int64_t> extents;
  for (unsigned axis : axes)
    extents.push_back(*xf::getNumber(type.getShape()[axis]));
  return extents;
}

/// The labels of a contraction or gain, from the viewpoint of one of its
/// operands.
struct Labels {
  ArrayAttr own, other, result;
};

/// Nullopt if the use is neither a contraction nor a gain.
std::optional<Labels> labelsOf(OpOperand &use) {
  auto seenBy = [&](auto op) -> Labels {
    if (use.getOperandNumber() == 0)
      return {op.getLhsLabels(), op.getRhsLabels(), op.getLabels()};
    return {op.getRhsLabels(), op.getLhsLabels(), op.getLabels()};
  };
  if (auto product = dyn_cast<xf::ContractOp>(use.getOwner()))
    return seenBy(product);
  if (auto gain = dyn_cast<xf::MultiplyOp>(use.getOwner()))
    return seenBy(gain);
  return std::nullopt;
}

/// The axes of a weight that the result of its use has and, for a contraction,
/// the other operand does not have; empty if the use is neither a contraction
/// nor a gain.
SmallVector<unsigned> ownAxes(OpOperand &use) {
  SmallVector<unsigned> axes;
  std::optional<Labels> labels = labelsOf(use);
  const bool isGain = isa<xf::MultiplyOp>(use.getOwner());
  for (unsigned axis = 0; labels && axis < labels->own.size(); ++axis) {
    StringRef label = xf::getLabel(labels->own, axis);
    if (xf::findLabel(labels->result, label) &&
        (isGain || !xf::findLabel(labels->other, label)))
      axes.push_back(axis);
  }
  return axes;
}

/// Follows the result of one use of a weight to the matrices that read it.
class ChannelWalk : public fold::GainWalk {
public:
  /// Follows the product with the weight, whose axes `axes` have factors; fails
  /// if an operation does not pass them on.
  LogicalResult run(OpOperand &use, ArrayRef<unsigned> axes) {
    source = use.get().getDefiningOp<xf::WeightOp>();
    const Labels labels = *labelsOf(use);
    xf::Channels channels =
        xf::Channels::whole(axes, extentsOf(source.getType(), axes));
    for (unsigned &axis : channels.axes)
      axis = *xf::findLabel(labels.result, xf::getLabel(labels.own, axis));
    return follow(use.getOwner()->getResult(0), {channels, source});
  }

  /// Notes a matrix that is multiplied by the factors. It must belong to the
  /// same layer, have room for factors in its layout, and be rounded to blocks.
  LogicalResult absorb(OpOperand &operand, const xf::Gain &gain) override {
    Operation *op = operand.getOwner();
    auto weight = operand.get().getDefiningOp<xf::WeightOp>();
    xf::StoredOp stored = xf::storedOf(operand.get());
    if (!stored || weight.getIndices() != source.getIndices())
      return refuse(op, "it does not multiply a stored matrix of the layer");
    if (!isRoundedToBlocks(stored))
      return refuse(op, (stored.getSymName() + " is not quantized").str());
    if (!xf::layoutOfAxes(stored, gain.channels.axes))
      return refuse(
          op, (stored.getSymName() + " is not a matrix in its tensor").str());
    absorbed.push_back({stored, gain.channels});
    return success();
  }

  // The matrices and which of the factors each of their channels has.
  std::vector<std::pair<xf::StoredOp, xf::Channels>> absorbed;

private:
  xf::WeightOp source;
};

/// A weight whose channels have factors, and the matrices that compensate for
/// them.
struct Equalized {
  SmallVector<unsigned> axes;
  llvm::MapVector<Operation *, xf::Channels> later;
  llvm::DenseMap<Operation *, unsigned> uses; // count of followed uses
};

struct EqualizeChannels : fold::impl::EqualizeChannelsBase<EqualizeChannels> {
  using EqualizeChannelsBase::EqualizeChannelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](xf::WeightOp weight) {
      if (weight->getParentOfType<xf::StoredOp>())
        return; // other weights are computed from the checkpoint's values
      for (OpOperand &use : weight->getUses())
        usesOf[xf::storedOf(weight)].push_back(&use);
    });
    fold::MovedLines lines("channels");
    SmallVector<xf::StoredOp> all(module.getOps<xf::StoredOp>());
    for (xf::StoredOp stored : all)
      equalize(stored, lines);
    lines.write(module);
  }

private:
  /// Whether a weight may have factors: it is read from one tensor and rounded
  /// at most once.
  static bool isFree(xf::StoredOp stored) {
    return stored.getSource() && !stored.getSource()->getTensors() &&
           (stored.isWide() || isRoundedToBlocks(stored));
  }

  /// Gives the channels of one weight factors, if all its readers permit it.
  void equalize(xf::StoredOp stored, fold::MovedLines &lines) {
    ArrayRef<OpOperand *> uses = usesOf[stored];
    if (!isFree(stored) || uses.empty())
      return;
    Equalized found;
    found.axes = ownAxes(*uses.front());
    if (found.axes.empty() || !xf::layoutOfAxes(stored, found.axes))
      return;
    fold::MovedLine line(stored.getLoc(), stored.getSymName().str());
    if (line.isAmong(keep)) {
      line.kept = "--no-fold";
    } else if (auto objection = follow(uses, found, line.readers)) {
      ++left; // not worth a line of the ledger
      return;
    } else {
      place(stored, found);
      for (auto &[op, channels] : found.later)
        line.destinations.push_back(cast<xf::StoredOp>(op).getSymName().str());
      ++equalized;
    }
    lines.add(line);
  }

  /// The reason why there can be no factors, or nullopt if there can.
  std::optional<std::string> follow(ArrayRef<OpOperand *> uses,
                                    Equalized &found, unsigned &readers) {
    for (OpOperand *use : uses) {
      if (ownAxes(*use) != found.axes)
        return fold::describeObjection(use->getOwner());
      ChannelWalk walk;
      if (failed(walk.run(*use, found.axes)))
        return walk.objection;
      readers += walk.readers;
      for (auto &[stored, channels] : walk.absorbed) {
        auto [entry, isNew] = found.later.insert({stored, channels});
        if (!isNew && (entry->second.axes != channels.axes ||
                       entry->second.numbers != channels.numbers))
          return (stored.getSymName() + " is read in two ways").str();
        ++found.uses[stored];
      }
    }
    if (found.later.empty())
      return "no matrix reads its values";
    for (auto &[op, channels] : found.later) {
      auto stored = cast<xf::StoredOp>(op);
      // A use that was not followed reads the matrix without the factors.
      if (found.uses[op] != usesOf[op].size())
        return (stored.getSymName() + " would be stored twice").str();
      if (hasFactorsAlong(stored, channels.axes))
        return (stored.getSymName() + " already has factors on these channels")
            .str();
    }
    return std::nullopt;
  }

  /// Whether a matrix already has factors on the same channels, from another
  /// producer.
  static bool hasFactorsAlong(xf::StoredOp stored, ArrayRef<unsigned> axes) {
    xf::LayoutAttr layout = xf::layoutOfAxes(stored, axes);
    ArrayAttr there = stored.getEqualizedAttr();
    return there && llvm::any_of(there.getAsRange<xf::FactorsAttr>(),
                                 [&](xf::FactorsAttr own) {
                                   return own.getLayout() == layout;
                                 });
  }

  /// Creates the factors, divides the weight by them and multiplies the
  /// matrices.
  void place(xf::StoredOp stored, const Equalized &found) {
    OpBuilder builder(stored);
    const int64_t count =
        llvm::product_of(extentsOf(stored.getType(), found.axes), int64_t{1});
    DenseF32ArrayAttr numbers;
    if (random)
      numbers = randomNumbers(builder, stored.getMembers() * count);
    auto channels = xf::ChannelScalesOp::create(
        builder, stored.getLoc(), (stored.getSymName() + ".channels").str(),
        stored.getIndices(), stored.getExtents(), count, numbers);
    multiply(stored, channels, {found.axes, {}}, /*inverse=*/true);
    for (auto &[op, own] : found.later)
      multiply(cast<xf::StoredOp>(op), channels, own, /*inverse=*/false);
  }

  /// Appends factors to those that a weight has on other channels.
  static void multiply(xf::StoredOp stored, xf::ChannelScalesOp channels,
                       const xf::Channels &own, bool inverse) {
    SmallVector<Attribute> factors;
    if (ArrayAttr there = stored.getEqualizedAttr())
      llvm::append_range(factors, there);
    const bool inOrder =
        own.numbers.empty() ||
        llvm::equal(own.numbers, llvm::seq<int64_t>(0, own.numbers.size()));
    factors.push_back(xf::FactorsAttr::get(
        stored.getContext(), FlatSymbolRefAttr::get(channels.getSymNameAttr()),
        xf::layoutOfAxes(stored, own.axes),
        inOrder ? ArrayRef<int64_t>() : ArrayRef(own.numbers), inverse));
    stored.setEqualizedAttr(ArrayAttr::get(stored.getContext(), factors));
  }

  /// Factors from 1/16 to 16, for tests: they must not change any result of the
  /// exact equations.
  DenseF32ArrayAttr randomNumbers(Builder &builder, int64_t count) {
    std::mt19937 generator(random);
    std::uniform_real_distribution<float> exponent(-4, 4);
    SmallVector<float> numbers(count);
    for (float &number : numbers)
      number = std::exp2(exponent(generator));
    return builder.getDenseF32ArrayAttr(numbers);
  }

  // The uses of each stored weight in all entries.
  llvm::DenseMap<Operation *, SmallVector<OpOperand *>> usesOf;
};

} // namespace
