// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-quantize-weights: quantizes matrices W of floats to integers with scales.
//
// Before:
//   xf.stored @W : !xf.real<384, 1536> from "w" as <([384:1], [1536:384])>
// After, with to=int8:
//   xf.stored @W : … from "w" as <([384:1], [1536:384])> rounded int8_64
//
// Not exact, so only on request. The pass rounds the weights that the folding
// of constants left: 32 or 64 elements share a scale d, and each has an error
// of at most d / 2 (base/numeric/EncodeBlock.cpp describes the choice of d).
// It quantizes matrices of which a contraction sums over whole blocks, whose
// elements may be a stride apart in the tensor, as GPT-2's are, and tables of
// gathers, with blocks along the rows. Tables get at least 8 bits, since one
// row is all that the model knows of a token. A weight that any other operation
// reads is not quantized.
//
// Contracted elements of 8 bits share a scale by 64 if 64 divides the sum,
// since the epilogue of a group costs as much as 12 of its products. The
// embeddings of all-MiniLM-L6-v2 then have an error of 4.9e-3, and of 2.2e-3
// with groups of 32 (1 - cosine of the worst sentence, weights and the operands
// multiplied with them rounded). In NumPy, before constants are folded, it is
// 2.8e-3 and 1.5e-3, with groups of 128 5.1e-3, with whole rows 2.3e-2.

#include "compiler/fold/Passes.h"
#include "dialect/Dialect.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/MapVector.h>

namespace transfold::fold {
#define GEN_PASS_DEF_QUANTIZEWEIGHTS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

/// The distance of consecutive elements along an axis: the stride of its
/// fastest factor.
static int64_t strideOf(xf::StoredOp stored, unsigned axis) {
  xf::LayoutAttr layout = stored.getLayout();
  size_t factor = 0;
  for (int64_t count : layout.getFactorCounts().take_front(axis + 1))
    factor += count;
  while (factor-- > 0)
    if (layout.getSizes()[factor] != 1)
      return layout.getStrides()[factor];
  return 1;
}

/// The axis along which a use of a weight reads blocks; nullopt if the use
/// cannot read blocks.
static std::optional<unsigned> blockAxis(OpOperand &use) {
  if (auto gather = dyn_cast<xf::GatherOp>(use.getOwner()))
    return use.get() == gather.getTable()
               ? std::optional(
                     cast<xf::RealType>(use.get().getType()).getRank() - 1)
               : std::nullopt;
  auto product = dyn_cast<xf::ContractOp>(use.getOwner());
  if (!product || use.getOperandNumber() != 1)
    return std::nullopt;
  for (auto [axis, label] : llvm::enumerate(product.getRhsLabels()))
    if (!llvm::is_contained(product.getLabels(), label))
      return axis;
  return std::nullopt;
}

namespace {
/// The properties of a weight's uses.
struct Reads {
  bool inBlocks = true, inWideBlocks = true, asTable = false;
  /// The stride of the elements along the contracted axis.
  std::optional<int64_t> apart = std::nullopt;
};

struct QuantizeWeights : fold::impl::QuantizeWeightsBase<QuantizeWeights> {
  using QuantizeWeightsBase::QuantizeWeightsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto stored : module.getOps<xf::StoredOp>())
      // An entry for a weight that no operation reads in blocks makes sure that
      // it is not quantized, whatever its other readers are.
      if (!isFloats(stored)) // read by other operations only, or not floats
        reads[stored].inBlocks = false;
    module.walk([&](xf::WeightOp weight) {
      if (weight->getParentOfType<xf::StoredOp>())
        return; // weights that others are computed from are not rounded
      xf::StoredOp stored = xf::storedOf(weight);
      for (OpOperand &use : weight->getUses())
        note(stored, use);
    });
    for (auto &[op, read] : reads) {
      auto stored = cast<xf::StoredOp>(op);
      if (!read.inBlocks) {
        left += xf::getShape(stored.getType()).size() >= 2;
        continue;
      }
      stored.setRounded(formatOf(read));
      if (xf::isInBlocks(*stored.getRounded()) && read.apart.value_or(1) > 1)
        stored.setApart(*read.apart);
      ++quantized;
    }
  }

private:
  /// Whether the elements are single floats of one tensor, not yet rounded.
  static bool isFloats(xf::StoredOp stored) {
    return stored.getSource() && !stored.getSource()->getTensors() &&
           !stored.getRounded() &&
           !xf::isInBlocks(stored.getSource()->getFormat());
  }

  /// Records what one use of a weight requires: all uses together decide the
  /// format, since the weight is stored once.
  void note(xf::StoredOp stored, OpOperand &use) {
    Reads &read = reads[stored];
    std::optional<unsigned> axis = blockAxis(use);
    const bool isMatrix = xf::getShape(stored.getType()).size() >= 2;
    const int64_t apart = axis && isMatrix ? strideOf(stored, *axis) : 0;
    auto sumsWhole = [&](xf::Format format) {
      return apart > 0 &&
             xf::hasWholeBlocks(stored, *axis, xf::blockSizeOf(format).numbers,
                                apart);
    };
    read.inBlocks &=
        sumsWhole(smallest()) && read.apart.value_or(apart) == apart;
    read.apart = apart;
    read.inWideBlocks &= sumsWhole(xf::Format::Int8_64);
    read.asTable |= isa<xf::GatherOp>(use.getOwner());
  }

  /// The format with the fewest elements in a block.
  xf::Format smallest() const {
    return to == fold::Weights::BF16 ? xf::Format::BF16 : xf::Format::Q8_0;
  }

  /// The format of a weight for the requested number of bits; a table gets at
  /// least 8 bits.
  xf::Format formatOf(const Reads &read) const {
    switch (to) {
    case fold::Weights::BF16:
      return xf::Format::BF16;
    case fold::Weights::Int5:
      return read.asTable ? xf::Format::Q8_0 : xf::Format::Q5_1;
    case fold::Weights::Int4:
      return read.asTable ? xf::Format::Q8_0 : xf::Format::Q4_1;
    default:
      return read.inWideBlocks && !read.asTable ? xf::Format::Int8_64
                                                : xf::Format::Q8_0;
    }
  }

  llvm::MapVector<Operation *, Reads> reads;
};
} // namespace
