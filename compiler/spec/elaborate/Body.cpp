// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements. A loop is walked once for each of its iterations (rounds) into a
// recorder, so that the weights of every layer are bound and checked.
// Consecutive rounds that request the same operations stay one loop; where they
// differ, one loop ends and the next begins.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/elaborate/SinkAdapters.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

namespace transfold::spec {

Elaborator::Flow Elaborator::run(const Body &body, const Environment *scope) {
  Flow flow{scope, std::nullopt};
  for (const Statement &statement : body) {
    flow = runStatement(statement, flow.scope);
    if (flow.result)
      break;
  }
  return flow;
}

Elaborator::Flow Elaborator::runStatement(const Statement &statement,
                                          const Environment *scope) {
  switch (statement.kind) {
  case StatementKind::Parts: {
    Environment *inner = newEnvironment(scope);
    declareParts(statement.parts, *inner);
    return {inner, std::nullopt};
  }
  case StatementKind::Weights: {
    Environment *inner = newEnvironment(scope);
    declareWeights(statement.weights, *inner);
    return {inner, std::nullopt};
  }
  case StatementKind::Define: {
    Value value = define(*statement.definition, scope);
    Environment *inner = newEnvironment(scope);
    bind(*inner, statement.definition->name, std::move(value));
    return {inner, std::nullopt};
  }
  case StatementKind::Return: {
    std::vector<Value> values;
    for (const ExprPtr &value : statement.values)
      values.push_back(evaluate(*value, scope));
    return {scope, std::move(values)};
  }
  case StatementKind::For:
    return {loop(statement, scope), std::nullopt};
  case StatementKind::If: {
    auto truth = condition(*statement.condition, scope);
    if (truth)
      return run(*truth ? statement.body : statement.otherwise, scope);
    // If the condition is not known without a checkpoint, both branches are
    // walked, so that mistakes in either are found.
    Within within(branches);
    Flow flow = run(statement.body, scope);
    Flow other = run(statement.otherwise, scope);
    return flow.result || !other.result ? flow : other;
  }
  }
  return {scope, std::nullopt};
}

void Elaborator::assignedNames(const Body &body, std::set<std::string> &names) {
  for (const Statement &statement : body) {
    if (statement.definition)
      names.insert(statement.definition->name);
    assignedNames(statement.body, names);
    assignedNames(statement.otherwise, names);
  }
}

const Environment *Elaborator::loop(const Statement &statement,
                                    const Environment *scope) {
  const std::string &variable = statement.variable;
  Place at = statement.range.begin;
  auto count = integer(*statement.condition, scope);
  if (count && *count < 0)
    throw SpecError(statement.condition->range.begin,
                    fmt::format("the loop has {} iterations", *count), {},
                    statement.condition->range);

  std::set<std::string> assigned;
  assignedNames(statement.body, assigned);
  std::vector<std::string> names;
  std::vector<Tensor> carried;
  bool onlyTensors = true;
  for (const std::string &name : assigned)
    if (auto value = find(name, scope); value && !value->as<Builtin>()) {
      onlyTensors &= value->tensor() != nullptr;
      if (!value->tensor())
        continue;
      names.push_back(name);
      carried.push_back(settled(*value->tensor(), at));
      carried.back().isWeight = false;
      carried.back().argument = -1;
    }

  // One round: computes the next carried values. Index numbers start at the
  // same value in every round, so that equal rounds have equal records.
  size_t firstIndex = indices.size();
  auto round = [&](StaticValue number, const std::vector<Tensor> &values) {
    indices.resize(firstIndex);
    Environment *inner = newEnvironment(scope);
    bind(*inner, variable, std::move(number));
    for (size_t k = 0; k < names.size(); ++k)
      bind(*inner, names[k], values[k]);
    Flow flow = run(statement.body, inner);
    if (flow.result)
      throw SpecError(at, "a loop cannot return");
    std::vector<Tensor> next;
    for (size_t k = 0; k < names.size(); ++k) {
      Value value = *find(names[k], flow.scope);
      const Tensor *tensor = value.tensor();
      bool same = tensor && tensor->axes.size() == values[k].axes.size() &&
                  tensor->rank() == values[k].rank();
      for (unsigned a = 0; same && a < tensor->rank(); ++a)
        same = symbols.same(tensor->axis(a).size, values[k].axis(a).size);
      if (!same)
        throw SpecError(
            at, fmt::format("`{}` changes its shape in the loop", names[k]),
            {fmt::format("before: {}", shown(values[k])),
             fmt::format("after:  {}", tensor ? shown(*tensor) : kindOf(value)),
             "A value that a loop carries must keep its shape."});
      next.push_back(settled(*tensor, at));
      for (unsigned a = 0; a < next[k].axes.size(); ++a)
        next[k].axes[a].name = values[k].axes[a].name;
    }
    return next;
  };
  auto after = [&](const std::vector<Tensor> &values) {
    Environment *outer = newEnvironment(scope);
    for (size_t k = 0; k < names.size(); ++k)
      bind(*outer, names[k], values[k]);
    return outer;
  };

  if (!count)
    return after(round(StaticValue(Unknown{Dim::atom(variable)}), carried));
  if (*count == 0)
    return scope;

  // Consecutive rounds that request the same operations. They become one loop
  // over the weights of all of them.
  struct Run {
    Recorder first;
    int64_t begin;
    std::vector<std::vector<BoundWeight>> weights;
  };
  std::vector<Run> runs;
  Sink *outside = sink;
  for (int64_t number = 0; onlyTensors && number < *count; ++number) {
    struct Restore {
      Sink *&sink;
      Sink *outside;
      ~Restore() { sink = outside; }
    } restore{sink, outside};
    Recorder recorder;
    sink = &recorder;
    for (const Tensor &value : round(StaticValue(number), carried))
      recorder.calls.push_back(fmt::format("next %{}", value.value));
    std::vector<BoundWeight> weights = std::move(recorder.weights);
    if (runs.empty() || !recorder.sameAs(runs.back().first))
      runs.push_back({std::move(recorder), number, {}});
    runs.back().weights.push_back(std::move(weights));
  }
  auto emit = [&](int64_t rounds, int64_t number, std::vector<Tensor> values,
                  Sink &inside) {
    std::vector<Handle> handles;
    for (const Tensor &value : values)
      handles.push_back(value.value);
    std::vector<Handle> results = outside->loop(
        variable, rounds, handles,
        [&](const std::vector<Handle> &current) {
          std::vector<Tensor> within = values;
          for (size_t k = 0; k < within.size(); ++k)
            within[k].value = current[k];
          sink = &inside;
          std::vector<Handle> next;
          for (const Tensor &value : round(StaticValue(number), within))
            next.push_back(value.value);
          sink = outside;
          return next;
        },
        at);
    for (size_t k = 0; k < values.size(); ++k)
      values[k].value = results[k];
    return values;
  };
  for (const Run &run : runs) {
    int64_t length = std::ssize(run.weights);
    if (length == 1 && *count > 1) {
      carried = emit(1, run.begin, carried, *outside);
      continue;
    }
    LoopBodySink inside(
        *outside, mergedOverRounds(run.weights, variable, length == *count));
    carried = emit(length, run.begin, carried, inside);
  }
  if (onlyTensors)
    return after(carried);
  const Environment *current = scope;
  for (int64_t number = 0; number < *count; ++number) {
    Environment *inner = newEnvironment(current);
    bind(*inner, variable, StaticValue(number));
    current = run(statement.body, inner).scope;
  }
  return current;
}

} // namespace transfold::spec
