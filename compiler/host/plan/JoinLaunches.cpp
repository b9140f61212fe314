// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-join-launches: launches that multiply the same rows run together.
//
// Before:
//   %q = xf.launch @contract(%x, %WQ)
//   %r = xf.launch @rotate(%q)
//   %v = xf.launch @contract_2(%x, %WV)
//   …
//   %g = xf.launch @contract(%y, %W)
//   %h = xf.launch @contract_sigmoid_multiply(%y, %V, %g)
// After:
//   %q = xf.launch @contract(%x, %WQ)
//   %v = xf.launch @contract_2(%x, %WV) {joined = #xf.joined<independent>}
//   %r = xf.launch @rotate(%q)
//   …
//   %g = xf.launch @contract(%y, %W)
//   %h = xf.launch @contract_sigmoid_multiply(%y, %V, %g)
//          {joined = #xf.joined<same_tasks>}
//
// Exact: kernels and their operands are unchanged. A thread that runs out of
// tasks of one launch takes tasks of the next while other threads still work on
// the first. No thread reads values that are not yet computed: joined launches
// do not read each other's results, or read only those entries that the same
// thread computed immediately before, because it takes the same tasks of both,
// and equal tasks have the same rows and columns.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/Labels.h"

#include <map>

namespace transfold::host {
#define GEN_PASS_DEF_JOINLAUNCHES
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

/// The variants of a launch's kernel for few rows, those for more rows first.
SmallVector<xf::KernelOp> fewOf(xf::LaunchOp launch) {
  SmallVector<xf::KernelOp> forms;
  for (xf::KernelOp kernel = launch.lookUpKernel(); kernel.getFew();
       forms.push_back(kernel))
    kernel = SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
        kernel, kernel.getFewAttr());
  return forms;
}

/// Whether threads may work on different launches at once: it runs once for the
/// rows of all sequences, and with few rows it is one parallel loop.
bool canBeJoined(xf::LaunchOp launch) {
  if (launch.getPerSequence() || launch.getCountedBy() ||
      launch.getOperands().empty())
    return false;
  auto forms = fewOf(launch);
  return !forms.empty() && llvm::all_of(forms, [](xf::KernelOp form) {
    return form.getOneLoop();
  }) && llvm::none_of(launch.getOperands(), [](Value operand) {
    return host::sourceOf(operand).getDefiningOp<xf::CacheReadOp>();
  });
}

/// The length of a launch's rows.
Attribute rowsOf(xf::LaunchOp launch) {
  return xf::getShape(launch.getResult().getType()).front();
}

/// The division of a launch into tasks, for each variant (by its maximum of
/// rows and the kind of processor): the schedule entries that determine tasks.
using Tasks = std::map<std::pair<int64_t, StringRef>, SmallVector<Attribute>>;

/// The tasks of each form of a launch's kernel for few rows. Two launches have
/// equal tasks only if that holds for every variant, since the processor is
/// known at run time only.
Tasks tasksOf(xf::LaunchOp launch) {
  Tasks tasks;
  xf::KernelOp whole = launch.lookUpKernel();
  for (xf::KernelOp few : fewOf(launch)) {
    for (auto form : few->getParentOfType<ModuleOp>().getOps<xf::KernelOp>()) {
      if (form != few && form.getVariantOf() != few.getSymName())
        continue;
      SmallVector<Attribute> &own =
          tasks[{*whole.getFewRows(), form.getVariant().value_or("")}];
      for (auto parameter :
           {xf::ScheduleParameter::Columns, xf::ScheduleParameter::Rows,
            xf::ScheduleParameter::Block})
        own.push_back(form.getScheduleEntry(parameter));
    }
    whole = few;
  }
  return tasks;
}

/// Whether a kernel reads from an argument only the entry that it is computing.
bool readsOwnEntries(BlockArgument argument) {
  SmallVector<Value> values = {argument};
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<xf::ReturnOp>(user))
        continue;
      if (!user->hasTrait<xf::Pointwise>() || !xf::readsOwnEntries(user, value))
        return false;
      values.push_back(user->getResult(0));
    }
  }
  return true;
}

/// How `launch` could join `group`; nullopt if it cannot.
std::optional<xf::Joined> howJoined(xf::LaunchOp launch,
                                    ArrayRef<xf::LaunchOp> group) {
  auto how = xf::Joined::Independent;
  for (auto [index, operand] : llvm::enumerate(launch.getOperands())) {
    auto maker = host::sourceOf(operand).getDefiningOp<xf::LaunchOp>();
    if (!maker || !llvm::is_contained(group, maker))
      continue;
    if (maker != group.back() || operand != maker.getResult() ||
        operand.getType() != launch.getResult().getType() ||
        !readsOwnEntries(launch.lookUpKernel().getArgument(index)) ||
        tasksOf(launch) != tasksOf(maker))
      return std::nullopt;
    how = xf::Joined::SameTasks;
  }
  return how;
}

/// Moves operations that produce operands before `group`, if they only refer to
/// memory; returns false if another operation in between produces one.
bool hoistOperands(xf::LaunchOp launch, ArrayRef<xf::LaunchOp> group) {
  SmallVector<Operation *> moved;
  for (Value operand : launch.getOperands()) {
    Operation *maker = operand.getDefiningOp();
    if (!maker || maker->getBlock() != launch->getBlock() ||
        maker->isBeforeInBlock(group.front()) ||
        llvm::is_contained(group, maker))
      continue;
    if (!isa<xf::WeightOp>(maker))
      return false;
    moved.push_back(maker);
  }
  for (Operation *maker : moved)
    maker->moveBefore(group.front());
  return true;
}

struct JoinLaunches : host::impl::JoinLaunchesBase<JoinLaunches> {
  void runOnOperation() override {
    SmallVector<Block *> blocks = {&getOperation().getBody().front()};
    getOperation().walk([&](xf::LayersOp layers) {
      blocks.push_back(&layers.getBody().front());
    });
    for (Block *block : blocks)
      joinIn(*block);
  }

  /// Forms groups in program order. Launches that do not join the first group
  /// are tried again as beginnings of others.
  void joinIn(Block &block) {
    SmallVector<xf::LaunchOp> launches;
    for (auto launch : block.getOps<xf::LaunchOp>())
      if (canBeJoined(launch))
        launches.push_back(launch);
    while (!launches.empty()) {
      SmallVector<xf::LaunchOp> group = {launches.front()}, others;
      for (xf::LaunchOp launch : llvm::drop_begin(launches)) {
        if (!join(launch, group))
          others.push_back(launch);
      }
      launches = std::move(others);
    }
  }

  /// Moves a launch to the end of a group; false if it must stay where it is.
  /// The first operand is the one whose rows are multiplied.
  bool join(xf::LaunchOp launch, SmallVectorImpl<xf::LaunchOp> &group) {
    if (group.size() == mostJoined ||
        launch.getOperands().front() != group.front().getOperands().front() ||
        rowsOf(launch) != rowsOf(group.front()))
      return false;
    std::optional<xf::Joined> how = howJoined(launch, group);
    if (!how || !hoistOperands(launch, group))
      return false;
    launch->moveAfter(group.back());
    launch.setJoined(how);
    group.push_back(launch);
    ++joined;
    return true;
  }

  /// A mask of 64 bits states which launches take the same tasks as the
  /// previous one.
  static constexpr size_t mostJoined = 64;
};

} // namespace
