// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter runs the equations twice, on the same made-up arguments, and
// both runs meet the same operations in the same order. Of each value only a
// sample is kept, so that the memory does not grow with the model.

#include "compiler/driver/report/MeasureErrors.h"

#include "base/files/Temporary.h"
#include "compiler/driver/evaluate/EvaluateModule.h"
#include "compiler/driver/evaluate/MakeInputs.h"

#include <llvm/ADT/MapVector.h>

#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;
using nlohmann::ordered_json;

/// At most this many elements of a value are compared.
static constexpr int64_t mostSamples = 1024;

/// Elements of a value at equal distances.
static std::vector<double> sampleOf(const reference::Tensor &value) {
  const int64_t step = std::max<int64_t>(1, value.size() / mostSamples);
  std::vector<double> sample;
  for (int64_t k = 0; k < value.size(); k += step)
    sample.push_back(value.data[k]);
  return sample;
}

/// The largest difference, relative to the largest value; nullopt if no value
/// is finite.
static std::optional<double> errorOf(const std::vector<double> &exact,
                                     const std::vector<double> &rounded) {
  double largest = 0, difference = 0;
  for (auto [a, b] : llvm::zip(exact, rounded)) {
    if (!std::isfinite(a) || !std::isfinite(b))
      continue; // scores that a mask excludes
    largest = std::max(largest, std::abs(a));
    difference = std::max(difference, std::abs(a - b));
  }
  return largest > 0 ? std::optional(difference / largest) : std::nullopt;
}

void driver::measureErrors(ModuleOp module,
                           const checkpoint::Checkpoint &checkpoint,
                           const report::SpecEquations &equations,
                           ordered_json &data) {
  TemporaryFolder folder;
  const std::vector<std::string> inputs = makeInputs(module, folder.path());
  std::vector<std::vector<double>> exact;
  llvm::MapVector<unsigned, double> errors;
  auto run = [&](const reference::Numbers &numbers,
                 std::function<void(Operation &, std::vector<double>)> visit) {
    evaluateModule(module, checkpoint, inputs, "", 0, numbers,
                   [&](Operation &op, auto valueOf) {
                     if (op.getNumResults() == 1 &&
                         isa<xf::RealType>(op.getResult(0).getType()))
                       visit(op, sampleOf(valueOf(op.getResult(0))));
                   });
  };
  run(reference::doubles(), [&](Operation &, std::vector<double> x) {
    exact.push_back(std::move(x));
  });
  size_t next = 0;
  run(reference::floats(), [&](Operation &op, std::vector<double> x) {
    const std::vector<double> &before = exact.at(next++);
    if (auto error = errorOf(before, x))
      for (unsigned equation : equations.of(op.getLoc()).equations)
        errors[equation] = std::max(errors[equation], *error);
  });
  for (const auto &[equation, error] : errors)
    data.at("equations").at(equation)["measured"]["error"] = error;
}
