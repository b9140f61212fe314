// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's time is divided among its launches, by how often each runs, and
// the time of a launch among the equations of its operations, by the number of
// multiplications or elements that each computes. So the times of all equations
// add up to the time of all kernels.

#include "compiler/driver/report/MeasureTimes.h"

#include "base/files/Temporary.h"
#include "compiler/driver/verify/RunProgram.h"
#include "compiler/fold/solve/Problem.h"
#include "dialect/Labels.h"

#include <llvm/ADT/MapVector.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;
using nlohmann::json;
using nlohmann::ordered_json;

/// The work of an operation: multiplications of a contraction, elements of
/// others.
static double workOf(Operation *op) {
  if (op->getNumResults() == 0)
    return 0;
  double work = fold::numbersIn(op->getResult(0).getType());
  if (auto product = dyn_cast<xf::ContractOp>(op)) {
    ArrayAttr labels = product.getLhsLabels();
    for (auto [label, axis] :
         llvm::zip(labels.getAsValueRange<StringAttr>(),
                   xf::getShape(product.getLhs().getType())))
      if (!xf::findLabel(product.getLabels(), label))
        work *= static_cast<double>(xf::getNumber(axis).value_or(128));
  }
  return work;
}

namespace {

/// The times of equations.
class EquationTimes {
public:
  explicit EquationTimes(const report::SpecEquations &equations)
      : equations(equations), times(equations.all().size(), 0) {}

  /// Divides `milliseconds` of a kernel among its launches in `entry`, and
  /// those that run it instead of their own kernel for few rows.
  void divide(ModuleOp module, xf::EntryOp entry, StringRef kernel,
              double milliseconds) {
    SmallVector<xf::LaunchOp> launches;
    double runs = 0;
    entry.walk([&](xf::LaunchOp launch) {
      auto own = module.lookupSymbol<xf::KernelOp>(launch.getKernel());
      if (launch.getKernel() != kernel && (!own || own.getFew() != kernel))
        return;
      launches.push_back(launch);
      runs += fold::iterationsAround(launch);
    });
    auto op = module.lookupSymbol<xf::KernelOp>(kernel);
    for (xf::LaunchOp launch : launches)
      divide(op, launch, milliseconds * fold::iterationsAround(launch) / runs);
  }

  const std::vector<double> &all() const { return times; }

private:
  void divide(xf::KernelOp kernel, xf::LaunchOp launch, double milliseconds) {
    // A kernel's operations have the equations of all of its launches.
    const report::Origins own = equations.of(launch.getLoc());
    llvm::MapVector<unsigned, double> work;
    double total = 0;
    kernel.walk([&](Operation *op) {
      SmallVector<unsigned> shared;
      for (unsigned equation : equations.of(op->getLoc()).equations)
        if (llvm::is_contained(own.equations, equation))
          shared.push_back(equation);
      for (unsigned equation : shared) {
        const double part = workOf(op) / static_cast<double>(shared.size());
        work[equation] += part;
        total += part;
      }
    });
    if (total == 0 && !own.equations.empty())
      times[own.equations.front()] += milliseconds;
    for (const auto &[equation, part] : work)
      if (total > 0)
        times[equation] += milliseconds * part / total;
  }

  const report::SpecEquations &equations;
  std::vector<double> times;
};

} // namespace

/// The length of the sequences of a run: what `bench` uses by default, if the
/// first entry, which it runs, permits it.
static int64_t lengthFor(ModuleOp module) {
  int64_t length = 128;
  auto entries = module.getOps<xf::EntryOp>();
  if (entries.empty())
    return length;
  auto each = [](std::optional<DictionaryAttr> bounds, auto visit) {
    if (bounds)
      for (NamedAttribute bound : *bounds)
        visit(cast<IntegerAttr>(bound.getValue()).getInt());
  };
  xf::EntryOp entry = *entries.begin();
  each(entry.getLimits(),
       [&](int64_t most) { length = std::min(length, most); });
  each(entry.getLeast(),
       [&](int64_t least) { length = std::max(length, least); });
  return length;
}

/// Compiles the program and returns what its `bench` prints for sequences of
/// `length`.
static json benchmark(CompileOptions options, int64_t length) {
  TemporaryFolder folder;
  options.output = folder.file("program");
  options.quiet = true;
  compile(options);
  return programJson(
      options.output,
      {"bench", "--json", "--kernels", "--seq", std::to_string(length)},
      folder.path());
}

/// The measured times of kernels, for the report.
static void addKernels(const json &rows, double total, ordered_json &data) {
  for (const json &row : rows)
    for (ordered_json &kernel : data.at("kernels"))
      if (kernel.at("name") == row.at("kernel")) {
        ordered_json measured = {
            {"milliseconds", row.at("ms").get<double>()},
            {"share", row.at("ms").get<double>() / total},
            {"launches", row.at("launches").get<int64_t>()}};
        if (row.contains("share")) {
          measured["of_limit"] = row.at("share").get<double>();
          measured["limit"] = row.at("limit").get<std::string>();
        }
        kernel["measured"] = std::move(measured);
      }
}

void driver::measureTimes(ModuleOp module, const CompileOptions &options,
                          const report::SpecEquations &equations,
                          ordered_json &data) {
  const json printed = benchmark(options, lengthFor(module));
  const std::string name = printed.at("entry");
  auto entry = module.lookupSymbol<xf::EntryOp>(name);
  double total = 0;
  for (const json &row : printed.at("kernels"))
    total += row.at("ms").get<double>();
  data["run"] = {{"entry", name},
                 {"tokens", printed.at("tokens").get<int64_t>()},
                 {"threads", printed.at("threads").get<int64_t>()},
                 {"milliseconds", printed.at("median_ms").get<double>()}};
  if (!entry || total <= 0)
    return;
  addKernels(printed.at("kernels"), total, data);
  EquationTimes times(equations);
  for (const json &row : printed.at("kernels"))
    times.divide(module, entry, row.at("kernel").get<std::string>(),
                 row.at("ms").get<double>());
  for (auto [number, milliseconds] : llvm::enumerate(times.all()))
    if (milliseconds > 0) {
      ordered_json &measured = data.at("equations").at(number)["measured"];
      measured["milliseconds"] = milliseconds;
      measured["share"] = milliseconds / total;
    }
}
