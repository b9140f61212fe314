// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops. A loop is walked once for each of its iterations (rounds), so that the
// weights of every layer are bound and checked. Consecutive rounds of the same
// equations stay one loop; where they differ, one loop ends and the next
// begins:
//
//   for l < 6 { x = f(x, W[l]) }    of which the last two have another mask
//
//   loop l < 4 { next = f(current, W) }
//   loop l < 2 { next = f'(current, W) }
//
// If a round changes the shape of a value, such as a convolution with a stride,
// each round is written out.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/elaborate/Rounds.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

namespace transfold::spec {

/// The walk over one loop.
class Elaborator::LoopWalk {
public:
  LoopWalk(Elaborator &elaborator, const Statement &statement,
           const Environment *scope);
  /// Walks the loop, and returns the scope after it.
  const Environment *run();

private:
  /// Thrown by a round that changes the shape of a carried value.
  struct ShapeChanged {};
  /// Consecutive rounds of the same equations.
  struct Run {
    step::Loop loop;                               // its first round
    std::vector<std::vector<BoundWeight>> weights; // of each round
  };

  /// One round: computes the next carried values.
  std::vector<Tensor> round(StaticValue number,
                            const std::vector<Tensor> &values);
  Tensor checkedNext(size_t k, const Value &value, const Tensor &before);
  Run recordedRound(int64_t number, ValueId current);
  /// All rounds, grouped into runs of equal ones. Each round numbers its values
  /// from the same one, so that equal rounds have equal steps.
  std::vector<Run> recordedRuns(int64_t count);
  void emitRuns(int64_t count);
  const Environment *unrolled(int64_t count);
  /// A scope in which the carried names have these values.
  const Environment *after(const std::vector<Tensor> &values);

  Elaborator &elaborator;
  const Statement &statement;
  const Environment *scope;
  Place at;
  /// Index numbers start at the same value in every round, so that the steps of
  /// equal rounds are equal.
  size_t firstIndex;
  /// What the loop carries: the tensors that its body replaces.
  std::vector<std::string> names;
  std::vector<Tensor> carried;
  bool onlyTensors = true; // whether the body replaces nothing else
  bool isCounted = false;  // whether the number of rounds is known
  bool isChanged = false;  // whether a round changed a size
};

Elaborator::LoopWalk::LoopWalk(Elaborator &elaborator,
                               const Statement &statement,
                               const Environment *scope)
    : elaborator(elaborator), statement(statement), scope(scope),
      at(statement.range.begin), firstIndex(elaborator.indices.size()) {
  std::set<std::string> assigned;
  assignedNames(statement.body, assigned);
  for (const std::string &name : assigned) {
    auto value = elaborator.find(name, scope);
    if (!value || value->as<Builtin>())
      continue;
    onlyTensors &= value->tensor() != nullptr;
    if (!value->tensor())
      continue;
    names.push_back(name);
    carried.push_back(elaborator.settled(*value->tensor(), at));
    carried.back().markComputed();
  }
}

/// A loop that carries static values, or values whose shape changes, is
/// unrolled. One whose count is unknown is walked to find mistakes.
const Environment *Elaborator::LoopWalk::run() {
  auto count = elaborator.integer(*statement.condition, scope);
  if (count && *count < 0)
    throw SpecError(Code::NotAnInteger, statement.condition->range.begin,
                    fmt::format("the loop has {} iterations", *count), {},
                    statement.condition->range);
  if (!count) { // not known without a checkpoint: one round stands for all
    const StaticValue number(Unknown{Dim::atom(statement.variable)});
    std::vector<Tensor> values = round(number, carried);
    if (isChanged) // and a second one, for what the first one gives
      values = round(number, values);
    return after(values);
  }
  if (*count == 0)
    return scope;
  isCounted = true;
  if (!onlyTensors)
    return unrolled(*count);
  const ValueId current = elaborator.nextValue;
  try {
    emitRuns(*count);
  } catch (const ShapeChanged &) {
    // Nothing has been emitted.
    elaborator.nextValue = current;
    elaborator.indices.resize(firstIndex);
    return unrolled(*count);
  }
  return after(carried);
}

std::vector<Tensor>
Elaborator::LoopWalk::round(StaticValue number,
                            const std::vector<Tensor> &values) {
  elaborator.indices.resize(firstIndex);
  Environment *inner = elaborator.newEnvironment(scope);
  bind(*inner, statement.variable, std::move(number));
  for (size_t k = 0; k < names.size(); ++k)
    bind(*inner, names[k], values[k]);
  Flow flow = elaborator.run(statement.body, inner);
  if (flow.result)
    throw SpecError(Code::ReturnInLoop, at, "a loop cannot return");
  std::vector<Tensor> next;
  for (size_t k = 0; k < names.size(); ++k)
    next.push_back(
        checkedNext(k, *elaborator.find(names[k], flow.scope), values[k]));
  return next;
}

/// The carried value `k` after a round, with its axes in the order that they
/// had before. Throws SpecError if it has another number of axes, and
/// ShapeChanged if they have other sizes and the number of rounds is known.
Tensor Elaborator::LoopWalk::checkedNext(size_t k, const Value &value,
                                         const Tensor &before) {
  const Tensor *tensor = value.tensor();
  if (!tensor || tensor->axes.size() != before.axes.size() ||
      tensor->rank() != before.rank())
    throw SpecError(
        Code::LoopShape, at,
        fmt::format("`{}` changes its shape in the loop", names[k]),
        {fmt::format("before: {}", elaborator.shown(before)),
         fmt::format("after:  {}",
                     tensor ? elaborator.shown(*tensor) : kindOf(value)),
         "A value that a loop carries must keep its axes; their sizes may "
         "change."});
  bool same = true;
  for (unsigned a = 0; same && a < tensor->rank(); ++a)
    same = elaborator.symbols.same(tensor->axis(a).size, before.axis(a).size);
  if (!same && isCounted)
    throw ShapeChanged();
  isChanged |= !same;
  Tensor next = elaborator.settled(*tensor, at);
  for (unsigned a = 0; same && a < next.axes.size(); ++a)
    next.axes[a].name = before.axes[a].name;
  return next;
}

/// Round `number` as a loop of its own, whose values begin with `current`.
Elaborator::LoopWalk::Run Elaborator::LoopWalk::recordedRound(int64_t number,
                                                              ValueId current) {
  step::Loop loop;
  loop.variable = statement.variable;
  loop.current = current;
  elaborator.nextValue = current;
  std::vector<Tensor> values = carried;
  for (Tensor &value : values)
    value.value = elaborator.nextValue++;
  llvm::SaveAndRestore redirect(elaborator.target, &loop.body);
  for (const Tensor &value : round(StaticValue(number), values))
    loop.next.push_back(value.value);
  std::vector<BoundWeight> weights = weightsOf(loop.body);
  return {std::move(loop), {std::move(weights)}};
}

std::vector<Elaborator::LoopWalk::Run>
Elaborator::LoopWalk::recordedRuns(int64_t count) {
  const ValueId current = elaborator.nextValue;
  ValueId end = current;
  std::vector<Run> runs;
  for (int64_t number = 0; number < count; ++number) {
    Run round = recordedRound(number, current);
    end = std::max(end, elaborator.nextValue);
    if (!runs.empty() && areSameRound(round.loop, runs.back().loop))
      runs.back().weights.push_back(std::move(round.weights.front()));
    else
      runs.push_back(std::move(round));
  }
  elaborator.nextValue = end;
  return runs;
}

/// Appends one loop for each run; afterwards `carried` are the results of the
/// last one.
void Elaborator::LoopWalk::emitRuns(int64_t count) {
  for (Run &run : recordedRuns(count)) {
    step::Loop &loop = run.loop;
    loop.count = std::ssize(run.weights);
    mergeRounds(loop, run.weights, /*areAll=*/loop.count == count);
    for (const Tensor &value : carried)
      loop.carried.push_back(value.value);
    elaborator.target->push_back(
        {std::move(loop), elaborator.nextValue, at, elaborator.caller});
    for (Tensor &value : carried)
      value.value = elaborator.nextValue++;
  }
}

/// The rounds one after the other. A static value that changes from round to
/// round cannot be carried by a loop.
const Environment *Elaborator::LoopWalk::unrolled(int64_t count) {
  const Environment *current = scope;
  for (int64_t number = 0; number < count; ++number) {
    Environment *inner = elaborator.newEnvironment(current);
    bind(*inner, statement.variable, StaticValue(number));
    current = elaborator.run(statement.body, inner).scope;
  }
  return current;
}

const Environment *
Elaborator::LoopWalk::after(const std::vector<Tensor> &values) {
  Environment *outer = elaborator.newEnvironment(scope);
  for (size_t k = 0; k < names.size(); ++k)
    bind(*outer, names[k], values[k]);
  return outer;
}

const Environment *Elaborator::loop(const Statement &statement,
                                    const Environment *scope) {
  return LoopWalk(*this, statement, scope).run();
}

} // namespace transfold::spec
