// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-fold-gauges: moves constants of the equations to where they cost nothing.
//
//   softmax(c Q K')     = softmax with the scale log2(e) c, of powers of two
//   norm_ε(s x)         = norm_(ε/s²)(x)
//   (s x) W + s b       = s (x W + b)
//
// Before:
//   %e = xf.gather %E[%tokens]
//   %s = xf.scale %e by <"6*sqrt(2)"> "√d"
//   %x = xf.add %s[n, c], %PE[n, c] -> [n, c]
//   %y = xf.standardize %x epsilon <"1/100000">
// After, with @PE times [<"1/(6*sqrt(2))">]:
//   %x = xf.add %e[n, c], %PE[n, c] -> [n, c]
//   %y = xf.standardize %x epsilon <"1/7200000">
//
// Exact: every operation's law (GaugeLaws.cpp) holds for the factors of its
// operands and result, and arguments and results have the factor 1, so the
// results are unchanged. Each changed value is rounded once, from an exact
// product. The exponents are solved as a linear system over the rationals
// (Problem.h, Solve.h), the signs as one modulo 2.

#include "compiler/fold/Apply.h"
#include "compiler/fold/Ledger.h"
#include "compiler/fold/Passes.h"
#include "compiler/fold/move/MovedLines.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>

namespace transfold::fold {
#define GEN_PASS_DEF_FOLDGAUGES
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

struct FoldGauges : fold::impl::FoldGaugesBase<FoldGauges> {
  using FoldGaugesBase::FoldGaugesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (llvm::is_contained(keep, "all"))
      return;
    WalkResult cut = module.walk([](xf::LayersOp loop) {
      if (!loop.getBegin())
        return WalkResult::advance();
      loop.emitError(
          "constants can be folded in whole loops only: cut loops afterwards");
      return WalkResult::interrupt();
    });
    fold::ProblemOptions options;
    if (cut.wasInterrupted() || failed(findKept(options.keep)))
      return signalPassFailure();
    try {
      auto problem = fold::Problem::of(module, options);
      auto solution = fold::solve(problem, {intoLowPrecision});
      llvm::StringSet<> far;
      // A constant that would leave the range of float32 stays where the
      // equations have it; without it other constants may be folded
      // differently, so everything is solved again. The set grows in each round
      // and is finite.
      while (
          keepFar(fold::farConstants(problem, solution), options.keep, far)) {
        problem = fold::Problem::of(module, options);
        solution = fold::solve(problem, {intoLowPrecision});
      }
      // Must run before the operations that the ledger refers to change.
      fold::writeLedger(module, problem, solution, options.keep, far);
      fold::apply(module, problem, solution, options.keep);
    } catch (const std::overflow_error &error) {
      module.emitError() << "constants cannot be folded: " << error.what()
                         << "; compile with --no-fold=all";
      return signalPassFailure();
    }
    for (auto entry : module.getOps<xf::EntryOp>())
      entry.walk([&](xf::ScaleOp) { ++left; });
    for (auto line : module.getOps<xf::FoldedOp>()) {
      folded += !line.getKept();
      if (remarks)
        line.emitRemark() << fold::ledgerLine(line);
    }
  }

  /// Adds the constants that would exceed the range of float32 to those that
  /// stay; returns whether any is new.
  static bool keepFar(const llvm::StringSet<> &found, llvm::StringSet<> &kept,
                      llvm::StringSet<> &far) {
    bool isNew = false;
    for (const auto &written : found) {
      isNew |= kept.insert(written.getKey()).second;
      far.insert(written.getKey());
    }
    return isNew;
  }

  /// Collects the kept constants as the equations write them; users may write
  /// their names differently.
  LogicalResult findKept(llvm::StringSet<> &kept) {
    llvm::SetVector<StringRef> written, moved;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      entry.walk(
          [&](xf::ScaleOp scale) { written.insert(scale.getWritten()); });
    // Biases and gains have been moved by earlier passes.
    for (auto line : getOperation().getOps<xf::MovedOp>())
      moved.insert(line.getWritten());
    for (const std::string &name : keep) {
      bool found = name == "order"; // xf-reassociate
      for (StringRef text : written)
        if (fold::plainConstant(text) == fold::plainConstant(name)) {
          kept.insert(text);
          found = true;
        }
      found |= llvm::any_of(
          moved, [&](StringRef text) { return fold::isNamed(text, name); });
      if (namesWeights)
        for (auto stored : getOperation().getOps<xf::StoredOp>())
          found |= fold::isNamed(stored.getSymName(), name);
      if (!found)
        return getOperation().emitError()
               << "the equations have no constant '" << name << "'; they have "
               << (written.empty() ? "none" : llvm::join(written, ", "));
    }
    return success();
  }
};

} // namespace
