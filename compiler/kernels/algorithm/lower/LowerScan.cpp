// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recurrence in lanes. The statements of its plan become the update of one
// function, whose second argument is a place:
//
//   places(l, p) = the first states at their places, 0 at all others
//   places(l, place of (s, a, π, t)) = value of (s, a, π, t)
//              for statements s, groups of slots a, passes π, positions t
//
// Halide executes an update in the order of its domain, the first variable
// innermost, so a statement reads what those before it have written. The
// schedule unrolls statements and passes; then every choice between them is
// known, and what remains of a pass is its loop over slots.
//
// Several slots are one step of that loop: the terms of a sum are then added in
// registers, and its place is written once for all of them.
//
// The places of states come first, then kept values, then the results of each
// position, which the kernel's results copy.

#include "compiler/kernels/algorithm/lower/RegionValues.h"
#include "dialect/Labels.h"
#include "dialect/recurrences/LanePlan.h"

#include <llvm/ADT/DenseSet.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;
using Halide::RDom;
using Halide::select;
using Halide::Var;
using Kind = xf::LaneStatement::Kind;

namespace {
class ScanLowering {
public:
  ScanLowering(RegionValues &region, xf::ScanOp scan, const xf::LanePlan &plan)
      : region(region), scan(scan), plan(plan), slots(plan.axes.slots),
        context(region.builder.context()) {}

  void run() {
    places = Halide::Func(context.uniqueName("places"));
    Axis axis = axesOf(scan.getRows()[0].getType())[scan.getRowAxes()[0]];
    count = firstOfResults() + context.extent(axis) * resultsOfOne();
    for (size_t family = 0; family < plan.axes.families.size(); ++family)
      families.emplace_back(familyVariable(family));
    defineFirst();
    defineUpdate(context.extent(axis));
    addResults();
  }

private:
  static Var familyVariable(size_t number) {
    return Var("family" + std::to_string(number));
  }

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  int firstOfState(unsigned number) { return static_cast<int>(number) * slots; }
  int firstOfKept() { return firstOfState(scan.getStates().size()); }
  int firstOfResults() {
    return firstOfKept() + static_cast<int>(plan.kept.size() - plan.results);
  }
  int resultsOfOne() { return static_cast<int>(plan.results); }

  /// The place of kept value `number` while `position` is computed.
  Expr placeOfKept(unsigned number, const Expr &position) {
    return number < plan.results
               ? firstOfResults() + position * resultsOfOne() +
                     static_cast<int>(number)
               : Expr(firstOfKept() + static_cast<int>(number - plan.results));
  }

  Expr read(const Expr &place) const {
    std::vector<Expr> arguments = {lane, place};
    arguments.insert(arguments.end(), families.begin(), families.end());
    return places(arguments);
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// The statement that is being defined, and where.
  struct Statement {
    const xf::LaneStatement &own;
    Expr slot, position;
  };

  Expr indexOf(unsigned axisClass, const Expr &slot) const {
    if (axisClass == plan.axes.lane)
      return lane;
    if (axisClass == plan.axes.slot)
      return slot;
    const auto &all = plan.axes.families;
    auto family = llvm::find(all, axisClass);
    if (family == all.end())
      throw std::runtime_error("a recurrence has an axis that no state has");
    return families[family - all.begin()];
  }

  Indices indicesOf(Value value, const Expr &slot) const {
    Indices indices;
    for (unsigned axis = 0; axis < xf::getShape(value.getType()).size(); ++axis)
      indices.push_back(indexOf(plan.axes.classOf(value, axis), slot));
    return indices;
  }

  /// The entry of a value that `statement` reads.
  Expr entry(const Statement &statement, Value value) {
    auto kept = llvm::find(plan.kept, value);
    if (written.contains(value))
      return read(placeOfKept(kept - plan.kept.begin(), statement.position));
    auto stateOf = [&](auto all) -> std::optional<Expr> {
      auto found = llvm::find(all, value);
      if (found == all.end())
        return std::nullopt;
      return read(firstOfState(found - all.begin()) + statement.slot);
    };
    if (auto state = stateOf(scan.getStates()))
      return *state;
    if (statement.own.areStatesNew)
      if (auto state = stateOf(scan.getNextStates()))
        return *state;
    if (auto row = dyn_cast<BlockArgument>(value);
        row && row.getOwner() == &scan.getBody().front()) {
      const unsigned number = row.getArgNumber();
      Indices indices = indicesOf(value, statement.slot);
      indices.insert(indices.begin() + scan.getRowAxes()[number],
                     statement.position);
      return region.get(scan.getRows()[number]).at(indices);
    }
    if (region.tensors.contains(value))
      return region.get(value).at(indicesOf(value, statement.slot));
    return computed(statement, value.getDefiningOp());
  }

  /// The entry of the result of an operation, from those of its operands.
  Expr computed(const Statement &statement, Operation *op) {
    if (auto product = dyn_cast<xf::ContractOp>(op))
      return entry(statement, product.getLhs()) *
             entry(statement, product.getRhs());
    if (auto binary = binaryEntryOf(op))
      return binary->function(entry(statement, op->getOperand(0)),
                              entry(statement, op->getOperand(1)));
    if (auto unary = unaryEntryOf(region, op))
      return unary->function(entry(statement, op->getOperand(0)));
    throw std::runtime_error("a recurrence cannot compute " +
                             op->getName().getStringRef().str() + " in lanes");
  }

  //===--------------------------------------------------------------------===//
  // Definitions
  //===--------------------------------------------------------------------===//

  void defineFirst() {
    Var place("place");
    Expr first = 0.0f;
    for (unsigned number = 0; number < scan.getStates().size(); ++number) {
      Expr slot = place - firstOfState(number);
      first =
          Halide::select(slot >= 0 && slot < slots,
                         region.get(scan.getInits()[number])
                             .at(indicesOf(scan.getStates()[number],
                                           Halide::clamp(slot, 0, slots - 1))),
                         first);
    }
    std::vector<Expr> arguments = {lane, place};
    arguments.insert(arguments.end(), families.begin(), families.end());
    places(varsOf(arguments)) = first;
  }

  static std::vector<Var> varsOf(const std::vector<Expr> &variables) {
    std::vector<Var> vars;
    for (const Expr &variable : variables)
      vars.emplace_back(variable.as<Halide::Internal::Variable>()->name);
    return vars;
  }

  /// The places that a statement writes, and the values.
  struct Assignment {
    Expr place, value;
  };

  void defineUpdate(const Expr &positions) {
    const int together = slotsTogether();
    size_t most = 1;
    for (const xf::LanePass &pass : plan.passes)
      most = std::max(most, pass.statements.size() * together);
    RDom over({{0, static_cast<int>(most)},
               {0, slots / together},
               {0, static_cast<int>(plan.passes.size())},
               {0, positions}},
              context.uniqueName("over"));
    Expr place, value, runs = Halide::Internal::const_false();
    size_t used = 1;
    for (auto [number, pass] : llvm::enumerate(plan.passes)) {
      Expr isPass = over[2] == static_cast<int>(number);
      auto assignments =
          assign(pass, over, positions, pass.isOverSlots ? together : 1);
      used = std::max(used, assignments.size());
      for (auto [at, own] : llvm::enumerate(assignments)) {
        Expr isOwn = isPass && over[0] == static_cast<int>(at);
        place = place.defined() ? select(isOwn, own.place, place) : own.place;
        value = value.defined() ? select(isOwn, own.value, value) : own.value;
        runs = runs || (pass.isOverSlots ? isOwn : isOwn && over[1] == 0);
      }
    }
    over.where(runs && over[0] < static_cast<int>(used));
    std::vector<Expr> arguments = {lane, place};
    arguments.insert(arguments.end(), families.begin(), families.end());
    places(arguments) = value;
    context.algorithm.scan =
        LaneScan{.places = places,
                 .count = count,
                 .over = over,
                 .results = {},
                 .families = static_cast<int>(families.size())};
  }

  /// The number of slots in one step: a divisor of all.
  int slotsTogether() const {
    int together = 8;
    while (slots % together)
      --together;
    return together;
  }

  /// The statements of a pass for a group of slots. Each sum is one statement;
  /// all others are executed for one slot after the other.
  std::vector<Assignment> assign(const xf::LanePass &pass, const RDom &over,
                                 const Expr &positions, int together) {
    std::vector<Assignment> assignments;
    Expr position = over[3];
    if (scan.getBackwards())
      position = positions - 1 - position;
    auto at = [&](const xf::LaneStatement &own, int slot) {
      return Statement{own, over[1] * together + slot, position};
    };
    const auto &all = pass.statements;
    for (size_t begin = 0, end; begin < all.size(); begin = end) {
      end = begin + 1;
      if (all[begin].kind == Kind::Sum) {
        assignments.push_back(sum(all[begin], at, together));
        continue;
      }
      while (end < all.size() && all[end].kind != Kind::Sum)
        ++end;
      for (int slot = 0; slot < together; ++slot) {
        for (size_t number = begin; number < end; ++number)
          assignments.push_back(assign(at(all[number], slot)));
      }
    }
    for (const xf::LaneStatement &own : all)
      if (own.kind == Kind::Sum)
        written.insert(own.value);
    return assignments;
  }

  /// A statement that stores a value, or replaces an entry of a state.
  Assignment assign(const Statement &statement) {
    const xf::LaneStatement &own = statement.own;
    Expr place = own.kind == Kind::State
                     ? firstOfState(own.place) + statement.slot
                     : placeOfKept(own.place, statement.position);
    Expr value = entry(statement, own.value);
    if (own.kind == Kind::Keep)
      written.insert(own.value);
    return {place, value};
  }

  /// Adds the terms of several slots to a sum, in order. The place of a result
  /// is 0 before; that of another sum has the one of the position before.
  template <typename At>
  Assignment sum(const xf::LaneStatement &own, At at, int together) {
    Statement first = at(own, 0);
    Expr place = placeOfKept(own.place, first.position);
    Expr value = own.place < plan.results
                     ? read(place)
                     : Halide::select(first.slot == 0, 0.0f, read(place));
    for (int slot = 0; slot < together; ++slot)
      value = value + computed(at(own, slot), own.value.getDefiningOp());
    return {place, value};
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  void addResults() {
    for (auto [number, result] : llvm::enumerate(scan.getRowResults())) {
      const unsigned axis = scan.getResultAxes()[number];
      Value row = scan.getYieldedRows()[number];
      const unsigned kept = llvm::find(plan.kept, row) - plan.kept.begin();
      const int first = firstOfResults() + static_cast<int>(kept);
      const int stride = resultsOfOne();
      add(result, row, axis, [=](const Indices &indices) {
        return first + indices[axis] * stride;
      });
    }
    for (auto [number, last] : llvm::enumerate(scan.getLastStates())) {
      Value state = scan.getStates()[number];
      std::optional<unsigned> slot = axisOf(state, plan.axes.slot);
      const int first = firstOfState(number);
      add(last, state, std::nullopt, [=](const Indices &indices) {
        return slot ? first + indices[*slot] : Expr(first);
      });
    }
  }

  /// The axis of `value` of a class; nullopt if it has none.
  std::optional<unsigned> axisOf(Value value,
                                 std::optional<unsigned> axisClass) const {
    for (unsigned axis = 0; axis < xf::getShape(value.getType()).size(); ++axis)
      if (axisClass && plan.axes.classOf(value, axis) == *axisClass)
        return axis;
    return std::nullopt;
  }

  /// Adds a result whose entries are those of `ofOne`, with the axis of
  /// `positions` if there is one, at a place.
  void add(Value result, Value ofOne, std::optional<unsigned> positions,
           const std::function<Expr(const Indices &)> &placeOf) {
    auto axisOfClass = [&](unsigned axisClass) {
      unsigned axis = *axisOf(ofOne, axisClass);
      return positions && axis >= *positions ? axis + 1 : axis;
    };
    const unsigned laneAxis = axisOfClass(plan.axes.lane);
    std::vector<unsigned> familyAxes;
    std::vector<Var> variables =
        indexVariables(xf::getShape(result.getType()).size());
    variables[laneAxis] = Var("lane");
    for (auto [number, family] : llvm::enumerate(plan.axes.families)) {
      familyAxes.push_back(axisOfClass(family));
      variables[familyAxes.back()] = familyVariable(number);
    }
    context.algorithm.scan->results.push_back(variables);
    auto at = [=, function = places](const Indices &indices) {
      std::vector<Expr> arguments = {indices[laneAxis], placeOf(indices)};
      for (unsigned family : familyAxes)
        arguments.push_back(indices[family]);
      return function(arguments);
    };
    region.tensors[result] = Tensor{axesOf(result.getType()), at};
  }

  RegionValues &region;
  xf::ScanOp scan;
  const xf::LanePlan &plan;
  const int slots;
  AlgorithmContext &context;
  Halide::Func places;
  Expr count;
  Expr lane = Var("lane");
  std::vector<Expr> families;
  /// Sums and values that are in their places when a statement reads them.
  llvm::DenseSet<Value> written;
};
} // namespace

void kernels::lowerScan(RegionValues &region, xf::ScanOp scan) {
  auto plan = xf::LanePlan::of(scan);
  if (!plan)
    throw std::runtime_error("a recurrence without lanes has no kernel");
  ScanLowering(region, scan, *plan).run();
}
