// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-select-results: entries keep only the requested results.
//
// Before:
//   xf.entry @decode(…) -> (!xf.real<n, 160> {xf.name = "logits"},
//                           !xf.real<n, 64> {xf.name = "hidden",
//                                            xf.on_request})
// After, with no result requested by name, and after, with results=hidden:
//   xf.entry @decode(…) -> (!xf.real<n, 160> {xf.name = "logits"})
//   xf.entry @decode(…) -> (!xf.real<n, 64> {xf.name = "hidden"})
//
// Without names, all results stay except those that are marked. An entry
// without requested results is removed, unless a remaining entry reads its
// results; so is everything that is then unused. An entry whose tokens come
// from a removed result does not generate tokens any more (`xf.causal` is
// removed). Exact: the remaining results are computed as before.

#include "compiler/fold/Passes.h"
#include "dialect/weights/Weights.h"

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

static constexpr StringLiteral onRequest = "xf.on_request";

/// The names of an argument or result, in the equations and for callers.
static SmallVector<StringRef, 2> namesIn(DictionaryAttr attributes) {
  SmallVector<StringRef, 2> names;
  if (attributes)
    for (StringRef key : {"xf.name", "xf.external"})
      if (auto name = attributes.getAs<StringAttr>(key))
        names.push_back(name);
  return names;
}

/// Whether one of the names is in the set.
static bool anyIn(ArrayRef<StringRef> names, const llvm::StringSet<> &set) {
  return llvm::any_of(names,
                      [&](StringRef name) { return set.contains(name); });
}

namespace {

struct SelectResults : fold::impl::SelectResultsBase<SelectResults> {
  using SelectResultsBase::SelectResultsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkNames(module)))
      return signalPassFailure();
    findWanted(module);
    IRRewriter rewriter(&getContext());
    for (auto entry : llvm::make_early_inc_range(module.getOps<xf::EntryOp>()))
      removeOthers(entry);
    for (auto entry : module.getOps<xf::EntryOp>())
      (void)runRegionDCE(rewriter, entry->getRegions());
    xf::eraseUnusedWeights(module);
  }

private:
  /// The results that stay, for each entry.
  llvm::DenseMap<xf::EntryOp, llvm::BitVector> wanted;

  /// Whether also the results on request are kept.
  bool asksForAll() const { return llvm::is_contained(results, "all"); }

  /// Whether the options request a result, by name or as one of those that are
  /// not marked.
  bool isAskedFor(xf::EntryOp entry, unsigned result) const {
    if (asksForAll())
      return true;
    if (results.empty())
      return !entry.getResultAttr(result, onRequest);
    return llvm::any_of(
        namesIn(entry.getResultAttrDict(result)),
        [&](StringRef name) { return llvm::is_contained(results, name); });
  }

  /// Emits an error that lists all results if a requested name is unknown.
  LogicalResult checkNames(ModuleOp module) {
    llvm::StringSet<> known = {"all"};
    std::string all;
    for (auto entry : module.getOps<xf::EntryOp>())
      for (unsigned k = 0; k < entry.getNumResults(); ++k) {
        auto names = namesIn(entry.getResultAttrDict(k));
        if (!names.empty() && !known.contains(names.front()))
          all += (all.empty() ? "" : ", ") + names.front().str();
        known.insert_range(names);
      }
    for (const std::string &name : results)
      if (!known.contains(name))
        return module.emitError()
               << "no entry has a result '" << name << "'; there are " << all;
    return success();
  }

  /// Marks the requested results, and transitively the results that entries
  /// with marked results read from other entries.
  void findWanted(ModuleOp module) {
    llvm::StringSet<> read;
    for (auto entry : module.getOps<xf::EntryOp>()) {
      llvm::BitVector &kept = wanted[entry];
      kept.resize(entry.getNumResults());
      for (unsigned k = 0; k < entry.getNumResults(); ++k)
        kept[k] = isAskedFor(entry, k);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[entry, kept] : wanted)
        if (kept.any())
          for (unsigned k = 0; k < entry.getNumArguments(); ++k)
            for (StringRef name : namesIn(entry.getArgAttrDict(k)))
              read.insert(name);
      for (auto &[entry, kept] : wanted)
        for (unsigned k = 0; k < entry.getNumResults(); ++k)
          if (!kept[k] && anyIn(namesIn(entry.getResultAttrDict(k)), read)) {
            kept.set(k);
            changed = true;
          }
    }
  }

  /// Erases the results that are not wanted, or the entry if none is.
  void removeOthers(xf::EntryOp entry) {
    llvm::BitVector gone = wanted[entry];
    gone.flip();
    if (gone.any() && gone.all()) {
      entry.erase();
      return;
    }
    entry.getBody().front().getTerminator()->eraseOperands(gone);
    (void)entry.eraseResults(gone);
    bool makesTokens = false;
    // Remaining results count as requested if the pass runs again.
    for (unsigned k = 0; k < entry.getNumResults(); ++k)
      // Without the mark, a result is one that the program computes in any
      // case, so the entry still generates.
      makesTokens |= !entry.removeResultAttr(k, onRequest);
    if (!makesTokens)
      for (unsigned k = 0; k < entry.getNumArguments(); ++k)
        entry.removeArgAttr(k, "xf.causal");
  }
};

} // namespace
