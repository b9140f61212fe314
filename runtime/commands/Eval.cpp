// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `eval`: raw arrays in, raw arrays out; what tests and other programs use.
// All sequences run in one call without their padding; results come back in the
// padded shape, with zeros where there was no token.

#include "runtime/commands/Commands.h"
#include "runtime/commands/EvalPlan.h"
#include "runtime/commands/EvalSteps.h"
#include "runtime/files/OutputFile.h"
#include "runtime/program/ArrayArguments.h"
#include "runtime/program/Call.h"
#include "runtime/program/PaddedLayout.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

namespace transfold::runtime {

namespace {

/// One result of all sequences.
struct Output {
  size_t step;                // that gives it
  std::vector<int64_t> shape; // the batch first
  std::vector<float> values;
};

class Evaluation {
public:
  Evaluation(Session &session, const EvalOptions &options)
      : session(session), chunk(options.chunk),
        inputs(session.metadata(), options.inputs),
        plan(session.metadata(), inputs, options.entry) {
    for (size_t i = 0; i < plan.steps().size(); ++i) {
      const EvalStep &step = plan.steps()[i];
      calls.emplace_back(session, step.entry);
      for (const Result &result : plan.entry(step).results)
        makeOutput(result, i);
    }
  }

  void run() {
    for (size_t i = 0; i < calls.size(); ++i)
      runStep(i);
  }

  void write(const std::string &directory) const {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
      fail("{}: cannot make the directory: {}", directory, error.message());
    for (const auto &[name, output] : outputs) {
      std::string path = std::filesystem::path(directory) / (name + ".npy");
      writeNpy(path, output.shape, output.values);
      print(fmt::format("{}  float32 [{}]\n", path,
                        fmt::join(output.shape, ", ")));
    }
  }

private:
  Session &session;
  int64_t chunk;
  EvalInputs inputs;
  EvalPlan plan;
  std::vector<Call> calls; // one for each step
  std::map<std::string, Output> outputs;

  void makeOutput(const Result &result, size_t step) {
    const std::vector<int64_t> &padded = plan.steps()[step].padded;
    // Where two entries give the same value, the first one's is kept.
    auto [place, isNew] = outputs.try_emplace(result.external);
    if (!isNew)
      return;
    Output &output = place->second;
    output.step = step;
    output.shape.push_back(inputs.batch());
    for (const Axis &axis : result.shape)
      output.shape.push_back(axis.length < 0
                                 ? axis.size
                                 : padded[static_cast<size_t>(axis.length)]);
    int64_t count = 0;
    if (__builtin_mul_overflow(elements(result.shape, padded), inputs.batch(),
                               &count))
      fail("{}: an array of this size cannot be made", result.external);
    output.values.resize(static_cast<size_t>(count));
  }

  void runStep(size_t index) {
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

  void fillArgument(const EvalStep &step, Call &call, size_t index) const {
    const EvalSource &source = step.sources[index];
    if (!source.earlier && !source.array)
      return call.fill(index);
    for (size_t sequence = 0; sequence < call.sequences(); ++sequence) {
      if (source.earlier)
        std::ranges::copy(calls[source.earlier->step].result(
                              source.earlier->result, sequence),
                          call.reals(index, sequence).begin());
      else if (call.entry().arguments[index].integer)
        fillIntegers(step, call, index, sequence);
      else
        fillReals(call, index, sequence, *source.array,
                  static_cast<int64_t>(sequence), step.padded);
    }
  }

  void fillIntegers(const EvalStep &step, Call &call, size_t index,
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

  void keepResult(size_t step, size_t index, size_t sequence) {
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
};

} // namespace

void eval(Session &session, const EvalOptions &options) {
  Evaluation evaluation(session, options);
  evaluation.run();
  evaluation.write(options.directory);
}

} // namespace transfold::runtime
