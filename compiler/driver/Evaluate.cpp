// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/Evaluate.h"

#include "compiler/driver/LoadModel.h"
#include "compiler/host/Metadata.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/MemoryOrder.h"
#include "runtime/Error.h"
#include "runtime/EvalInputs.h"
#include "runtime/PaddedLayout.h"

#include <fmt/format.h>

#include <filesystem>

using namespace mlir;
using namespace transfold;
using reference::Tensor;
using runtime::fail;

namespace {

/// One result of all sequences, in the padded shape.
struct Output {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

class Evaluation {
public:
  Evaluation(const driver::EvaluateOptions &options,
             driver::LoadedModel &loaded)
      : options(options), loaded(loaded),
        metadata(runtime::Metadata::parse(
            host::describeProgram(*loaded.module).dump())),
        inputs(metadata, options.inputs),
        interpreter(*loaded.module, loaded.checkpoint.get()) {}

  void run() {
    for (const runtime::Entry &entry : metadata.entries)
      if (options.entry.empty() || options.entry == entry.name)
        for (int64_t sequence = 0; sequence < inputs.batch(); ++sequence)
          runEntry(entry, sequence);
    if (outputs.empty())
      fail("no entry has all of its arguments among the inputs");
    std::error_code error;
    std::filesystem::create_directories(options.output, error);
    if (error)
      fail("{}: cannot make the directory: {}", options.output,
           error.message());
    for (const auto &[name, output] : outputs)
      runtime::writeNpy(fmt::format("{}/{}.npy", options.output, name),
                        output.shape, output.values);
  }

private:
  void runEntry(const runtime::Entry &entry, int64_t sequence) {
    std::vector<int64_t> lengths, padded;
    if (!findLengths(entry, sequence, lengths, padded))
      return;
    std::vector<Tensor> arguments;
    for (const runtime::Argument &argument : entry.arguments)
      arguments.push_back(fill(argument, sequence, lengths, padded));
    auto function = loaded.module->lookupSymbol<xf::EntryOp>(entry.name);
    std::vector<Tensor> results =
        interpreter.run(function, std::move(arguments));
    for (size_t k = 0; k < results.size(); ++k) {
      const runtime::Result &result = entry.results[k];
      if (sequence == 0)
        chained[result.name] = {};
      chained[result.name].push_back(results[k]);
      keep(result, function.getFunctionType().getResult(k), results[k],
           sequence, lengths, padded);
    }
  }

  /// False where an argument is given by nobody.
  bool findLengths(const runtime::Entry &entry, int64_t sequence,
                   std::vector<int64_t> &lengths,
                   std::vector<int64_t> &padded) {
    lengths.assign(entry.lengths.size(), -1);
    padded.assign(entry.lengths.size(), 0);
    for (const runtime::Argument &argument : entry.arguments) {
      const runtime::NpyArray *array = inputs.find(argument);
      auto earlier = chained.find(argument.name);
      if (!array && earlier == chained.end()) {
        if (argument.defaultValue)
          continue;
        return false;
      }
      for (size_t axis = 0; axis < argument.shape.size(); ++axis) {
        int length = argument.shape[axis].length;
        if (length < 0)
          continue;
        int64_t extent = array ? array->shape().at(axis + 1)
                               : earlier->second.at(sequence).shape[axis];
        padded[length] = std::max(padded[length], extent);
        if (array && axis == 0)
          extent = inputs.valid(argument, sequence);
        lengths[length] =
            lengths[length] < 0 ? extent : std::min(lengths[length], extent);
      }
    }
    for (size_t k = 0; k < lengths.size(); ++k)
      if (lengths[k] < 0)
        fail("entry '{}': no input tells the length {}", entry.name,
             entry.lengths[k]);
    return true;
  }

  Tensor fill(const runtime::Argument &argument, int64_t sequence,
              const std::vector<int64_t> &lengths,
              const std::vector<int64_t> &padded) {
    const runtime::NpyArray *array = inputs.find(argument);
    auto earlier = chained.find(argument.name);
    if (!array && earlier != chained.end())
      return earlier->second.at(sequence);
    std::vector<int64_t> shape;
    for (const runtime::Axis &axis : argument.shape)
      shape.push_back(axis.length < 0 ? axis.size : lengths[axis.length]);
    Tensor tensor(shape);
    if (!array) {
      std::fill(tensor.data.begin(), tensor.data.end(), *argument.defaultValue);
      return tensor;
    }
    int64_t start = sequence * runtime::elements(argument.shape, padded);
    runtime::PaddedLayout(argument.shape, lengths, padded)
        .forEach([&](int64_t from, int64_t to) {
          tensor.data[to] =
              argument.integer
                  ? static_cast<double>(array->integer(start + from))
                  : array->real(start + from);
        });
    return tensor;
  }

  void keep(const runtime::Result &result, Type type, const Tensor &value,
            int64_t sequence, const std::vector<int64_t> &lengths,
            const std::vector<int64_t> &padded) {
    Output &output = outputs[result.external];
    int64_t count = runtime::elements(result.shape, padded);
    if (output.shape.empty()) {
      output.shape.push_back(inputs.batch());
      for (const runtime::Axis &axis : result.shape)
        output.shape.push_back(axis.length < 0 ? axis.size
                                               : padded[axis.length]);
      output.values.resize(count * inputs.batch());
    }
    // PaddedLayout expects the order of buffers: lengths first.
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

  const driver::EvaluateOptions &options;
  driver::LoadedModel &loaded;
  runtime::Metadata metadata;
  runtime::EvalInputs inputs;
  reference::Interpreter interpreter;
  std::map<std::string, std::vector<Tensor>> chained; // by the result's name
  std::map<std::string, Output> outputs;
};

} // namespace

void driver::evaluate(const EvaluateOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadModel(context, options.model, options.spec);
  PassManager passes(&context);
  addPasses(passes, Stage::Xf, std::min(options.after, Stage::Host), "host");
  if (failed(passes.run(*loaded.module)))
    throw std::runtime_error("the passes failed; the messages above say why");
  Evaluation(options, loaded).run();
}
