// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-assign-schedules: the numbers of a kernel's schedule, visible in the IR.
//
//   xf.kernel @k(…) attributes {anchor = #xf.anchor<contraction>}
//     becomes
//   xf.kernel @k(…) attributes {anchor = #xf.anchor<contraction>,
//     schedule = {block = 128, columns = 32, depth = 192, rows = 8, …},
//     target = "x86-64-…"}
//
// Where the target is several machines, a kernel comes once for each that has
// something to offer it, and the module says which a program prefers:
//
//   module attributes {xf.variants = ["avx512", "avx2"]}
//   xf.kernel @k(…) attributes {…, variant = "avx512"}
//   xf.kernel @k_avx2(…) attributes {…, variant = "avx2", variant_of = @k}

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/ChooseSchedule.h"
#include "compiler/kernels/schedule/FewRows.h"
#include "compiler/kernels/schedule/StoredOperands.h"

#include <llvm/ADT/StringSet.h>

#include <stdexcept>

using namespace mlir;
using namespace transfold;

namespace transfold::kernels {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "compiler/kernels/Passes.h.inc"
} // namespace transfold::kernels

using kernels::Machine;

// Whether steps launch the kernel and have another form of it for few rows.
static bool hasFormOfFewRows(xf::KernelOp kernel) {
  const auto &form = kernels::recordOf(kernel.getAnchor()).fewRows;
  return form && form->isPossible(kernel) && kernels::isLaunchedBySteps(kernel);
}

namespace {
struct AssignSchedules : kernels::impl::AssignSchedulesBase<AssignSchedules> {
  using AssignSchedulesBase::AssignSchedulesBase;

  void runOnOperation() override {
    auto machines = machinesOf(target);
    if (failed(machines))
      return signalPassFailure();
    SmallVector<xf::KernelOp> kernels(getOperation().getOps<xf::KernelOp>());
    for (xf::KernelOp kernel : kernels) {
      // A kernel that has a target is for that one alone.
      if (kernel.getTarget()) {
        auto own = machinesOf(kernel.getTarget()->str());
        if (failed(own) || failed(assign(kernel, own->front())))
          return signalPassFailure();
        continue;
      }
      OpBuilder builder(kernel);
      builder.setInsertionPointAfter(kernel);
      SmallVector<xf::KernelOp> forms = {kernel};
      if (!machines->front().isGpu && hasFormOfFewRows(kernel)) {
        auto few = cast<xf::KernelOp>(builder.clone(*kernel));
        few.setSymName((kernel.getSymName() + "_few").str());
        kernel.setFew(few.getSymName());
        kernel.setFewRows(kernels::fewRows);
        forms.push_back(few);
      }
      for (xf::KernelOp form : forms)
        if (failed(assignVariants(form, *machines, form != kernel)))
          return signalPassFailure();
    }
    listVariants(*machines);
  }

  /// The order in which a program tries its variants: `xf.variants`.
  void listVariants(const std::vector<Machine> &machines) {
    llvm::StringSet<> used;
    for (auto kernel : getOperation().getOps<xf::KernelOp>())
      used.insert(kernel.getVariant().value_or(""));
    SmallVector<StringRef> names;
    for (const Machine &machine : machines)
      if (used.contains(machine.name))
        names.push_back(machine.name);
    if (names.size() > 1)
      getOperation()->setAttr("xf.variants",
                              Builder(&getContext()).getStrArrayAttr(names));
  }

  /// Without those whose instructions the kernel has no use for, beside those
  /// of the next less able one.
  static std::vector<Machine> usefulFor(xf::KernelOp kernel,
                                        const std::vector<Machine> &machines) {
    std::vector<Machine> useful;
    for (const Machine &own : llvm::reverse(machines)) {
      const Machine *next = useful.empty() ? nullptr : &useful.front();
      if (!next || own.vector != next->vector ||
          own.registers != next->registers ||
          (own.dot > next->dot && kernels::multipliesPairs(kernel)) ||
          (own.addsBytes && !next->addsBytes &&
           kernels::multipliesIntegers(kernel)))
        useful.insert(useful.begin(), own);
    }
    return useful;
  }

  static LogicalResult assignVariants(xf::KernelOp kernel,
                                      std::vector<Machine> machines,
                                      bool isFew) {
    machines = usefulFor(kernel, machines);
    OpBuilder builder(kernel);
    builder.setInsertionPointAfter(kernel);
    SmallVector<xf::KernelOp> variants = {kernel};
    for (size_t k = 1; k < machines.size(); ++k) {
      auto other = cast<xf::KernelOp>(builder.clone(*kernel));
      other.setSymName((kernel.getSymName() + "_" + machines[k].name).str());
      other.setVariantOf(kernel.getSymName());
      other.removeFewAttr();
      other.removeFewRowsAttr();
      variants.push_back(other);
    }
    for (auto [variant, machine] : llvm::zip(variants, machines)) {
      variant.setTarget(machine.target);
      variant.setVariant(machine.name);
      if (failed(assign(variant, machine, isFew)))
        return failure();
    }
    return success();
  }

  FailureOr<std::vector<Machine>> machinesOf(const std::string &name) {
    std::string refusal;
    try {
      return kernels::describeMachines(name);
    } catch (const std::exception &error) {
      refusal = error.what();
    }
    return getOperation().emitError(refusal);
  }

  static LogicalResult assign(xf::KernelOp kernel, const Machine &machine,
                              bool isFew = false) {
    if (kernel.getSchedule())
      return success();
    FailureOr<DictionaryAttr> schedule =
        kernels::chooseSchedule(kernel, machine, isFew);
    if (failed(schedule))
      return failure();
    kernel.setScheduleAttr(*schedule);
    return success();
  }
};
} // namespace
