// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program runs in a process of its own, as users run it, so that the link,
// the weights file and the choice of kernels are checked as well.
//
// The lengths are below and above what kernels compute at a time (tiles of 4 to
// 14 rows, vectors of 8 and 16 values, 32 keys of attention), and no multiple
// of it, so that the tails of all loops run.

#include "compiler/driver/verify/SelfCheck.h"

#include "base/Error.h"
#include "base/files/Temporary.h"
#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/evaluate/MakeInputs.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/verify/Compare.h"
#include "compiler/driver/verify/Float32Loss.h"
#include "compiler/driver/verify/RunProgram.h"
#include "compiler/host/metadata/Metadata.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "runtime/program/Processor.h"
#include "runtime/program/metadata/Metadata.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/STLExtras.h>

#include <cstdlib>
#include <optional>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

constexpr int64_t lengths[] = {1, 7, 37};
/// The tokens of a step of entries that generate.
constexpr int64_t tokensOfStep = 3;

/// The names of the processors whose kernels a program has and this machine can
/// run, for TRANSFOLD_CPU. If kernels run on a device, there is no choice: one
/// empty name.
std::vector<std::string> processorsOf(const nlohmann::json &info) {
  std::vector<std::string> names;
  if (info.at("device") == "cpu")
    for (const std::string name : info.at("processors"))
      for (const kernels::Machine &machine : kernels::describeMachines(name))
        if (runtime::lacking(machine.target).empty())
          names.push_back(name);
  return names.empty() ? std::vector<std::string>{""} : names;
}

/// One run of the check.
class SelfCheck {
public:
  explicit SelfCheck(const CompileOptions &options)
      : program(options.output.empty() ? "./a.out" : options.output),
        progress(options.quiet),
        loaded(
            loadModel(context, options.model, options.spec, options.missing)) {
    if (program.find('/') == std::string::npos)
      program = "./" + program;
    processors = processorsOf(
        programJson(program, {"info", "--json"}, temporary.path()));
    FoldOptions unfolded = options.fold;
    unfolded.keep = {"all"};
    OwningOpRef<ModuleOp> staged = loaded.module->clone();
    runStages(*staged, {.to = Stage::Staged, .fold = unfolded});
    auto metadata = runtime::Metadata::of(host::describeProgram(*staged));
    hasSteps = llvm::any_of(metadata.entries, [](const auto &entry) {
      return entry.stage == runtime::Stage::Step;
    });
    runStages(*loaded.module, {.to = Stage::Folded, .fold = unfolded});
    inDouble.emplace(*loaded.module, *loaded.checkpoint);
    inFloat32.emplace(*loaded.module, *loaded.checkpoint, reference::floats());
  }

  void run() {
    progress.begin("check");
    for (int64_t length : lengths)
      checkLength(length);
    progress.end(
        fmt::format("{} results of sequences of {} positions{} are those of "
                    "the equations{}",
                    compared, fmt::join(lengths, ", "),
                    hasSteps ? ", whole and in steps," : "",
                    processors.front().empty()
                        ? ""
                        : fmt::format(", on {}", fmt::join(processors, ", "))));
  }

private:
  std::string program;
  std::vector<std::string> processors;
  Progress progress;
  MLIRContext context;
  LoadedModel loaded;
  std::optional<Evaluator> inDouble, inFloat32;
  bool hasSteps = false;
  TemporaryFolder temporary;
  size_t compared = 0;

  void checkLength(int64_t length) {
    const std::vector<std::string> inputs =
        makeInputs(*loaded.module, temporary.path(), {.length = length});
    const Outputs expected = inDouble->run(inputs);
    const Float32Loss loss(expected, inFloat32->run(inputs));
    for (const std::string &processor : processors) {
      if (!processor.empty())
        ::setenv("TRANSFOLD_CPU", processor.c_str(), /*replace=*/1);
      for (int64_t chunk : {int64_t{0}, tokensOfStep})
        if (!chunk || hasSteps)
          compareAll(
              runProgram(program, inputs, expected, temporary.path(), chunk),
              expected, loss,
              fmt::format("{} positions{}{}", length, chunk ? ", in steps" : "",
                          processor.empty() ? "" : ", on " + processor));
    }
  }

  void compareAll(const FoundOutputs &found, const Outputs &expected,
                  const Float32Loss &loss, const std::string &how) {
    auto refuse = [&](const std::string &name, const std::string &why) {
      fail("{}: '{}' is wrong for {}: {}; do not use this program, and please "
           "report it: `transfold verify` says more",
           program, name, how, why);
    };
    for (const auto &[name, problem] : found.problems)
      refuse(name, problem);
    for (const auto &[name, output] : found.outputs) {
      const double difference =
          compare(expected.at(name).values, output.values).largest;
      if (!(difference < loss.tolerance(name)))
        refuse(name, fmt::format("it differs from the equations by {:.1e}, "
                                 "where float32 loses {:.1e}",
                                 difference, loss.usual()));
      ++compared;
    }
  }
};

} // namespace

void driver::checkSelfCheck(const CompileOptions &options) {
  if (options.emit != Stage::Executable || options.withoutWeights)
    fail("--self-check runs the program: it is for --emit=exe, with weights");
  if (options.fold.isRounded() || options.fold.intoLowPrecision)
    fail("--self-check compares with the weights and products of the "
         "equations; use `transfold verify`, which also says what --quantize, "
         "--products and --fold=into-low-precision change");
  for (const std::string &target : targetsOf(options.target))
    if (!kernels::crossTripleOf(target).empty())
      fail("--self-check: this machine does not run programs for --target={}",
           target);
}

void driver::selfCheck(const CompileOptions &options) {
  SelfCheck(options).run();
}
