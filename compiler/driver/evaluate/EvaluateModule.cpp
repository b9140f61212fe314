// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs entries in the interpreter, with the inputs, plans and layouts of the
// runtime: what `eval` of a program accepts and writes is accepted and written
// here.

#include "compiler/driver/evaluate/EvaluateModule.h"

#include "base/Error.h"
#include "compiler/host/metadata/Metadata.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/MemoryOrder.h"
#include "runtime/program/call/PaddedLayout.h"
#include "runtime/steps/StepArguments.h"
#include "runtime/tasks/eval/EvalPlan.h"

#include <malloc.h>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

/// One evaluation of a module, on one set of arrays.
class Evaluation {
public:
  Evaluation(ModuleOp module, reference::Interpreter &interpreter,
             const std::vector<std::string> &files, const std::string &entry,
             int64_t chunk, const reference::Numbers &numbers)
      : module(module), chunk(chunk),
        metadata(runtime::Metadata::of(host::describeProgram(module))),
        inputs(metadata, files), plan(metadata, inputs, entry),
        interpreter(interpreter), numbers(numbers) {}

  driver::Outputs run() {
    for (int64_t sequence = 0; sequence < inputs.batch(); ++sequence) {
      // Results of the previous entries, for those that read them.
      std::vector<std::vector<Tensor>> results;
      for (const runtime::EvalStep &step : plan.steps())
        results.push_back(runStep(step, sequence, results));
    }
    return std::move(outputs);
  }

private:
  /// Runs one entry for one sequence, whose arguments are arrays or earlier
  /// results, and keeps its results.
  std::vector<Tensor> runStep(const runtime::EvalStep &step, int64_t sequence,
                              const std::vector<std::vector<Tensor>> &earlier) {
    const runtime::Entry &entry = plan.entry(step);
    std::vector<int64_t> lengths = plan.lengths(step, sequence);
    runtime::checkLengths(entry, lengths);
    std::vector<Tensor> arguments;
    for (size_t k = 0; k < entry.arguments.size(); ++k) {
      const runtime::EvalSource &source = step.sources[k];
      arguments.push_back(
          source.earlier ? earlier[source.earlier->step][source.earlier->result]
                         : read(entry.arguments[k], source.array, sequence,
                                lengths, step.padded));
    }
    auto function = module.lookupSymbol<xf::EntryOp>(entry.name);
    bool bySteps =
        chunk && metadata.staged(entry.name, runtime::Stage::Step).has_value();
    std::vector<Tensor> results =
        bySteps ? runBySteps(entry, std::move(arguments))
                : interpreter.run(function, std::move(arguments));
    for (size_t k = 0; k < results.size(); ++k)
      keep(entry.results[k], function.getFunctionType().getResult(k),
           results[k], sequence, lengths, step.padded);
    return results;
  }

  /// Evaluates an entry through its steps of `chunk` tokens.
  std::vector<Tensor> runBySteps(const runtime::Entry &entry,
                                 std::vector<Tensor> arguments) {
    reference::Kept kept;
    const runtime::StepArguments own = runtime::stepArguments(entry);
    std::vector<Tensor> request;
    for (size_t k : own.request)
      request.push_back(std::move(arguments[k]));
    if (auto begin = metadata.staged(entry.name, runtime::Stage::Begin))
      interpreter.run(entryOf(*begin), std::move(request), &kept);
    const size_t number = *metadata.staged(entry.name, runtime::Stage::Step);
    const int64_t all = arguments[own.tokens].size();
    Tensor result;
    for (int64_t first = 0; first < all; first += chunk) {
      Tensor rows =
          std::move(interpreter
                        .run(entryOf(number),
                             ofStep(metadata.entries[number], entry, arguments,
                                    first, std::min(chunk, all - first)),
                             &kept)
                        .front());
      if (result.shape.empty()) {
        result = std::move(rows);
        continue;
      }
      result.shape[0] += rows.shape[0];
      result.data.insert(result.data.end(), rows.data.begin(), rows.data.end());
    }
    return {std::move(result)};
  }

  /// The arguments of a step of `count` tokens from position `first` on, taken
  /// from those of the entry over the whole sequence.
  static std::vector<Tensor> ofStep(const runtime::Entry &step,
                                    const runtime::Entry &entry,
                                    const std::vector<Tensor> &arguments,
                                    int64_t first, int64_t count) {
    std::vector<Tensor> result;
    for (const runtime::Argument &argument : step.arguments) {
      if (argument.isFirst) {
        result.emplace_back(std::vector<int64_t>{});
        result.back().data[0] = static_cast<double>(first);
      } else if (argument.isWanted) {
        result.emplace_back(std::vector<int64_t>{count});
        std::iota(result.back().data.begin(), result.back().data.end(), 0.0);
      } else {
        const auto whole = std::ranges::find(entry.arguments, argument.name,
                                             &runtime::Argument::name) -
                           entry.arguments.begin();
        result.push_back(rowsOf(arguments[whole], argument, first, count));
      }
    }
    return result;
  }

  /// `count` positions from `first` on, along the single length of an argument.
  static Tensor rowsOf(const Tensor &all, const runtime::Argument &argument,
                       int64_t first, int64_t count) {
    std::vector<int64_t> shape = all.shape;
    const auto along = std::ranges::find_if(argument.shape,
                                            [](const runtime::Axis &axis) {
                                              return axis.length >= 0;
                                            }) -
                       argument.shape.begin();
    shape[along] = count;
    return reference::strided(all, shape, all.strides(),
                              first * all.strides()[along]);
  }

  xf::EntryOp entryOf(size_t number) {
    return module.lookupSymbol<xf::EntryOp>(metadata.entries[number].name);
  }

  /// The argument of one sequence, without padding. `lengths` are those of the
  /// sequence, `padded` those of the array.
  Tensor read(const runtime::Argument &argument, const NpyArray *array,
              int64_t sequence, const std::vector<int64_t> &lengths,
              const std::vector<int64_t> &padded) const {
    std::vector<int64_t> shape;
    for (const runtime::Axis &axis : argument.shape)
      shape.push_back(axis.length < 0 ? axis.size : lengths[axis.length]);
    Tensor tensor(shape);
    if (!array) {
      std::fill(tensor.data.begin(), tensor.data.end(),
                argument.integer ? *argument.defaultValue
                                 : numbers.real(*argument.defaultValue));
      return tensor;
    }
    // Both are in declared order; the padded one is larger.
    int64_t start = sequence * runtime::elements(argument.shape, padded);
    std::vector<int64_t> strides(shape.size());
    int64_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      strides[axis] = stride;
      const runtime::Axis &of = argument.shape[axis];
      stride *= of.length < 0 ? of.size : padded[of.length];
    }
    Tensor flat({stride});
    for (int64_t k = 0; k < stride; ++k)
      flat.data[k] = argument.integer
                         ? static_cast<double>(array->integer(start + k))
                         : numbers.real(array->real(start + k));
    return reference::strided(flat, shape, strides);
  }

  /// Copies the result of one sequence into the array for all of them. Padding
  /// stays zero.
  void keep(const runtime::Result &result, Type type, const Tensor &value,
            int64_t sequence, const std::vector<int64_t> &lengths,
            const std::vector<int64_t> &padded) {
    driver::Output &output = outputs[result.external];
    int64_t count = runtime::elements(result.shape, padded);
    if (output.shape.empty()) {
      output.shape.push_back(inputs.batch());
      for (const runtime::Axis &axis : result.shape)
        output.shape.push_back(axis.length < 0 ? axis.size
                                               : padded[axis.length]);
      output.values.resize(count * inputs.batch());
    }
    // PaddedLayout expects the memory order of buffers: lengths first.
    std::vector<int64_t> shape, strides;
    for (unsigned axis : xf::memoryOrder(type)) {
      shape.push_back(value.shape[axis]);
      strides.push_back(value.strides()[axis]);
    }
    Tensor dense = reference::strided(value, shape, strides);
    runtime::PaddedLayout(result.shape, lengths, padded)
        .forEach([&](int64_t to, int64_t from) {
          output.values[sequence * count + to] = dense.data[from];
        });
  }

  ModuleOp module;
  int64_t chunk;
  runtime::Metadata metadata;
  runtime::EvalInputs inputs;
  runtime::EvalPlan plan;
  reference::Interpreter &interpreter;
  const reference::Numbers &numbers;
  driver::Outputs outputs;
};

} // namespace

/// Keeps the memory that the interpreter frees. It copies the weights that an
/// operation reads, and by default glibc returns such blocks to the system at
/// once: a third of the time of a sentence in all-MiniLM-L6-v2 were page
/// faults.
static void keepFreedMemory() {
#ifdef M_TRIM_THRESHOLD
  constexpr int largestBlock = 32 << 20; // more is not accepted
  ::mallopt(M_MMAP_THRESHOLD, largestBlock);
  ::mallopt(M_TRIM_THRESHOLD, 16 * largestBlock);
#endif
}

driver::Evaluator::Evaluator(ModuleOp module,
                             const checkpoint::Checkpoint &checkpoint,
                             const reference::Numbers &numbers)
    : module(module), numbers(numbers),
      interpreter(module, &checkpoint, numbers) {
  keepFreedMemory();
}

void driver::Evaluator::observe(reference::Observer observer) {
  interpreter.observe(std::move(observer));
}

driver::Outputs driver::Evaluator::run(const std::vector<std::string> &files,
                                       const std::string &entry,
                                       int64_t chunk) {
  return Evaluation(module, interpreter, files, entry, chunk, numbers).run();
}

driver::Outputs driver::evaluateModule(ModuleOp module,
                                       const checkpoint::Checkpoint &checkpoint,
                                       const std::vector<std::string> &files,
                                       const std::string &entry, int64_t chunk,
                                       const reference::Numbers &numbers,
                                       reference::Observer observer) {
  Evaluator evaluator(module, checkpoint, numbers);
  evaluator.observe(std::move(observer));
  return evaluator.run(files, entry, chunk);
}
