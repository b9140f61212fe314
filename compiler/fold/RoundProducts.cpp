// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-round-products: Σ_k x(k) W(k, c)  becomes  Σ_k bf16(x(k)) W(k, c)
//
// Before, where W is bfloat16 in the checkpoint and nothing was folded into it:
//   %1 = xf.contract %0[n, k], %W[k, c] -> [n, c]
// After:
//   %r = xf.round %0 to "bf16"
//   %1 = xf.contract %r[n, k], %W[k, c] -> [n, c]
//
// Not exact, so only where somebody asks for it. bf16(x) = x (1 + δ) with
// |δ| ≤ 2^-9, half a unit of eight bits: each product is off by that share of
// itself, and the sum by at most 2^-9 Σ |x W|. A product of two bfloat16 has 16
// bits and is exact in float32; what is added up is rounded as before. Programs
// that compute in bfloat16 throughout, as most such checkpoints were trained,
// do the same here and also round every result.

#include "compiler/fold/Passes.h"
#include "dialect/Dialect.h"

#include <mlir/IR/Builders.h>

namespace transfold::fold {
#define GEN_PASS_DEF_ROUNDPRODUCTS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

bool isBfloat16(Value operand) {
  auto weight = operand.getDefiningOp<xf::WeightOp>();
  auto stored = weight ? SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(
                             weight, weight.getStoredAttr())
                       : xf::StoredOp();
  return stored && stored.getExactFormat() == xf::Format::BF16;
}

struct RoundProducts : fold::impl::RoundProductsBase<RoundProducts> {
  void runOnOperation() override {
    getOperation().walk([&](xf::ContractOp product) {
      if (!isBfloat16(product.getRhs())) {
        exact += product.getRhs().getDefiningOp<xf::WeightOp>() != nullptr;
        return;
      }
      OpBuilder builder(product);
      product.getLhsMutable().assign(xf::RoundOp::create(
          builder, product.getLoc(), product.getLhs(), xf::Format::BF16));
      ++rounded;
    });
  }
};

} // namespace
