// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/recurrences/LanePlan.h"

#include <llvm/ADT/MapVector.h>

#include <algorithm>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

namespace {
class Planner {
public:
  Planner(ScanOp scan, LanePlan &plan) : scan(scan), plan(plan) {}

  bool run() {
    placeSums();
    unsigned last = 0;
    for (Value next : scan.getNextStates())
      last = std::max(last, readyPass(next));
    for (auto &[sum, pass] : sums)
      if (!readsNew(sum))
        last = std::max(last, pass);
    for (Value row : scan.getYieldedRows())
      if (!isSum(row) && !readsNew(row))
        last = std::max(last, readyPass(row));
    plan.passes.resize(last + 1);
    addResults(last);
    addOldSums();
    addStates(last);
    if (!addNewValues(last))
      return false;
    keepOnce();
    return true;
  }

private:
  static bool isSum(Value value) {
    auto contract = value.getDefiningOp<ContractOp>();
    return contract && sumsAnything(contract);
  }
  static bool sumsAnything(ContractOp contract) {
    ArrayRef<Attribute> made = contract.getLabels().getValue();
    auto isLost = [&](Attribute label) {
      return !llvm::is_contained(made, label);
    };
    return llvm::any_of(contract.getLhsLabels(), isLost) ||
           llvm::any_of(contract.getRhsLabels(), isLost);
  }
  bool isOfRegion(Value value) {
    return value.getParentRegion() == &scan.getBody();
  }
  bool isNext(Value value) {
    return llvm::is_contained(scan.getNextStates(), value);
  }

  /// The values that one statement for `value` reads: it computes pointwise
  /// operations itself, and reads states and sums. `visit` returns whether to
  /// continue with what a value is computed from.
  template <typename Visit> void walk(Value value, Visit visit) {
    Operation *op = value.getDefiningOp();
    if (!op || !isOfRegion(value))
      return;
    for (Value operand : op->getOperands())
      if (isOfRegion(operand) && visit(operand) && !isSum(operand))
        walk(operand, visit);
  }

  /// The first pass in which all sums that `value` reads are complete.
  unsigned readyPass(Value value) {
    unsigned pass = isSum(value) ? sums.lookup(value) + 1 : 0;
    if (!isSum(value))
      walk(value, [&](Value read) {
        if (isSum(read))
          pass = std::max(pass, sums.lookup(read) + 1);
        return true;
      });
    return pass;
  }

  /// Gives each sum its pass, from the first to the last in program order.
  void placeSums() {
    for (Operation &op : scan.getBody().front().without_terminator())
      if (isSum(op.getResult(0))) {
        unsigned pass = 0;
        walk(op.getResult(0), [&](Value read) {
          if (isSum(read))
            pass = std::max(pass, sums.lookup(read) + 1);
          return true;
        });
        sums[op.getResult(0)] = pass;
      }
  }

  /// Whether a sum or result is computed from next states, and no next state
  /// from it.
  bool readsNew(Value value) {
    for (Value next : scan.getNextStates())
      if (depends(next, value))
        return false;
    bool found = isNext(value);
    for (Value next : scan.getNextStates())
      found |= depends(value, next);
    return found;
  }

  /// Whether `value` is computed from `source`, or is the same.
  bool depends(Value value, Value source) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    return depends(value, source, seen);
  }
  bool depends(Value value, Value source,
               llvm::SmallPtrSetImpl<Operation *> &seen) {
    if (value == source)
      return true;
    Operation *op = value.getDefiningOp();
    return op && isOfRegion(value) && seen.insert(op).second &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return depends(operand, source, seen);
           });
  }

  /// The number of the place where `value` is stored.
  unsigned placeOf(Value value) {
    auto found = llvm::find(plan.kept, value);
    if (found != plan.kept.end())
      return found - plan.kept.begin();
    plan.kept.push_back(value);
    return plan.kept.size() - 1;
  }

  void add(unsigned pass, LaneStatement statement) {
    if (plan.passes.size() <= pass)
      plan.passes.resize(pass + 1);
    plan.passes[pass].statements.push_back(statement);
    plan.passes[pass].isOverSlots |=
        statement.kind == LaneStatement::Kind::Sum ||
        (statement.kind == LaneStatement::Kind::State && plan.axes.slot);
  }

  /// Results have the first places. Those that read old states come before the
  /// states are replaced.
  void addResults(unsigned last) {
    for (Value row : scan.getYieldedRows())
      plan.kept.push_back(row);
    plan.results = plan.kept.size();
    for (auto [number, row] : llvm::enumerate(scan.getYieldedRows()))
      if (!isSum(row) && !readsNew(row))
        add(last,
            {LaneStatement::Kind::Keep, row, static_cast<unsigned>(number)});
  }

  void addOldSums() {
    for (auto &[sum, pass] : sums)
      if (!readsNew(sum))
        add(pass, {LaneStatement::Kind::Sum, sum, placeOf(sum)});
  }

  /// One state is replaced at once; of several that read each other, the next
  /// values of a slot are all kept before.
  void addStates(unsigned last) {
    const unsigned count = scan.getStates().size();
    for (unsigned number = 0; count > 1 && number < count; ++number) {
      Value next = scan.getNextStates()[number];
      if (isOfRegion(next) && next.getDefiningOp())
        add(last, {LaneStatement::Kind::Keep, next, placeOf(next)});
    }
    for (unsigned number = 0; number < count; ++number)
      add(last,
          {LaneStatement::Kind::State, scan.getNextStates()[number], number});
  }

  /// Sums and results of new states: in the pass that replaces them, or later.
  bool addNewValues(unsigned last) {
    for (auto &[sum, pass] : sums)
      if (readsNew(sum)) {
        pass = last;
        walk(sum, [&, own = &pass](Value read) {
          if (isSum(read))
            *own = std::max(*own, sums.lookup(read) + 1);
          return !isNext(read);
        });
        if (readsOld(sum))
          return false;
        add(pass, {LaneStatement::Kind::Sum, sum, placeOf(sum), true});
      }
    for (auto [number, row] : llvm::enumerate(scan.getYieldedRows())) {
      if (isSum(row) || !readsNew(row))
        continue;
      unsigned pass = last;
      walk(row, [&](Value read) {
        if (isSum(read))
          pass = std::max(pass, sums.lookup(read) + 1);
        return !isNext(read);
      });
      if (readsOld(row))
        return false;
      add(pass, {LaneStatement::Kind::Keep, row, static_cast<unsigned>(number),
                 true});
    }
    return true;
  }

  /// Whether a statement after the states were replaced reads what they were.
  bool readsOld(Value value) {
    bool found = false;
    walk(value, [&](Value read) {
      found |= llvm::is_contained(scan.getStates(), read);
      return !isNext(read);
    });
    return found;
  }

  //===--------------------------------------------------------------------===//
  // Values that are the same for all slots
  //===--------------------------------------------------------------------===//

  /// Lets passes over slots read values that an earlier pass has computed once.
  void keepOnce() {
    if (!plan.axes.slot)
      return;
    std::vector<LanePass> planned;
    for (LanePass &pass : plan.passes) {
      LanePass before, statements{pass.isOverSlots, {}};
      // Results of old states, and all that is not over slots, once.
      for (const LaneStatement &statement : pass.statements)
        if (pass.isOverSlots)
          collect(statement, before);
      LanePass after;
      for (const LaneStatement &statement : pass.statements) {
        const bool isOnce = statement.kind == LaneStatement::Kind::Keep &&
                            !plan.axes.has(statement.value, *plan.axes.slot);
        if (!pass.isOverSlots || !isOnce)
          statements.statements.push_back(statement);
        else
          (statement.areStatesNew ? after : before)
              .statements.push_back(statement);
      }
      for (LanePass *each : {&before, &statements, &after})
        if (!each->statements.empty())
          planned.push_back(*each);
    }
    plan.passes = std::move(planned);
  }

  /// Keeps the largest values without slots that a statement over slots
  /// computes.
  void collect(const LaneStatement &statement, LanePass &before) {
    walk(statement.value, [&](Value read) {
      if (statement.areStatesNew && isNext(read))
        return false;
      if (isSum(read) || !read.getDefiningOp())
        return false;
      if (plan.axes.has(read, *plan.axes.slot))
        return true;
      if (!llvm::is_contained(plan.kept, read))
        before.statements.push_back(
            {LaneStatement::Kind::Keep, read, placeOf(read)});
      return false;
    });
  }

  ScanOp scan;
  LanePlan &plan;
  llvm::MapVector<Value, unsigned> sums;
};
} // namespace

std::optional<LanePlan> LanePlan::of(ScanOp scan) {
  LanePlan plan;
  auto axes = LaneAxes::of(scan);
  if (!axes)
    return std::nullopt;
  plan.axes = *axes;
  if (!Planner(scan, plan).run())
    return std::nullopt;
  return plan;
}
