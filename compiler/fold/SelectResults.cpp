// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries keep the results that are asked for.
//
// Before:
//   xf.entry @decode(…) -> (!xf.real<n, 64> {xf.name = "hidden"},
//                           !xf.real<n, 160> {xf.name = "logits"})
// After, with results=logits:
//   xf.entry @decode(…) -> (!xf.real<n, 160> {xf.name = "logits"})
//
// An entry of which nothing is asked for is removed, and so is what nothing
// uses any more. Exact: the results that stay are computed as before.

#include "compiler/fold/Passes.h"
#include "dialect/Weights.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/StringSet.h>
#include <mlir/Interfaces/FunctionImplementation.h>
#include <mlir/Transforms/RegionUtils.h>

namespace transfold::fold {
#define GEN_PASS_DEF_SELECTRESULTS
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

struct SelectResults : fold::impl::SelectResultsBase<SelectResults> {
  using SelectResultsBase::SelectResultsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!results.empty() && failed(select(module)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (auto entry : module.getOps<xf::EntryOp>())
      (void)runRegionDCE(rewriter, entry->getRegions());
    xf::eraseUnusedWeights(module);
  }

private:
  static StringRef nameOf(xf::EntryOp entry, unsigned result) {
    auto name = entry.getResultAttrOfType<StringAttr>(result, "xf.name");
    return name ? name.getValue() : "";
  }

  LogicalResult select(ModuleOp module) {
    llvm::StringSet<> known;
    std::string all;
    for (auto entry :
         llvm::make_early_inc_range(module.getOps<xf::EntryOp>())) {
      llvm::BitVector gone(entry.getNumResults());
      for (unsigned k = 0; k < entry.getNumResults(); ++k) {
        StringRef name = nameOf(entry, k);
        if (known.insert(name).second)
          all += (all.empty() ? "" : ", ") + name.str();
        if (!llvm::is_contained(results, name))
          gone.set(k);
      }
      if (gone.all()) {
        entry.erase();
        continue;
      }
      entry.getBody().front().getTerminator()->eraseOperands(gone);
      (void)entry.eraseResults(gone);
    }
    for (const std::string &name : results)
      if (!known.contains(name))
        return module.emitError()
               << "no entry has a result '" << name << "'; there are " << all;
    return success();
  }
};

} // namespace
