// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that multiply the same rows run together.
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
// Exact: kernels and what they read are the same. A thread that runs out of
// tasks of one launch takes tasks of the next while others still work on the
// first. Nobody reads what is not there yet: joined launches do not read each
// other's results, or read of them the entries that the same thread has made
// right before, because it takes the same tasks of both and a task of the one
// has the same rows and columns as that task of the other.

#include "compiler/host/MemorySpace.h"
#include "compiler/host/Passes.h"
#include "dialect/Labels.h"

#include <map>

namespace transfold::host {
#define GEN_PASS_DEF_JOINLAUNCHES
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

xf::KernelOp kernelOf(xf::LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
      launch, launch.getKernelAttr());
}

/// The forms of a launch's kernel for few rows, those for more first.
SmallVector<xf::KernelOp> fewOf(xf::LaunchOp launch) {
  SmallVector<xf::KernelOp> forms;
  for (xf::KernelOp kernel = kernelOf(launch); kernel.getFew();
       forms.push_back(kernel))
    kernel = SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
        kernel, kernel.getFewAttr());
  return forms;
}

/// Whether threads may be at different places of it: it runs once for the rows
/// of all sequences, and with few rows it is one parallel loop.
bool canBeJoined(xf::LaunchOp launch) {
  if (launch.getPerSequence() || launch.getCountedBy() ||
      launch.getOperands().empty())
    return false;
  auto forms = fewOf(launch);
  return !forms.empty() && llvm::all_of(forms, [](xf::KernelOp form) {
    return form.getOneLoop();
  }) && llvm::none_of(launch.getOperands(), [](Value operand) {
    return host::sourceOf(operand).getDefiningOp<xf::RecallOp>();
  });
}

/// The length that its rows are counted by.
Attribute rowsOf(xf::LaunchOp launch) {
  return xf::getShape(launch.getResult().getType()).front();
}

/// What tasks are, by the most rows of a form and the kind of processor: the
/// entries of its schedule that cut the result into tasks.
using Tasks = std::map<std::pair<int64_t, StringRef>, SmallVector<Attribute>>;

Tasks tasksOf(xf::LaunchOp launch) {
  Tasks tasks;
  xf::KernelOp whole = kernelOf(launch);
  for (xf::KernelOp few : fewOf(launch)) {
    for (auto form : few->getParentOfType<ModuleOp>().getOps<xf::KernelOp>()) {
      if (form != few && form.getVariantOf() != few.getSymName())
        continue;
      SmallVector<Attribute> &own =
          tasks[{*whole.getFewRows(), form.getVariant().value_or("")}];
      for (StringRef entry : {"columns", "rows", "block"})
        own.push_back(form.getSchedule() ? form.getSchedule()->get(entry)
                                         : Attribute());
    }
    whole = few;
  }
  return tasks;
}

/// Whether a kernel reads of an argument only the entry of the result that it
/// is making.
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

/// How `launch` could follow `last` in `group`; none where it could not.
std::optional<xf::Joined> howJoined(xf::LaunchOp launch,
                                    ArrayRef<xf::LaunchOp> group) {
  auto how = xf::Joined::Independent;
  for (auto [index, operand] : llvm::enumerate(launch.getOperands())) {
    auto maker = host::sourceOf(operand).getDefiningOp<xf::LaunchOp>();
    if (!maker || !llvm::is_contained(group, maker))
      continue;
    if (maker != group.back() || operand != maker.getResult() ||
        operand.getType() != launch.getResult().getType() ||
        !readsOwnEntries(kernelOf(launch).getArgument(index)) ||
        tasksOf(launch) != tasksOf(maker))
      return std::nullopt;
    how = xf::Joined::SameTasks;
  }
  return how;
}

/// Puts what makes the operands before `first`, where it only names memory;
/// false where an operand is made by something else behind it.
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

  /// A mask of 64 bits says which of them take the same tasks as the one
  /// before.
  static constexpr size_t mostJoined = 64;
};

} // namespace
