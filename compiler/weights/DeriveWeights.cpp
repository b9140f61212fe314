// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-derive-weights: computes values that depend on weights alone only once.
//
// Before:
//   %y = xf.layers %l < 6 (%x = %x0, %s = %β0) {
//     %t = xf.contract %s[k], %W[k, c] -> [c]
//     %d = xf.add %b[c], %t[c] -> [c]          // read by other operations
//     … xf.yield %next, %β                     // of layer %l
//   }
// After:
//   xf.stored @s.carried[l = 6] : !xf.real<384> of [@β0, @β]
//   xf.stored @b.derived[l = 6] : !xf.real<384> derived { … the two … }
//   %y = xf.layers %l < 6 (%x = %x0) {
//     %d = xf.weight @b.derived[%l]
//     … xf.yield %next
//   }
//
// Exact: the reference interpreter runs the same operations, in double, when
// the program's weights are written, tensor by tensor; the result is rounded
// once. A value with more bytes than the weights that it is computed from stays
// in the program, and so do selections and rearrangements, which are views. A
// table by index of fixed shape that is an operand of a contraction is stored
// too: as a matrix of weights it is packed for the contraction, and not
// recomputed in each run.

#include "compiler/weights/Passes.h"
#include "dialect/Labels.h"
#include "dialect/weights/Storage.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SetVector.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/RegionUtils.h>

namespace transfold::weights {
#define GEN_PASS_DEF_DERIVEWEIGHTS
#include "compiler/weights/Passes.h.inc"
} // namespace transfold::weights

using namespace mlir;
using namespace transfold;

namespace {

/// Whether `op` computes new values, as opposed to views of others.
bool isArithmetic(Operation *op) {
  return op && isa<xf::AddOp, xf::SubtractOp, xf::MultiplyOp, xf::DivideOp,
                   xf::ContractOp, xf::NegateOp>(op);
}

/// The loops around `op`, outermost first.
SmallVector<xf::LayersOp> loopsAround(Operation *op) {
  SmallVector<xf::LayersOp> loops;
  for (auto loop = op->getParentOfType<xf::LayersOp>(); loop;
       loop = loop->getParentOfType<xf::LayersOp>())
    loops.insert(loops.begin(), loop);
  return loops;
}

/// Collects the operations that a value is computed from, in program order.
void slice(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || ops.contains(op))
    return;
  for (Value operand : op->getOperands())
    slice(operand, ops);
  ops.insert(op);
}

/// Whether `value` is computed without carried values of loops: these may
/// differ in each layer and depend on the previous one.
bool dependsOnLayerOnly(Value value) {
  llvm::SetVector<Operation *> ops;
  slice(value, ops);
  auto isCarried = [](Value x) {
    return isa<BlockArgument>(x) && !x.getType().isIndex();
  };
  return !isCarried(value) && llvm::none_of(ops, [&](Operation *op) {
    return isa<xf::LayersOp>(op) || llvm::any_of(op->getOperands(), isCarried);
  });
}

/// Carried values of loops come first, since they hide from the others that
/// they depend on weights alone.
struct DeriveWeights : weights::impl::DeriveWeightsBase<DeriveWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRRewriter rewriter(&getContext());
    for (auto entry : module.getOps<xf::EntryOp>()) {
      SmallVector<xf::LayersOp> loops(entry.getOps<xf::LayersOp>());
      for (xf::LayersOp loop : loops)
        takeOut(loop);
      SmallVector<Operation *> roots;
      entry.walk([&](Operation *op) {
        if (isRoot(op))
          roots.push_back(op);
      });
      for (Operation *root : roots)
        derive(root);
      (void)runRegionDCE(rewriter, entry->getRegions());
    }
    xf::eraseUnusedWeights(module);
  }

private:
  /// The name if no stored weight is involved.
  static constexpr const char *noName = "zeros";

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Whether the result of `op` is to become a weight: the last operation of a
  /// computation on weights, whose operands then need no weights of their own.
  static bool isRoot(Operation *op) {
    if (isMatrixOfProduct(op))
      return true;
    return isArithmetic(op) && xf::isWeightOnly(op->getResult(0)) && isRead(op);
  }

  /// Whether `op` is a table, known at compile time, that another value is
  /// multiplied with.
  static bool isMatrixOfProduct(Operation *op) {
    auto table = dyn_cast<xf::TabulateOp>(op);
    return table && xf::isWeightOnly(table) &&
           llvm::any_of(table->getUsers(), [](Operation *user) {
             return isa<xf::ContractOp>(user) &&
                    !xf::isWeightOnly(user->getResult(0));
           });
  }

  /// Whether an operation other than arithmetic on weights reads the result,
  /// directly or through a view.
  static bool isRead(Operation *op) {
    return llvm::any_of(op->getUsers(), [](Operation *user) {
      return user->getNumResults() != 1 ||
             !xf::isWeightOnly(user->getResult(0)) ||
             (!isArithmetic(user) && isRead(user));
    });
  }

  /// Replaces a value by a weight, unless that would take more memory.
  void derive(Operation *root) {
    SmallVector<xf::LayersOp> loops = loopsAround(root);
    Value value = root->getResult(0);
    if (!dependsOnLayerOnly(value) ||
        (!isa<xf::TabulateOp>(root) && bytesOf(value) > bytesBehind(value)))
      return;
    OpBuilder builder(root);
    value.replaceAllUsesWith(
        read(builder, root->getLoc(), storedFor(value, loops), loops));
    ++derived;
  }

  /// Reads the member of a weight for the current layers of `loops`.
  static Value read(OpBuilder &builder, Location loc, xf::StoredOp stored,
                    ArrayRef<xf::LayersOp> loops) {
    SmallVector<Value> layers;
    for (xf::LayersOp loop : loops)
      layers.push_back(loop.getLayer());
    return xf::WeightOp::create(builder, loc,
                                cast<xf::RealType>(stored.getType()),
                                stored.getSymName(), layers);
  }

  /// The bytes of a value in float32.
  static int64_t bytesOf(Value value) {
    return xf::countNumbers(value.getType()) * int64_t{sizeof(float)};
  }

  /// The bytes of the weights that `value` is computed from, each counted once.
  int64_t bytesBehind(Value value) {
    llvm::SetVector<Operation *> ops;
    slice(value, ops);
    llvm::SetVector<Operation *> read;
    for (Operation *op : ops)
      if (auto weight = dyn_cast<xf::WeightOp>(op))
        read.insert(getOperation().lookupSymbol(weight.getStored()));
    int64_t bytes = 0;
    for (Operation *op : read) {
      auto stored = cast<xf::StoredOp>(op);
      auto [numbers, each] = xf::blockSizeOf(
          stored.isWide() ? xf::Format::F32 : stored.getSource()->getFormat());
      bytes += xf::countNumbers(stored.getType()) * each / numbers;
    }
    return bytes;
  }

  /// The weight whose members are `value` in each iteration of `loops`.
  xf::StoredOp storedFor(Value value, ArrayRef<xf::LayersOp> loops) {
    if (auto weight = value.getDefiningOp<xf::WeightOp>();
        weight && llvm::equal(weight.getIndices(), loops,
                              [](Value index, xf::LayersOp loop) {
                                return index == loop.getLayer();
                              }))
      return getOperation().lookupSymbol<xf::StoredOp>(weight.getStored());
    llvm::SetVector<Operation *> ops;
    slice(value, ops);
    std::string base = isa<xf::TabulateOp>(ops.back()) ? "table" : noName;
    for (Operation *op : llvm::reverse(ops))
      if (auto weight = dyn_cast<xf::WeightOp>(op))
        base = weight.getStored().str();
    StringRef plain = base;
    (void)plain.consume_back(".derived");
    xf::StoredOp stored = create(value, (plain + ".derived").str(), loops);
    OpBuilder builder(stored.getContext());
    Block *body = builder.createBlock(&stored.getDerivation());
    IRMapping mapping;
    for (xf::LayersOp loop : loops)
      mapping.map(loop.getLayer(),
                  body->addArgument(builder.getIndexType(), loop.getLoc()));
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    xf::YieldOp::create(builder, value.getLoc(), mapping.lookup(value));
    return unique(stored);
  }

  /// Creates a weight of the type of `value`, with one member per iteration of
  /// `loops`.
  xf::StoredOp create(Value value, StringRef name,
                      ArrayRef<xf::LayersOp> loops) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointToStart(getOperation().getBody());
    SmallVector<Attribute> indices;
    SmallVector<int64_t> extents;
    for (xf::LayersOp loop : loops) {
      indices.push_back(builder.getStringAttr(
          "l" + (indices.empty() ? "" : Twine(indices.size()))));
      // The extent covers the last layers of a loop that was split.
      extents.push_back(static_cast<int64_t>(loop.getEnd()));
    }
    return xf::StoredOp::create(
        builder, value.getLoc(), builder.getStringAttr(name),
        builder.getArrayAttr(indices), builder.getDenseI64ArrayAttr(extents),
        cast<xf::RealType>(value.getType()));
  }

  /// An existing equal weight, or this one under a unique name.
  xf::StoredOp unique(xf::StoredOp stored) {
    std::string name = stored.getSymName().str();
    for (unsigned number = 1;; ++number) {
      Operation *taken = nullptr;
      std::string next = name + (number > 1 ? std::to_string(number) : "");
      for (auto other : getOperation().getOps<xf::StoredOp>())
        if (other != stored && other.getSymName() == next)
          taken = other;
      if (!taken) {
        stored.setSymName(next);
        return stored;
      }
      stored.setSymName(next);
      if (OperationEquivalence::isEquivalentTo(
              taken, stored, OperationEquivalence::IgnoreLocations)) {
        stored.erase();
        return cast<xf::StoredOp>(taken);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Carried values
  //===--------------------------------------------------------------------===//

  /// Turns carried values that are computed from weights into weights with one
  /// member per layer. A loop that was split keeps them: its first layer is not
  /// the first member.
  void takeOut(xf::LayersOp loop) {
    if (loop.getBegin())
      return;
    Block &body = loop.getBody().front();
    OpBuilder inside(&body, body.begin()), outside(loop->getContext());
    outside.setInsertionPointAfter(loop);
    llvm::BitVector gone(loop.getInits().size());
    for (unsigned k = 0; k < gone.size(); ++k) {
      Value argument = loop.getCarried()[k], next = loop.getYieldedValues()[k];
      if (!xf::isWeightOnly(argument) || !dependsOnLayerOnly(next) ||
          !dependsOnLayerOnly(loop.getInits()[k]))
        continue;
      gone.set(k);
      xf::StoredOp first = storedFor(loop.getInits()[k], {}),
                   rest = storedFor(next, {loop});
      argument.replaceAllUsesWith(
          read(inside, loop.getLoc(), chain(argument, {first, rest}, 0, {loop}),
               {loop}));
      if (!loop.getResult(k).use_empty())
        loop.getResult(k).replaceAllUsesWith(read(
            outside, loop.getLoc(),
            chain(next, {rest}, static_cast<int64_t>(loop.getCount()) - 1, {}),
            {}));
    }
    if (gone.any())
      loop.withoutCarried(gone);
  }

  /// A weight with the members of `parts`, concatenated, without the first
  /// `skipped`.
  xf::StoredOp chain(Value value, ArrayRef<xf::StoredOp> parts, int64_t skipped,
                     ArrayRef<xf::LayersOp> loops) {
    // Prefer a name other than that of zeros.
    xf::StoredOp named = parts.back();
    if (named.getSymName().starts_with(noName))
      named = parts.front();
    StringRef base = named.getSymName();
    xf::StoredOp stored = create(
        value, (base + (loops.empty() ? ".last" : ".carried")).str(), loops);
    SmallVector<Attribute> names;
    for (xf::StoredOp part : parts)
      names.push_back(FlatSymbolRefAttr::get(part));
    stored.setChainAttr(xf::ChainAttr::get(
        stored.getContext(), ArrayAttr::get(stored.getContext(), names),
        skipped));
    return unique(stored);
  }
};

} // namespace
