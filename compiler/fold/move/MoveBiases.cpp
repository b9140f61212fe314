// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-move-biases: moves biases to where others are added, or removes those
// without effect.
//
//   (x + b) W + c        = x W + (b W + c)
//   P (V + b)            = P V + b        rows of P sum to 1
// softmax(Q (K + b)')  = softmax(Q K')  q · b is constant along each row
//
// Before:
//   %y = xf.add %x[n, k], %b[k] -> [n, k]
//   %z = xf.contract %y[n, k], %W[k, c] -> [n, c]
//   %u = xf.add %z[n, c], %c[c] -> [n, c]
// After:
//   %s = xf.contract %b[k], %W[k, c] -> [c]
//   %d = xf.add %c[c], %s[c] -> [c]
//   %z = xf.contract %x[n, k], %W[k, c] -> [n, c]
//   %u = xf.add %z[n, c], %d[c] -> [n, c]
//
// Exact: the operations between a bias and the place where it is added again
// are linear in the biased value, or invariant under the bias; the law of each
// states which (ShiftLaws.cpp), and an operation without a law gets the value
// with its bias. %d is computed from weights alone, so it is computed once
// (DeriveWeights.cpp), in double, and rounded once.
//
// A bias moves if fewer elements are added than before. A bias that is marked
// as larger than what it is added to (compiler/calibrate/LargeBiases.h) does
// not move past an average (attention), which would then sum values of large
// magnitude. Each move is tried on a copy of its entry, in program order: a
// bias that was moved into another moves on together with it.

#include "compiler/fold/Passes.h"
#include "compiler/fold/move/MovedLines.h"
#include "compiler/fold/solve/Shifts.h"

#include "dialect/weights/Weights.h"

#include <llvm/Support/FormatVariadic.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

namespace transfold::fold {
#define GEN_PASS_DEF_MOVEBIASES
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;
using fold::ShiftMove;

namespace {

struct MoveBiases : fold::impl::MoveBiasesBase<MoveBiases> {
  using MoveBiasesBase::MoveBiasesBase;

  void runOnOperation() override {
    fold::MovedLines lines("bias");
    for (auto entry :
         llvm::make_early_inc_range(getOperation().getOps<xf::EntryOp>()))
      moveAll(entry, lines);
    lines.write(getOperation());
  }

private:
  /// Tries to move each bias of an entry. A successful move replaces the entry
  /// by its changed copy, so the biases that are still to be tried are looked
  /// up in the copy.
  void moveAll(xf::EntryOp entry, fold::MovedLines &lines) {
    SmallVector<xf::AddOp> sources;
    entry.walk([&](xf::AddOp add) {
      auto right = fold::biasIsRight(add);
      if (right && fold::firstWeight(*right ? add.getRhs() : add.getLhs()))
        sources.push_back(add);
    });
    for (unsigned k = 0; k < sources.size(); ++k) {
      fold::MovedLine line(sources[k].getLoc(), biasName(sources[k]));
      line.entries.push_back(entry.getSymName().str());
      if (line.isAmong(keep)) {
        line.kept = "--no-fold";
      } else {
        IRMapping copies;
        OpBuilder builder(entry);
        auto copy = cast<xf::EntryOp>(builder.clone(*entry, copies));
        ShiftMove move(
            cast<xf::AddOp>(copies.lookup(sources[k].getOperation())));
        line.kept = outcome(move, besideOf(sources[k]));
        line.readers = move.readers;
        if (!line.kept) {
          llvm::append_range(line.destinations, move.destinations);
          for (unsigned later = k + 1; later < sources.size(); ++later)
            sources[later] =
                cast<xf::AddOp>(copies.lookup(sources[later].getOperation()));
          std::swap(entry, copy);
        }
        copy.erase();
      }
      line.kept ? ++stayed : ++moved;
      lines.add(line);
    }
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, entry->getRegions());
  }

  /// The weight that a bias is, or the first one that it is computed from.
  static std::string biasName(xf::AddOp add) {
    Value bias = *fold::biasIsRight(add) ? add.getRhs() : add.getLhs();
    return fold::firstWeight(bias).getStored().str();
  }

  /// The ratio of the bias's magnitude to that of what it is added to; 0 if it
  /// was not measured to be larger.
  static double besideOf(xf::AddOp add) {
    Value bias = *fold::biasIsRight(add) ? add.getRhs() : add.getLhs();
    xf::StoredOp stored = xf::storedOf(fold::firstWeight(bias));
    auto beside = stored->getAttrOfType<FloatAttr>(fold::largeBias);
    return beside ? beside.getValueAsDouble() : 0;
  }

  /// The reason why the bias stays; nullopt if it was moved.
  static std::optional<std::string> outcome(ShiftMove &move, double beside) {
    if (failed(move.run()) || move.added >= move.removed)
      return fold::describeObjection(move.objection);
    if (move.isAveraged && beside > 1)
      return llvm::formatv("it is {0:f2} times as large as what it is added "
                           "to, and averages of the rest would lose digits",
                           beside)
          .str();
    return std::nullopt;
  }
};

} // namespace
