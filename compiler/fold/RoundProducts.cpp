// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-round-products: Σ_k x(k) W(k, c)  becomes  Σ_k round(x(k)) W(k, c)
//
// Not exact, so only on request, and only where the elements of W are exactly
// those of a narrow format: the checkpoint's, if nothing was folded into W, or
// the format that W was rounded to.
//
// To bfloat16. Before, where W is bfloat16:
//   %1 = xf.contract %0[n, k], %W[k, c] -> [n, c]
// After:
//   %r = xf.round %0 to "bf16"
//   %1 = xf.contract %r[n, k], %W[k, c] -> [n, c]
//
// bf16(x) = x (1 + δ) with |δ| ≤ 2^-9, half a unit of eight bits: each product
// has this relative error, and the sum an error of at most 2^-9 Σ |x W|. A
// product of two bfloat16 has 16 bits and is exact in float32; accumulation
// rounds as before. Programs that compute in bfloat16 throughout, as most such
// checkpoints were trained, round the same operands and also every result.
//
// Where a weight's product is rounded, both products of an attention are
// rounded to bfloat16 too: the KV cache then takes half the memory.
//
//   %S = xf.contract %Q[h, r, k], %K[h, c, k] -> [h, r, c]
//   %P = xf.softmax %S …
//   %A = xf.contract %P[h, r, c], %V[h, c, k] -> [h, r, k]
// becomes
//   %q, %k, %v = xf.round %Q, %K, %V to bf16
//   %S = xf.contract %q[h, r, k], %k[h, c, k] -> [h, r, c]
//   %P = xf.softmax %S … rounded bf16
//   %A = xf.contract %P[h, r, c], %v[h, c, k] -> [h, r, k]
//
// Rounding commutes with permutations, repetitions and selections, so it is
// inserted before elements are moved or repeated: keys and values that are
// columns of the same rows are kept once. The weights of the softmax are
// rounded before they are summed, so that the weighted sum is divided by the
// sum of the weights that it was computed with.
//
// To integers of 8 bits, where W is in blocks of integer codes, e.g. q4_1:
//   %r = xf.quantize %0 by 32        by 64 where codes share a scale by 64
//   %1 = xf.contract %r[n, k], %W[k, c] -> [n, c]
//
// With r = max |x| / 127 over a group, each x has an error of at most r / 2,
// and the sum one of at most Σ r |W| / 2. The sums of products of the integer
// codes of x with those of W are exact. llama.cpp multiplies such files in this
// way.

#include "compiler/fold/FewerBits.h"
#include "compiler/fold/Passes.h"
#include "dialect/Dialect.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/IRMapping.h>

namespace transfold::fold {
#define GEN_PASS_DEF_ROUNDPRODUCTS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

/// Whether the sum is over rows of x and over whole blocks of W.
static bool sumsBlocks(xf::ContractOp product, xf::StoredOp stored) {
  const int64_t numbers = xf::blockSizeOf(*stored.getExactFormat()).numbers;
  Attribute last = product.getLhsLabels()[product.getLhsLabels().size() - 1];
  const auto *over = llvm::find(product.getRhsLabels(), last);
  return !llvm::is_contained(product.getLabels(), last) &&
         xf::hasWholeBlocks(stored, over - product.getRhsLabels().begin(),
                            numbers);
}

/// Whether a softmax reads `value`, directly or through pointwise operations.
static bool feedsSoftmax(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto softmax = dyn_cast<xf::SoftmaxOp>(user))
      return softmax.getInput() == value;
    return user->hasTrait<xf::Pointwise>() &&
           user->getResult(0).getType() == value.getType() &&
           feedsSoftmax(user->getResult(0));
  });
}

/// Whether `product` multiplies two values that are not weights, before or
/// after a softmax.
static bool isOfAttention(xf::ContractOp product) {
  if (llvm::any_of(product->getOperands(), xf::isWeightOnly))
    return false;
  return feedsSoftmax(product.getResult()) ||
         llvm::any_of(product->getOperands(), [](Value operand) {
           return isa_and_nonnull<xf::SoftmaxOp>(operand.getDefiningOp());
         });
}

namespace {
struct RoundProducts : fold::impl::RoundProductsBase<RoundProducts> {
  using RoundProductsBase::RoundProductsBase;

  void runOnOperation() override {
    // A program that rounds no product with a weight does not round attention
    // either.
    if (roundWeighted() && attention)
      roundAttention();
  }

private:
  /// Rounds the operands that are multiplied with weights; returns whether any
  /// was.
  bool roundWeighted() {
    bool any = false;
    getOperation().walk([&](xf::ContractOp product) {
      xf::StoredOp stored = xf::storedOf(product.getRhs());
      if (!stored)
        return;
      OpBuilder builder(product);
      if (Value narrow = rounded(product, stored, builder)) {
        product.getLhsMutable().assign(narrow);
        ++rounds;
        any = true;
      } else {
        ++exact;
      }
    });
    return any;
  }

  /// Rounds the operands of the contractions before and after a softmax.
  void roundAttention() {
    SmallVector<xf::ContractOp> products;
    getOperation().walk([&](xf::ContractOp product) {
      if (isOfAttention(product))
        products.push_back(product);
    });
    for (xf::ContractOp product : products) {
      for (OpOperand &operand : product->getOpOperands())
        if (auto softmax = operand.get().getDefiningOp<xf::SoftmaxOp>())
          softmax.setRounded(xf::Format::BF16);
        else
          operand.set(roundedBefore(operand.get()));
      ++attentions;
    }
  }

  /// `value` rounded, with the rounding before operations that move, repeat or
  /// select elements; a value that is rounded already is not rounded twice.
  Value roundedBefore(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<xf::RepeatOp, xf::RearrangeOp>(op) ||
        isOfConcatenation(op)) {
      OpBuilder builder(op);
      IRMapping mapping;
      mapping.map(op->getOperand(0), roundedBefore(op->getOperand(0)));
      return builder.clone(*op, mapping)->getResult(0);
    }
    Value &known = roundings[value];
    if (!known) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      known =
          xf::RoundOp::create(builder, value.getLoc(), value, xf::Format::BF16);
    }
    return known;
  }

  /// Whether `op` selects some channels of concatenated ones.
  static bool isOfConcatenation(Operation *op) {
    auto slice = dyn_cast_or_null<xf::SliceOp>(op);
    return slice && !slice.getFirst() &&
           slice.getInput().getDefiningOp<xf::AppendOp>();
  }

  // The operands of attentions that are rounded already.
  llvm::DenseMap<Value, Value> roundings;

  /// The operand that is multiplied with a weight, rounded; null if it stays as
  /// it is.
  Value rounded(xf::ContractOp product, xf::StoredOp stored,
                OpBuilder &builder) {
    std::optional<xf::Format> format = stored.getExactFormat();
    Value x = product.getLhs();
    if (to == fold::Products::BF16 && format == xf::Format::BF16)
      return xf::RoundOp::create(builder, product.getLoc(), x,
                                 xf::Format::BF16);
    if (to == fold::Products::Int8 && format && xf::isInBlocks(*format) &&
        sumsBlocks(product, stored))
      return xf::QuantizeOp::create(
          builder, product.getLoc(), x.getType(), x,
          fold::numbersOfScale(*xf::blockFormatOf(*format)));
    return {};
  }
};

} // namespace
