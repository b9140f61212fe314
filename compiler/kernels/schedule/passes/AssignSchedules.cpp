// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-assign-schedules: the parameters of each kernel's schedule, visible in
// the IR.
//
//   xf.kernel @k(…) attributes {anchor = #xf.anchor<contraction>}
//     becomes
//   xf.kernel @k(…) attributes {anchor = #xf.anchor<contraction>,
//     schedule = {block = 128, columns = 32, depth = 192, rows = 8, …},
//     target = "x86-64-…"}
//
// If the target is several machines, a kernel is cloned for each machine that
// has a schedule of its own, and the module lists the variants in the order in
// which a program prefers them:
//
//   module attributes {xf.variants = ["avx512", "avx2"]}
//   xf.kernel @k(…) attributes {…, variant = "avx512"}
//   xf.kernel @k_avx2(…) attributes {…, variant = "avx2", variant_of = @k}
//
// The parameters come from a rule (ChooseSchedule.h) or were measured
// (ScheduleFile.h); schedules that are to be measured are variants, too.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/choose/ChooseSchedule.h"
#include "compiler/kernels/schedule/choose/FewRows.h"
#include "compiler/kernels/schedule/choose/Processors.h"
#include "compiler/kernels/schedule/tune/Measurable.h"
#include "compiler/kernels/schedule/tune/MeasuredAttr.h"
#include "compiler/kernels/schedule/tune/ScheduleFile.h"
#include "compiler/kernels/schedule/tune/Signature.h"

#include <fmt/format.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

#include <set>

#include <stdexcept>

using namespace mlir;
using namespace transfold;

namespace transfold::kernels {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "compiler/kernels/Passes.h.inc"
} // namespace transfold::kernels

using kernels::Entries;
using kernels::Machine;
using kernels::MeasuredSchedule;

using FewRows = kernels::AnchorRecord::FewRows;

namespace {
struct AssignSchedules : kernels::impl::AssignSchedulesBase<AssignSchedules> {
  using AssignSchedulesBase::AssignSchedulesBase;

  void runOnOperation() override {
    auto machines = machinesOf(target);
    if (failed(machines) || failed(readSchedules()) ||
        failed(checkTrials(*machines)))
      return signalPassFailure();
    SmallVector<xf::KernelOp> kernels(getOperation().getOps<xf::KernelOp>());
    for (xf::KernelOp kernel : kernels) {
      // A kernel that has a target already is only for that target.
      if (kernel.getTarget()) {
        auto own = machinesOf(kernel.getTarget()->str());
        if (failed(own) || failed(assign(kernel, own->front())))
          return signalPassFailure();
        continue;
      }
      for (auto [form, few] :
           addFormsOfFewRows(kernel, machines->front().isGpu))
        if (failed(assignVariants(form, *machines, few)))
          return signalPassFailure();
    }
    listVariants(*machines);
    sayWhatWasUsed();
  }

  /// A kernel's forms: the general one, for any number of rows, and the small-M
  /// forms.
  using Forms = SmallVector<std::pair<xf::KernelOp, const FewRows *>>;

  /// For a kernel that decode steps launch: each form refers to the one for
  /// fewer rows.
  static Forms addFormsOfFewRows(xf::KernelOp kernel, bool isForGpu) {
    Forms forms = {{kernel, nullptr}};
    if (!kernels::isLaunchedBySteps(kernel))
      return forms;
    xf::KernelOp whole = kernel.clone();
    const auto &anchor = kernels::recordOf(kernel.getAnchor());
    for (const FewRows &few : isForGpu ? anchor.fewRowsOnGpu : anchor.fewRows) {
      if (!few.isPossible(kernel))
        continue;
      xf::KernelOp last = forms.back().first, form = whole.clone();
      form.setSymName((kernel.getSymName() + few.suffix).str());
      form.setOneLoop(few.isOneLoop);
      last->getBlock()->getOperations().insertAfter(last->getIterator(), form);
      last.setFew(form.getSymName());
      last.setFewRows(few.rows);
      forms.emplace_back(form, &few);
    }
    whole.erase();
    return forms;
  }

  /// Reads the file of measured schedules, if one was given.
  LogicalResult readSchedules() {
    if (schedules.empty())
      return success();
    std::string refusal;
    try {
      file = kernels::readScheduleFile(schedules);
      return success();
    } catch (const std::exception &error) {
      refusal = error.what();
    }
    return getOperation().emitError(refusal);
  }

  /// Emits an error if trials are requested for several processors or a GPU.
  LogicalResult checkTrials(const std::vector<Machine> &machines) {
    if (!trials || (machines.size() == 1 && !machines.front().isGpu))
      return success();
    return getOperation().emitError(fmt::format(
        "trials are for a single processor, not for '{}'", target.getValue()));
  }

  /// Sets `xf.variants`: the order in which a program tries its variants.
  void listVariants(const std::vector<Machine> &machines) {
    llvm::StringSet<> used;
    for (auto kernel : getOperation().getOps<xf::KernelOp>())
      used.insert(kernel.getVariant().value_or(""));
    SmallVector<StringRef> names;
    std::vector<std::string> ofTrials;
    for (size_t trial = mostTrials; trial > 0; --trial)
      ofTrials.push_back(kernels::nameOfTrial(trial));
    llvm::append_range(names, ofTrials);
    for (const Machine &machine : machines)
      if (used.contains(machine.name))
        names.push_back(machine.name);
    if (names.size() > 1)
      getOperation()->setAttr("xf.variants",
                              Builder(&getContext()).getStrArrayAttr(names));
  }

  /// Clones a kernel for each processor with instructions that it can use, and
  /// assigns a schedule to each clone.
  LogicalResult assignVariants(xf::KernelOp kernel,
                               std::vector<Machine> machines,
                               const FewRows *few) {
    machines = kernels::usefulFor(kernel, machines, few != nullptr);
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
      if (failed(assign(variant, machine, few)))
        return failure();
    }
    return success();
  }

  /// The machines of a target; emits an error for an unknown name.
  FailureOr<std::vector<Machine>> machinesOf(const std::string &name) {
    std::string refusal;
    try {
      return kernels::describeMachines(name);
    } catch (const std::exception &error) {
      refusal = error.what();
    }
    return getOperation().emitError(refusal);
  }

  /// The number of rows of a small-M form; 0 for the general form.
  static int64_t rowsOf(const FewRows *few) { return few ? few->rows : 0; }

  LogicalResult assign(xf::KernelOp kernel, const Machine &machine,
                       const FewRows *few = nullptr) {
    if (kernel.getSchedule())
      return success();
    FailureOr<Entries> chosen = kernels::chooseSchedule(kernel, machine, few);
    if (failed(chosen))
      return failure();
    const MeasuredSchedule *own = findMeasured(kernel, machine, rowsOf(few));
    FailureOr<Entries> other = chosen;
    if (own && failed(other = asMeasured(kernel, machine, *chosen, *own)))
      return failure();
    if (own && !trials)
      sayMeasured(kernel, *own);
    kernel.setScheduleAttr(
        (trials ? *chosen : *other).asAttribute(&getContext()));
    if (trials && own)
      addTrials(kernel, *other);
    else if (trials && !file)
      addTrials(kernel, kernels::candidatesOf(kernel, machine, *chosen));
    if (trials)
      sayTried(kernel, machine, rowsOf(few));
    return success();
  }

  /// The schedule of the kernel in the file; null if there is none.
  const MeasuredSchedule *
  findMeasured(xf::KernelOp kernel, const Machine &machine, int64_t fewRows) {
    if (!file || machine.isGpu)
      return nullptr;
    const std::string signature = kernels::signatureOf(kernel),
                      processor =
                          kernels::processorFor(kernel, machine, fewRows != 0);
    auto found = llvm::find_if(file->schedules, [&](const auto &own) {
      return own.key() == std::tie(signature, processor, fewRows);
    });
    return found == file->schedules.end() ? nullptr : &*found;
  }

  /// The rule's entries with the measured ones; emits an error that names the
  /// place in the file if they do not fit.
  FailureOr<Entries> asMeasured(xf::KernelOp kernel, const Machine &machine,
                                Entries entries, const MeasuredSchedule &own) {
    std::string problem =
        kernels::setMeasured(kernel, machine, entries, own.numbers);
    if (!problem.empty())
      return getOperation().emitError(fmt::format(
          "{}: kernels[{}].schedule.{} (of kernel @{})", schedules.getValue(),
          &own - file->schedules.data(), problem, kernel.getName()));
    ++measured;
    used.insert(&own);
    return entries;
  }

  /// Notes on the kernel where its schedule is from; it has no effect on code.
  void sayMeasured(xf::KernelOp kernel, const MeasuredSchedule &own) {
    Builder builder(&getContext());
    NamedAttrList said;
    said.set("by_rule", builder.getF64FloatAttr(own.byRule));
    said.set("file", builder.getStringAttr(fileName()));
    said.set("microseconds", builder.getF64FloatAttr(own.microseconds));
    kernel->setAttr(kernels::measuredAttrName,
                    said.getDictionary(&getContext()));
  }

  /// Notes on the kernel under which key its measured schedule is to be stored.
  void sayTried(xf::KernelOp kernel, const Machine &machine, int64_t fewRows) {
    Builder builder(&getContext());
    NamedAttrList said;
    said.set("few_rows", builder.getI64IntegerAttr(fewRows));
    said.set("kernel", builder.getStringAttr(kernels::describe(kernel)));
    said.set("processor", builder.getStringAttr(kernels::processorFor(
                              kernel, machine, fewRows != 0)));
    said.set("signature", builder.getStringAttr(kernels::signatureOf(kernel)));
    kernel->setAttr(kernels::triedAttrName, said.getDictionary(&getContext()));
  }

  /// Notes on the module how many schedules of the file were used.
  void sayWhatWasUsed() {
    if (!file)
      return;
    Builder builder(&getContext());
    NamedAttrList said;
    said.set("file", builder.getStringAttr(fileName()));
    said.set("known", builder.getI64IntegerAttr(file->schedules.size()));
    said.set("used", builder.getI64IntegerAttr(used.size()));
    getOperation()->setAttr(kernels::schedulesAttrName,
                            said.getDictionary(&getContext()));
  }

  /// Without its folder, so that the same inputs give the same bytes
  /// everywhere.
  StringRef fileName() { return llvm::sys::path::filename(schedules); }

  /// Adds variants of a kernel with other schedules.
  void addTrials(xf::KernelOp kernel, ArrayRef<Entries> others) {
    OpBuilder builder(kernel);
    builder.setInsertionPointAfter(kernel);
    for (const auto &[index, schedule] : llvm::enumerate(others)) {
      const std::string name = kernels::nameOfTrial(index + 1);
      auto trial = cast<xf::KernelOp>(builder.clone(*kernel));
      trial.setSymName((kernel.getSymName() + "_" + name).str());
      trial.setVariant(name);
      trial.setVariantOf(kernel.getSymName());
      trial.removeFewAttr();
      trial.removeFewRowsAttr();
      trial.setScheduleAttr(schedule.asAttribute(&getContext()));
      ++tried;
    }
    mostTrials = std::max(mostTrials, others.size());
  }

  std::optional<kernels::ScheduleFile> file;
  std::set<const MeasuredSchedule *> used;
  size_t mostTrials = 0;
};
} // namespace
