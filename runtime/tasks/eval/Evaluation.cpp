// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between padded arrays, as other frameworks use them, and the dense
// sequences of a call, and runs the entries of the plan one after another.

#include "runtime/tasks/eval/Evaluation.h"

#include "base/Error.h"
#include "runtime/program/call/ArrayArguments.h"
#include "runtime/program/call/PaddedLayout.h"
#include "runtime/tasks/eval/EvalSteps.h"

#include <algorithm>
#include <iterator>

namespace transfold::runtime::inline tasks {

Evaluation::Evaluation(Session &session, const EvalInputs &inputs,
                       const std::string &entry, int64_t chunk)
    : session(session), chunk(chunk), inputs(inputs),
      plan(session.metadata(), inputs, entry) {
  for (size_t i = 0; i < plan.steps().size(); ++i) {
    const EvalStep &step = plan.steps()[i];
    calls.emplace_back(session, step.entry);
    for (const Result &result : plan.entry(step).results)
      makeOutput(result, i);
  }
}

void Evaluation::run() {
  for (size_t i = 0; i < calls.size(); ++i)
    runStep(i);
}

void Evaluation::makeOutput(const Result &result, size_t step) {
  const std::vector<int64_t> &padded = plan.steps()[step].padded;
  // If two entries give the same value, the first one's is kept.
  auto [place, isNew] = outputs.try_emplace(result.external);
  if (!isNew)
    return;
  Output &output = place->second;
  output.step = step;
  output.shape.push_back(inputs.batch());
  for (const Axis &axis : result.shape)
    output.shape.push_back(
        axis.length < 0 ? axis.size : padded[static_cast<size_t>(axis.length)]);
  int64_t count = 0;
  if (__builtin_mul_overflow(elements(result.shape, padded), inputs.batch(),
                             &count))
    fail("{}: an array of this size cannot be allocated", result.external);
  output.values.resize(static_cast<size_t>(count));
}

void Evaluation::runStep(size_t index) {
  const EvalStep &step = plan.steps()[index];
  Call &call = calls[index];
  std::vector<int64_t> lengths;
  for (int64_t sequence = 0; sequence < inputs.batch(); ++sequence)
    std::ranges::copy(plan.lengths(step, sequence),
                      std::back_inserter(lengths));
  call.setSequences(lengths, static_cast<size_t>(inputs.batch()));
  for (size_t i = 0; i < step.sources.size(); ++i)
    fillArgument(step, call, i);
  if (chunk && hasSteps(session.metadata(), call.entry()))
    runBySteps(session, call, chunk);
  else
    call.run();
  for (size_t i = 0; i < call.entry().results.size(); ++i)
    for (size_t sequence = 0; sequence < call.sequences(); ++sequence)
      keepResult(index, i, sequence);
}

void Evaluation::fillArgument(const EvalStep &step, Call &call,
                              size_t index) const {
  const EvalSource &source = step.sources[index];
  if (!source.earlier && !source.array)
    return call.fill(index);
  for (size_t sequence = 0; sequence < call.sequences(); ++sequence) {
    if (source.earlier)
      std::ranges::copy(
          calls[source.earlier->step].result(source.earlier->result, sequence),
          call.reals(index, sequence).begin());
    else if (call.entry().arguments[index].integer)
      fillIntegers(step, call, index, sequence);
    else
      fillReals(call, index, sequence, *source.array,
                static_cast<int64_t>(sequence), step.padded);
  }
}

void Evaluation::fillIntegers(const EvalStep &step, Call &call, size_t index,
                              size_t sequence) const {
  const NpyArray &array = *step.sources[index].array;
  const Argument &argument = call.entry().arguments[index];
  if (!array.isInteger())
    fail("{}: must hold integers (int64)", argument.external);
  int64_t most = argument.bound ? argument.bound - 1 : INT32_MAX;
  int64_t start =
      static_cast<int64_t>(sequence) * elements(argument.shape, step.padded);
  std::span<int32_t> to = call.integers(index, sequence);
  PaddedLayout layout(argument.shape, call.lengths(sequence), step.padded);
  layout.forEach([&](int64_t padded, int64_t dense) {
    int64_t value = array.integer(start + padded);
    if (value < 0 || value > most)
      fail("{}[{}, {}] = {}: the model knows 0 to {}", argument.external,
           sequence, layout.place(padded), value, most);
    to[static_cast<size_t>(dense)] = static_cast<int32_t>(value);
  });
}

void Evaluation::keepResult(size_t step, size_t index, size_t sequence) {
  const Call &call = calls[step];
  const Result &result = call.entry().results[index];
  Output &output = outputs.at(result.external);
  if (output.step != step)
    return;
  const std::vector<int64_t> &padded = plan.steps()[step].padded;
  float *to = output.values.data() +
              static_cast<int64_t>(sequence) * elements(result.shape, padded);
  std::span<const float> from = call.result(index, sequence);
  PaddedLayout(result.shape, call.lengths(sequence), padded)
      .forEach([&](int64_t at, int64_t dense) {
        to[at] = from[static_cast<size_t>(dense)];
      });
}

} // namespace transfold::runtime::inline tasks
