// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of what a module may contain, and its verifier.
//
// "Arithmetic" are all operations with a batch law: those that compute values
// from values, or move their elements. It is a property of operations, so that
// a new one is in the table without a change here.

#include "dialect/legal/Legality.h"

#include "dialect/MemoryOrder.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

template <typename... Ops> static bool isOneOf(Operation *op) {
  return isa<Ops...>(op);
}

/// Equations, as specs can state them. A rounding to blocks is requested by
/// options, and the operations on chosen rows are derived.
static bool isEquation(Operation *op) {
  return isa<BatchLawInterface>(op) && !isa<QuantizeOp>(op) &&
         !op->hasTrait<ChosenRows>();
}

static bool isArithmetic(Operation *op) { return isa<BatchLawInterface>(op); }

/// A rearrangement that moves no data.
static bool isOnlyView(Operation *op) {
  auto rearrange = dyn_cast<RearrangeOp>(op);
  return rearrange && isView(rearrange);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using enum Place;
using enum ModuleStage;

ArrayRef<LegalRule> xf::legalRules() {
  static constexpr LegalRule rules[] = {
      {"`entry`, `stored`", isOneOf<EntryOp, StoredOp>, Module, Xf, Host,
       "the functions of a model, and the tensors of its checkpoint"},
      {"`folded`, `moved`", isOneOf<FoldedOp, MovedOp>, Module, Folded, Host,
       "the ledger"},
      {"`channel_scales`", isOneOf<ChannelScalesOp>, Module, Folded, Host,
       "factors of channels that calibration chooses"},
      {"`cache`", isOneOf<CacheOp>, Module, Staged, Host,
       "keys and values of earlier tokens"},
      {"`kernel`", isOneOf<KernelOp>, Module, Kernels, Host,
       "what launches run"},

      {"`layers`, `yield`, `return`, `weight`",
       isOneOf<LayersOp, YieldOp, ReturnOp, WeightOp>, Entry, Xf, Host,
       "loops over layers, and the weights that they read"},
      {"`scan`", isOneOf<ScanOp>, Entry, Xf, Host,
       "loops over positions, with states"},
      {"arithmetic", isEquation, Entry, Xf, Staged,
       "the equations; later all arithmetic is in kernels"},
      {"`quantize`", isOneOf<QuantizeOp>, Entry, Folded, Staged,
       "operands that options round to blocks"},
      {"`cache_read`, `cache_write`", isOneOf<CacheReadOp, CacheWriteOp>, Entry,
       Staged, Host, "decode steps"},
      {"`launch`", isOneOf<LaunchOp>, Entry, Kernels, Host,
       "one for each kernel that runs"},
      {"`rearrange` that moves no data", isOnlyView, Entry, Kernels, Host,
       "views of values in memory"},
      {"`transfer`", isOneOf<TransferOp>, Entry, Host, Host,
       "copies between a processor and a GPU"},

      {"arithmetic, `weight`, `yield`",
       [](Operation *op) {
         return isArithmetic(op) || isa<WeightOp, YieldOp>(op);
       },
       Stored, Folded, Host, "weights that are computed from other weights"},

      {"arithmetic, `return`",
       [](Operation *op) { return isArithmetic(op) || isa<ReturnOp>(op); },
       Kernel, Kernels, Host, "the algorithm of a kernel"},
      {"`scan`, `yield`", isOneOf<ScanOp, YieldOp>, Kernel, Kernels, Host,
       "recurrences that a processor computes in one kernel"},
  };
  return rules;
}

//===----------------------------------------------------------------------===//
// Names and text
//===----------------------------------------------------------------------===//

static constexpr StringLiteral stages[] = {"xf", "folded", "staged", "kernels",
                                           "host"};
static constexpr StringLiteral places[] = {"the module", "entries",
                                           "stored weights", "kernels"};

StringRef xf::name(ModuleStage stage) { return stages[int(stage)]; }

std::optional<ModuleStage> xf::moduleStageNamed(StringRef name) {
  const auto *found = llvm::find(stages, name);
  if (found == std::end(stages))
    return std::nullopt;
  return ModuleStage(found - std::begin(stages));
}

std::string xf::legalTable(std::optional<ModuleStage> stage) {
  std::string out = stage
                        ? "| in | operations | |\n|---|---|---|\n"
                        : "| in | operations | after | |\n|---|---|---|---|\n";
  for (const LegalRule &rule : legalRules()) {
    if (stage && (*stage < rule.first || *stage > rule.last))
      continue;
    out += fmt::format("| {} | {} | ", places[int(rule.place)].str(),
                       rule.operations.str());
    if (!stage)
      out += rule.first == rule.last
                 ? fmt::format("`{}` | ", name(rule.first).str())
                 : fmt::format("`{}` to `{}` | ", name(rule.first).str(),
                               name(rule.last).str());
    out += rule.reason.str() + " |\n";
  }
  return out;
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

static Place placeOf(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<EntryOp>(parent))
      return Entry;
    if (isa<StoredOp>(parent))
      return Stored;
    if (isa<KernelOp>(parent))
      return Kernel;
  }
  return Module;
}

bool xf::isLegal(Operation *op, ModuleStage stage) {
  const Place place = placeOf(op);
  return llvm::any_of(legalRules(), [&](const LegalRule &rule) {
    return rule.place == place && rule.first <= stage && stage <= rule.last &&
           rule.includes(op);
  });
}

LogicalResult xf::verifyStage(ModuleOp module, ModuleStage stage) {
  bool areLegal = true;
  module->walk([&](Operation *op) {
    if (op == module || isLegal(op, stage))
      return;
    areLegal = false;
    op->emitOpError() << "may not be in " << places[int(placeOf(op))]
                      << " after '" << name(stage) << "'";
  });
  return success(areLegal);
}

namespace {
class VerifyStage : public PassWrapper<VerifyStage, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStage)

  VerifyStage() = default;
  VerifyStage(const VerifyStage &other) : PassWrapper(other) {}
  explicit VerifyStage(ModuleStage stage) { after = xf::name(stage).str(); }

  StringRef getArgument() const override { return "xf-verify-stage"; }
  StringRef getDescription() const override {
    return "Checks that a module contains only what it may after a stage";
  }

  void runOnOperation() override {
    std::optional<ModuleStage> stage = moduleStageNamed(after);
    if (!stage) {
      getOperation().emitError()
          << "xf-verify-stage: there is no stage '" << after
          << "'; expected one of " << llvm::join(ArrayRef(stages), ", ");
      return signalPassFailure();
    }
    if (failed(verifyStage(getOperation(), *stage)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  Option<std::string> after{*this, "after",
                            llvm::cl::desc("The stage: a name of --emit"),
                            llvm::cl::init("xf")};
};
} // namespace

std::unique_ptr<Pass> xf::createVerifyStage(ModuleStage stage) {
  return std::make_unique<VerifyStage>(stage);
}

void xf::registerLegalPasses() { PassRegistration<VerifyStage>(); }
