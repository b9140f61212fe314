// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/recurrences/LaneAxes.h"

#include "dialect/Labels.h"

#include <llvm/ADT/IntEqClasses.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// The number of axes of a value of the region.
static unsigned rankOf(Value value) { return getShape(value.getType()).size(); }

namespace {
/// Joins the axes of the values of a region into classes.
class Joiner {
public:
  explicit Joiner(ScanOp scan) : scan(scan) {}

  /// Visits all operations; false if one of them is of another kind.
  bool run() {
    for (auto [state, next] : llvm::zip(scan.getStates(), scan.getNextStates()))
      joinAll(state, next);
    for (Operation &op : scan.getBody().front().without_terminator())
      if (!visit(&op))
        return false;
    for (Value row : scan.getRowArguments())
      number(row);
    for (Value row : scan.getYieldedRows())
      number(row);
    classes.grow(numbers.size());
    for (auto [a, b] : pairs)
      classes.join(a, b);
    classes.compress();
    return true;
  }

  /// The class of each axis, after `run`.
  DenseMap<std::pair<Value, unsigned>, unsigned> finish() const {
    DenseMap<std::pair<Value, unsigned>, unsigned> found;
    for (auto [key, number] : numbers)
      found[key] = classes[number];
    return found;
  }

  /// Axes over which the region sums, and the sums.
  llvm::SmallVector<std::pair<Value, unsigned>> summed;
  llvm::SmallVector<Value> sums;

private:
  unsigned number(Value value, unsigned axis) {
    return numbers.try_emplace({value, axis}, numbers.size()).first->second;
  }
  void number(Value value) {
    for (unsigned axis = 0; axis < rankOf(value); ++axis)
      number(value, axis);
  }
  void join(Value a, unsigned i, Value b, unsigned k) {
    pairs.emplace_back(number(a, i), number(b, k));
  }
  void joinAll(Value a, Value b) {
    for (unsigned axis = 0; axis < rankOf(a); ++axis)
      join(a, axis, b, axis);
  }

  bool visit(Operation *op) {
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case<AddOp, SubtractOp, MultiplyOp, DivideOp, MaximumOp, ContractOp>(
            [&](auto labelled) { return visitLabelled(labelled); })
        .Case<ReluOp, GeluOp, SigmoidOp, TanhOp, Log2Op, Log1pOp, AbsOp,
              ClampOp, ExpOp, NegateOp, ScaleOp, PowerOp>([&](auto same) {
          joinAll(same.getResult(), same.getInput());
          // Scalar operands are constants, or weights from outside.
          return llvm::all_of(op->getOperands().drop_front(), [&](Value own) {
            return own.getParentRegion() != &scan.getBody();
          });
        })
        .Default([](Operation *) { return false; });
  }

  template <typename Op> bool visitLabelled(Op op) {
    std::pair<Value, ArrayAttr> operands[] = {{op.getLhs(), op.getLhsLabels()},
                                              {op.getRhs(), op.getRhsLabels()}};
    for (auto [value, labels] : operands)
      for (unsigned axis = 0; axis < labels.size(); ++axis) {
        StringRef label = getLabel(labels, axis);
        if (auto made = findLabel(op.getLabels(), label)) {
          join(value, axis, op.getResult(), *made);
        } else {
          summed.emplace_back(value, axis);
          sums.push_back(op.getResult());
        }
        auto other = findLabel(op.getLhsLabels(), label);
        if (value == op.getRhs() && other)
          join(value, axis, op.getLhs(), *other);
        number(value, axis);
      }
    number(op.getResult());
    return true;
  }

  ScanOp scan;
  DenseMap<std::pair<Value, unsigned>, unsigned> numbers;
  std::vector<std::pair<unsigned, unsigned>> pairs;
  llvm::IntEqClasses classes;
};
} // namespace

/// Whether some value has two axes of one class, as G in G @ S, whose rows and
/// columns are both slots.
static bool
hasTwoOfAClass(const DenseMap<std::pair<Value, unsigned>, unsigned> &classes) {
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  return llvm::any_of(classes, [&](const auto &entry) {
    return !seen.insert({entry.first.first, entry.second}).second;
  });
}

bool LaneAxes::has(Value value, unsigned axisClass) const {
  for (unsigned axis = 0; axis < rankOf(value); ++axis)
    if (classOf(value, axis) == axisClass)
      return true;
  return false;
}

/// The size of the axes of each class in states and results; nullopt if one is
/// a length, or if a value has two axes of a class.
static std::optional<DenseMap<unsigned, int64_t>>
sizesOf(ArrayRef<Value> values, const LaneAxes &axes) {
  DenseMap<unsigned, int64_t> sizes;
  for (Value value : values) {
    llvm::SmallSet<unsigned, 4> own;
    for (auto [axis, size] : llvm::enumerate(getShape(value.getType()))) {
      auto number = getNumber(size);
      if (!number || !own.insert(axes.classOf(value, axis)).second)
        return std::nullopt;
      sizes[axes.classOf(value, axis)] = *number;
    }
  }
  return sizes;
}

std::optional<LaneAxes> LaneAxes::of(ScanOp scan) {
  Joiner joiner(scan);
  if (scan.getResultAxes().empty() || scan.getInits().empty() || !joiner.run())
    return std::nullopt;
  LaneAxes axes;
  axes.classes = joiner.finish();
  if (hasTwoOfAClass(axes.classes))
    return std::nullopt;
  for (auto [value, axis] : joiner.summed) {
    unsigned own = axes.classOf(value, axis);
    if (axes.slot && *axes.slot != own)
      return std::nullopt;
    axes.slot = own;
  }
  // A sum has one value for all slots.
  if (axes.slot && llvm::any_of(joiner.sums, [&](Value sum) {
        return axes.has(sum, *axes.slot);
      }))
    return std::nullopt;
  SmallVector<Value> states(scan.getStates()), rows(scan.getYieldedRows());
  SmallVector<Value> all = states;
  llvm::append_range(all, rows);
  auto sizes = sizesOf(all, axes);
  if (!sizes)
    return std::nullopt;
  auto isInAll = [&](unsigned own) {
    return llvm::all_of(all, [&](Value value) { return axes.has(value, own); });
  };
  std::optional<unsigned> lane;
  for (unsigned axis = 0; axis < rankOf(rows[0]); ++axis) {
    unsigned own = axes.classOf(rows[0], axis);
    if (own == axes.slot || !isInAll(own))
      return std::nullopt;
    if (lane)
      axes.families.push_back(*lane);
    lane = own;
  }
  if (!lane)
    return std::nullopt;
  axes.lane = *lane;
  axes.lanes = sizes->lookup(*lane);
  for (unsigned family : axes.families)
    axes.sizes.push_back(sizes->lookup(family));
  if (axes.slot)
    axes.slots = sizes->lookup(*axes.slot);
  // Every other axis of a state is the one that is summed over; all results
  // have the same axes as the first.
  for (auto [own, size] : *sizes)
    if (own != *lane && own != axes.slot &&
        !llvm::is_contained(axes.families, own))
      return std::nullopt;
  // The slot axis belongs to every state and to no result.
  if (axes.slot && (!llvm::all_of(states, [&](Value x) {
        return axes.has(x, *axes.slot);
      }) || llvm::any_of(rows, [&](Value x) {
        return axes.has(x, *axes.slot);
      })))
    return std::nullopt;
  return axes;
}
