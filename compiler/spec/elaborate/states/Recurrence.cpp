// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States: definitions by position that read themselves at the position before.
//
//   S[t] = α[t] * S[t - 1] + k[t]' @ v[t]
//
// With S[t + 1] it begins at the last position.
//
// The equation is walked twice. The first walk finds the shape of the state:
// that of the terms which do not contain it. In the second one, S[t - 1] is a
// value with the hidden axis t, as all members of families. The steps that
// depend on it become the body of the recurrence, without that axis; all
// others are computed for all positions at once.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/elaborate/states/WithoutAxis.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

#include <algorithm>
#include <cstdlib>

namespace transfold::spec {

/// The walk over one definition.
class RecurrenceWalk {
public:
  RecurrenceWalk(Elaborator &elaborator, const Definition &definition,
                 const std::vector<Elaborator::Extent> &extents,
                 const Environment *scope);
  /// The states of all positions.
  Value run();
  /// S at these indices; throws SpecError unless that is the position before.
  Value before(const std::vector<Value> &indices, const Expr &expr);
  /// Sets what stands before the first position.
  void begin(const Value &value, const Expr &written);

private:
  Value walk();
  Tensor shapeOfState();
  void checkLengths(const Tensor &shape) const;
  std::vector<Axis> outerFamilies(const Tensor &tensor,
                                  std::vector<Axis> known) const;
  Tensor stateLike(const Tensor &shape, const std::vector<Axis> &outer) const;
  ValueId initialState(const Tensor &state);
  ValueId positions();
  Tensor emitted(std::vector<Step> steps, const Tensor &state,
                 const Tensor &next);
  Value family(Tensor whole) const;

  Elaborator &elaborator;
  const Definition &definition;
  const Environment *scope;
  Place at;
  std::vector<int> numbers; // of the indices
  int time = 0;             // the number of the index of positions; 0: none yet
  int64_t by = 0;           // 1 for S[t - 1], -1 for S[t + 1]
  std::optional<Tensor> state; // in the second walk
  std::optional<Value> initial;
};

RecurrenceWalk::RecurrenceWalk(Elaborator &elaborator,
                               const Definition &definition,
                               const std::vector<Elaborator::Extent> &extents,
                               const Environment *scope)
    : elaborator(elaborator), definition(definition), scope(scope),
      at(definition.place) {
  for (size_t k = 0; k < extents.size(); ++k)
    numbers.push_back(elaborator.newIndex(definition.indices[k].name,
                                          extents[k].size, extents[k].name));
}

/// One walk over the equation.
Value RecurrenceWalk::walk() {
  Environment *inner = elaborator.newEnvironment(scope);
  for (size_t k = 0; k < numbers.size(); ++k)
    Elaborator::bind(*inner, definition.indices[k].name,
                     IndexedScalar{IndexExpr::variable(numbers[k])});
  Elaborator::bind(*inner, definition.name, EarlierState{this});
  return elaborator.evaluate(*definition.value,
                             elaborator.withWhere(definition, inner));
}

/// The first walk. Its steps are dropped.
Tensor RecurrenceWalk::shapeOfState() {
  std::vector<Step> dropped;
  llvm::SaveAndRestore target(elaborator.target, &dropped);
  llvm::SaveAndRestore value(elaborator.nextValue);
  Value found = walk();
  if (const Tensor *tensor = found.tensor(); tensor && tensor->rank() <= 2)
    return elaborator.settled(*tensor, at);
  if (found.as<Undetermined>())
    throw SpecError(Code::StateShape, at,
                    fmt::format("the shape of the state `{}` is not known",
                                definition.name),
                    {fmt::format("Each term contains `{0}`. Add one without "
                                 "it, such as what the state takes in: {0}[t] "
                                 "= … + k[t]' @ v[t].",
                                 definition.name)});
  throw SpecError(Code::FamilyMember, at,
                  fmt::format("the state `{}` is {}, not a tensor",
                              definition.name, Elaborator::kindOf(found)));
}

/// Positions are along a length; a state has none, so that its memory has one
/// size. Sizes that are not known without a checkpoint are not checked.
void RecurrenceWalk::checkLengths(const Tensor &shape) const {
  const Symbols &symbols = elaborator.symbols;
  if (elaborator.indices[time].range->asNumber())
    throw SpecError(
        Code::NotSupported, at,
        fmt::format("the state `{}` is computed for a fixed number of "
                    "positions, which is not supported yet",
                    definition.name),
        {fmt::format("Positions are those of a length: {}[…, t] with t < n.",
                     definition.name)});
  for (const Axis &axis : shape.axes)
    if (axis.family == 0 && !axis.size.asNumber() &&
        symbols.numberOf(axis.size))
      throw SpecError(
          Code::StateShape, at,
          fmt::format("the shape of the state `{}` has the length {}",
                      definition.name, axis.name),
          {"A state is kept from position to position, and has the same size "
           "for all sequences."});
}

Value RecurrenceWalk::before(const std::vector<Value> &given,
                             const Expr &expr) {
  if (given.size() != numbers.size())
    throw SpecError(Code::IndexCount, expr.at,
                    fmt::format("`{}` is defined with {} indices, and read "
                                "with {}",
                                definition.name, numbers.size(), given.size()),
                    {}, expr.range);
  int found = 0;
  for (size_t k = 0; k < given.size(); ++k) {
    auto *scalar = given[k].as<IndexedScalar>();
    auto index = scalar ? elaborator.earlierIndex(*scalar->expr) : std::nullopt;
    const bool isOwn = index && index->index == numbers[k];
    if (isOwn && index->by == 0)
      continue;
    const bool isNext = isOwn && std::abs(index->by) == 1;
    if (!isNext || found != 0 || (by != 0 && by != index->by))
      throw SpecError(
          Code::StateIndex, expr.at,
          fmt::format("the definition of `{}` reads {}", definition.name,
                      spec::text(expr)),
          {"A state is read at the position before, or everywhere at the one "
           "after, and for the same member of each family."},
          expr.range);
    found = numbers[k];
    by = index->by;
  }
  if (found == 0 || (time != 0 && time != found))
    throw SpecError(
        Code::CyclicDefinition, expr.at,
        fmt::format("`{}` is defined in terms of itself", definition.name),
        {"It can be read at the position before, [t - 1], or after, [t + 1]."},
        expr.range);
  time = found;
  return state ? Value(*state) : Value(Undetermined{});
}

void RecurrenceWalk::begin(const Value &value, const Expr &written) {
  auto *statics = value.statics();
  if (!value.tensor() &&
      !(statics && (statics->isNumber() || statics->isUnknown())))
    throw SpecError(Code::WrongKind, written.range.begin,
                    fmt::format("a state begins with numbers, but {} is {}",
                                spec::text(written), Elaborator::kindOf(value)),
                    {}, written.range);
  if (!value.tensor() && initial && initial->statics() &&
      equal(*initial->statics(), *statics) == false)
    throw SpecError(
        Code::StateIndex, written.range.begin,
        fmt::format("`{}` begins with {} and with {}", definition.name,
                    initial->statics()->str(), statics->str()),
        {"A state has one value before the first position."}, written.range);
  initial = value;
}

/// The state before the first position, with all axes of a state but that of
/// positions; zero unless the equation says otherwise.
ValueId RecurrenceWalk::initialState(const Tensor &like) {
  Tensor result;
  std::vector<int> places;
  std::vector<std::string> names;
  for (const Axis &axis : like.axes)
    if (axis.family != time) {
      result.axes.push_back(axis);
      names.push_back("i" + std::to_string(names.size()));
    }
  StaticValue number(int64_t(0));
  if (initial && initial->statics() && initial->statics()->isNumber())
    number = *initial->statics();
  if (initial && initial->tensor())
    throw SpecError(Code::NotSupported, at,
                    "a state that begins with a tensor is not supported yet",
                    {"Numbers are: S[t - 1] ?? 0."});
  IndexFunction constant("", names, IndexExpr::constant(number.toExact()));
  return elaborator.emit(step::Tabulate{constant, Elaborator::shapeOf(result)},
                         at);
}

/// The axes of `whole` that belong to the indices, visible again.
Value RecurrenceWalk::family(Tensor whole) const {
  for (size_t k = numbers.size(); k-- > 0;)
    for (unsigned axis = 0; axis < whole.axes.size(); ++axis)
      if (whole.axes[axis].family == numbers[k]) {
        whole.axes[axis].family = 0;
        whole.visible.insert(whole.visible.begin(), axis);
      }
  return whole;
}

/// A number for each position, for a recurrence that reads no rows.
ValueId RecurrenceWalk::positions() {
  IndexFunction zero("", {"t"}, IndexExpr::constant(ExactScalar(int64_t(0))));
  return elaborator.emit(
      step::Tabulate{zero, {*elaborator.indices[time].range}}, at);
}

/// Divides the steps into those before the recurrence and its body.
Tensor RecurrenceWalk::emitted(std::vector<Step> steps, const Tensor &state,
                               const Tensor &next) {
  step::Recurrence recurrence;
  recurrence.state = state.value;
  recurrence.backwards = by < 0;
  recurrence.initial = initialState(state);
  WithoutAxis body("i" + std::to_string(time), state.value,
                   unsigned(std::ranges::find(state.axes, time, &Axis::family) -
                            state.axes.begin()),
                   elaborator.nextValue);
  for (Step &step : steps)
    if (body.dependsOnState(step))
      recurrence.body.push_back(body.converted(std::move(step)));
    else
      elaborator.target->push_back(std::move(step));
  recurrence.rows = body.rows();
  if (recurrence.rows.empty())
    recurrence.rows.push_back({positions(), 0});
  recurrence.firstRow = elaborator.nextValue;
  elaborator.nextValue += ValueId(recurrence.rows.size());
  recurrence.next = next.value;
  recurrence.axis = body.axisOf(next.value);
  Tensor whole = next;
  whole.value = elaborator.emit(std::move(recurrence), at);
  whole.markComputed();
  return whole;
}

/// `known`, and the families of `tensor` that are not indices of the
/// definition, in ascending order.
std::vector<Axis> RecurrenceWalk::outerFamilies(const Tensor &tensor,
                                                std::vector<Axis> known) const {
  for (const Axis &axis : tensor.axes)
    if (axis.family != 0 && !std::ranges::count(numbers, axis.family) &&
        !std::ranges::count(known, axis.family, &Axis::family))
      known.push_back(axis);
  std::ranges::sort(known, {}, &Axis::family);
  return known;
}

/// The state in the body: families around the definition, its indices, and the
/// visible axes of `shape`.
Tensor RecurrenceWalk::stateLike(const Tensor &shape,
                                 const std::vector<Axis> &outer) const {
  Tensor like;
  like.axes = outer;
  for (int number : numbers)
    like.axes.push_back({*elaborator.indices[number].range,
                         elaborator.indices[number].rangeName, number});
  for (unsigned k = 0; k < shape.rank(); ++k) {
    like.visible.push_back(unsigned(like.axes.size()));
    like.axes.push_back(shape.axis(k));
  }
  return like;
}

Value RecurrenceWalk::run() {
  Tensor shape = shapeOfState();
  if (time == 0)
    throw SpecError(Code::StateIndex, at,
                    fmt::format("`{}` is not read at the position before",
                                definition.name));
  checkLengths(shape);
  // A term may have the axis of a family around the definition that the terms
  // without the state lack: then the state has it, too.
  std::vector<Axis> outer = outerFamilies(shape, {});
  std::vector<Step> steps;
  Tensor like, next;
  for (bool isComplete = false; !isComplete;) {
    const ValueId first = elaborator.nextValue;
    like = stateLike(shape, outer);
    like.value = elaborator.nextValue++;
    state = like;
    steps.clear();
    {
      llvm::SaveAndRestore target(elaborator.target, &steps);
      next = elaborator.settled(*walk().tensor(), at);
    }
    const size_t before = outer.size();
    outer = outerFamilies(next, outer);
    isComplete = outer.size() == before;
    if (!isComplete)
      elaborator.nextValue = first;
  }
  bool isSame = next.axes.size() == like.axes.size();
  for (unsigned k = 0; isSame && k < next.axes.size(); ++k)
    isSame = next.axes[k].family == like.axes[k].family &&
             elaborator.symbols.same(next.axes[k].size, like.axes[k].size);
  if (!isSame)
    throw SpecError(
        Code::LoopShape, at,
        fmt::format("the state `{}` changes its shape", definition.name),
        {fmt::format("before a position: {}", elaborator.shown(like)),
         fmt::format("after it:          {}", elaborator.shown(next))});
  return family(emitted(std::move(steps), like, next));
}

//===----------------------------------------------------------------------===//
// In the walk over the equations
//===----------------------------------------------------------------------===//

/// Whether `expr` indexes the name.
static bool indexes(const Expr &expr, const std::string &name) {
  if (expr.kind == ExprKind::Index &&
      expr.operands[0]->kind == ExprKind::Name &&
      expr.operands[0]->text == name)
    return true;
  return std::ranges::any_of(expr.operands, [&](const ExprPtr &operand) {
    return operand && indexes(*operand, name);
  });
}

/// A name that is looked for while it is defined is one of a `where`; names of
/// the file are hidden.
bool Elaborator::isRecurrence(const Definition &definition,
                              const Environment *scope) {
  const bool readsItself =
      indexes(*definition.value, definition.name) ||
      std::ranges::any_of(definition.where, [&](const Definition &local) {
        return indexes(*local.value, definition.name);
      });
  if (!readsItself)
    return false;
  for (const Environment *level = scope; level && !level->file;
       level = level->parent)
    if (auto found = level->names.find(definition.name);
        found != level->names.end())
      return found->second.running;
  return true;
}

Value Elaborator::recurrence(const Definition &definition,
                             const Environment *scope) {
  // While ranges are looked for, the state has no value.
  Environment *own = newEnvironment(scope);
  bind(*own, definition.name, EarlierState{nullptr});
  std::vector<Extent> extents;
  llvm::SaveAndRestore ofElements(rangesOfElements, true);
  for (const IndexVariable &variable : definition.indices) {
    auto found = extentsOf(definition, variable, own);
    if (found.empty())
      throw SpecError(
          Code::UnknownRange, variable.place,
          fmt::format("the range of the index `{}` is not known",
                      variable.name),
          {fmt::format("State it where the index is defined: [{} < n].",
                       variable.name)});
    extents.push_back(found[0]);
  }
  return RecurrenceWalk(*this, definition, extents, scope).run();
}

Value Elaborator::memberBefore(const EarlierState &state, const Expr &expr,
                               const Environment *scope) {
  if (!state.walk)
    return Undetermined{}; // a range is looked for
  std::vector<Value> given;
  for (size_t k = 1; k < expr.operands.size(); ++k)
    given.push_back(evaluate(*expr.operands[k], scope));
  return state.walk->before(given, expr);
}

Value Elaborator::memberBeforeFromZero(const EarlierState &state,
                                       const Expr &expr,
                                       const Environment *scope) {
  if (state.walk)
    state.walk->begin(StaticValue(int64_t(0)), expr);
  return memberBefore(state, expr, scope);
}

std::optional<Value> Elaborator::stateBefore(const Expr &expr,
                                             const Environment *scope) {
  const Expr &left = *expr.operands[0];
  if (left.kind != ExprKind::Index || left.operands[0]->kind != ExprKind::Name)
    return std::nullopt;
  auto base = find(left.operands[0]->text, scope);
  auto *state = base ? base->as<EarlierState>() : nullptr;
  if (!state)
    return std::nullopt;
  if (!state->walk)
    return Value(Undetermined{});
  state->walk->begin(evaluate(*expr.operands[1], scope), *expr.operands[1]);
  return memberBefore(*state, left, scope);
}

} // namespace transfold::spec
