// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-reassociate: computes products of several factors in the order that costs
// least. Chains.cpp and AbsorbHeads.cpp have the equations, the IR before and
// after, and why they are exact; ContractionOrder.cpp finds the order.
//
// One order holds for all numbers of rows. A chain is reordered only where the
// new order costs at most as much for all lengths. An attention of a decoder is
// decided for a decode step of one row, together with what is kept for earlier
// positions. If the number of rows of a call decided, a row would have other
// bits in a prompt than in a step.

#include "compiler/fold/Passes.h"
#include "compiler/fold/move/MovedLines.h"
#include "compiler/fold/order/AbsorbHeads.h"
#include "compiler/fold/order/Chains.h"

#include "dialect/weights/Weights.h"

#include <fmt/format.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/RegionUtils.h>

namespace transfold::fold {
#define GEN_PASS_DEF_REASSOCIATE
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

struct Reassociate : fold::impl::ReassociateBase<Reassociate> {
  using ReassociateBase::ReassociateBase;

  void runOnOperation() override {
    fold::MovedLines lines("order");
    IRRewriter rewriter(&getContext());
    for (auto entry : getOperation().getOps<xf::EntryOp>()) {
      absorb(entry, lines);
      (void)runRegionDCE(rewriter, entry->getRegions());
      reorder(entry, lines);
      (void)runRegionDCE(rewriter, entry->getRegions());
    }
    xf::eraseUnusedWeights(getOperation());
    lines.write(getOperation());
  }

private:
  /// Whether options rule out a change, which is then recorded as the reason.
  bool isKept(fold::MovedLine &line) {
    if (!llvm::is_contained(keep, "order") && !line.isAmong(keep))
      return false;
    line.kept = "--no-fold";
    ++left;
    return true;
  }

  /// Replaces keys and values of heads by the rows that they are computed from.
  void absorb(xf::EntryOp entry, fold::MovedLines &lines) {
    SmallVector<xf::SoftmaxOp> softmaxes;
    entry.walk([&](xf::SoftmaxOp softmax) { softmaxes.push_back(softmax); });
    for (xf::SoftmaxOp softmax : softmaxes) {
      auto attention = fold::findAbsorbed(softmax);
      if (!attention || !attention->isCheaper())
        continue;
      fold::MovedLine line(attention->scores.getLoc(), attention->names());
      line.entries.push_back(entry.getSymName().str());
      if (!isKept(line)) {
        line.destinations = textOf(*attention);
        line.readers = 2;
        attention->apply();
        ++absorbed;
      }
      lines.add(line);
    }
  }

  static SmallVector<std::string>
  textOf(const fold::AbsorbedAttention &attention) {
    SmallVector<std::string> texts = {
        "(Q W') c' for Q (c W)', and (P c) W for P (c W)",
        fmt::format("{} values of a token are kept for {}",
                    attention.keptAsRows(), attention.keptAsHeads())};
    if (auto many = attention.manyRows())
      texts.push_back(fmt::format(
          "absorbed below {} rows, and above for the same bits", *many));
    return texts;
  }

  /// Chooses cheaper orders of chains.
  void reorder(xf::EntryOp entry, fold::MovedLines &lines) {
    SmallVector<xf::ContractOp> products;
    entry.walk([&](xf::ContractOp product) { products.push_back(product); });
    // From the last one, so that inner contractions of a chain stay for it.
    for (xf::ContractOp product : llvm::reverse(products)) {
      if (product->use_empty())
        continue; // an inner contraction of a chain that was replaced
      auto chain = fold::Chain::endingAt(product);
      auto order = chain ? chain->better() : std::nullopt;
      if (!order)
        continue;
      fold::MovedLine line(chain->getLoc(), chain->names());
      line.entries.push_back(entry.getSymName().str());
      if (!isKept(line)) {
        line.destinations = {
            chain->text(order->steps) + " for " + chain->text(),
            order->cost.str() + " multiply-adds for " + chain->cost().str()};
        line.readers = static_cast<unsigned>(order->steps.size());
        chain->apply(*order);
        ++reordered;
      }
      lines.add(line);
    }
  }
};

} // namespace
