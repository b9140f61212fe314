// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares results that must agree: those of the spec's equations, of the
// folded equations (both in double, with folded weights in double), of a
// program, and of the original model.
//
// The values that layers yield are compared too. In each module, after folding,
// they become results like any other (TapLayers.cpp), so that there is only one
// kind of comparison, and the first difference shows the first layer that
// differs.

#include "compiler/driver/verify/Verify.h"
#include "compiler/driver/cli/Diagnostics.h"

#include "base/Error.h"
#include "base/files/Temporary.h"
#include "base/files/output/OutputFile.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/evaluate/MakeInputs.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/output/Compile.h"
#include "compiler/driver/pipeline/DescribeRounding.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/verify/Compare.h"
#include "compiler/driver/verify/Exact.h"
#include "compiler/driver/verify/Float32Loss.h"
#include "compiler/driver/verify/MaskHint.h"
#include "compiler/driver/verify/QualityMetrics.h"
#include "compiler/driver/verify/ReadOutputs.h"
#include "compiler/driver/verify/RunProgram.h"
#include "compiler/host/metadata/Metadata.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "runtime/program/metadata/Metadata.h"

#include <fmt/format.h>
#include <mlir/Parser/Parser.h>

#include <functional>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

// Tolerances relative to the largest magnitude of a result. In double, only the
// order of roundings differs, and between other software and ours more than
// within ours.
constexpr double sameInDouble = 1e-12, sameElsewhere = 1e-10;
/// A value near the middle between two representable ones may be rounded to the
/// other one in float32: a step of 2^-8 of one product among many, if there are
/// many; with integers of 8 bits 2^-7. Such a step is twice the maximal change
/// by rounding, and norms amplify both alike.
constexpr double sameWhenRounded = 0x1p-7, timesRounding = 4;

/// The tokens of a step of entries that generate.
constexpr int64_t stepTokens = 3;

/// Whether a result is a tap of TapLayers.cpp: decode.layer0.
bool isLayer(llvm::StringRef name) { return name.contains(".layer"); }

/// One run of the command. Comparisons are printed as they are made, and
/// counted.
class Verification {
public:
  explicit Verification(const VerifyOptions &options)
      : options(options),
        loaded(loadModel(context, options.model, options.spec,
                         checkpoint::WithoutWeights::MakeUp)) {}

  void run() {
    if (options.exact && options.fold.isRounded())
      fail("--exact compares numbers that are not rounded: give neither "
           "--quantize nor --products");
    if (options.exact && (!options.program.empty() || !options.target.empty() ||
                          !options.against.empty()))
      fail("--exact compares equations only: give neither --program, --target "
           "nor --against");
    if (options.inputs.empty() && !options.against.empty())
      fail("--against needs the arguments of the original: --in");
    if (makesProgram() && !options.target.empty() &&
        !kernels::crossTripleOf(options.target).empty())
      fail("--target={}: this machine does not run such programs; give "
           "--no-program, or an executable that does with --program",
           options.target);
    if (loaded.checkpoint->isMadeUp())
      say(fmt::format("{} has no weights: they are random here, and optional "
                      "ones are included\n",
                      options.model));
    say(noteMasksBeside(options.inputs));
    inputs = options.inputs.empty()
                 ? makeInputs(*loaded.module, temporary.path())
                 : options.inputs;
    prepareModules();
    if (options.exact)
      return compareExactly();
    expected = evaluateModule(*loaded.module, *loaded.checkpoint, inputs);
    say("folded against the equations, in double\n");
    FoundOutputs exact{evaluateModule(*folded, *loaded.checkpoint, inputs), {}};
    compareAll(exact, sameInDouble);
    compareSteps();
    bool hasProgram = !options.program.empty() || makesProgram();
    if (options.fold.isRounded())
      compareRounded(exact.outputs, hasProgram);
    else if (hasProgram)
      compareProgram();
    if (!options.against.empty())
      compareOriginal();
    flushPrinted();
    if (differ)
      fail("{} of {} comparisons differ; the first is {}", differ, compared,
           firstDifferent);
  }

private:
  bool makesProgram() const {
    return options.program.empty() && !options.skipProgram;
  }

  static void say(const std::string &text) { print(text); }

  /// Prepares the equations unfolded and folded; both without the results that
  /// --results omits, and with taps of layers.
  void prepareModules() {
    if (options.exact)
      written = loaded.module->clone();
    loaded.module->walk([&](xf::ScaleOp scale) {
      constants.push_back(
          {scale.getWritten().str(), scale.getFactor().toDouble()});
    });
    // Folding is verified with exact products: rounded ones would differ.
    FoldOptions folding = options.fold;
    folding.products = fold::Products::Exact;
    folding.weights = fold::Weights::Stored;
    folding.samples.clear();
    staged = loaded.module->clone();
    runPasses(*staged, folding, Stage::Staged);
    FoldOptions plain = folding;
    plain.keep = {"all"};
    plain.tapLayers = folding.tapLayers = true;
    if (options.folded.empty()) {
      folded = loaded.module->clone();
    } else {
      folded = parseSourceFile<ModuleOp>(options.folded, &context);
      if (!folded)
        fail("{}: not a module; --emit=folded writes one", options.folded);
      folding = plain;
    }
    runPasses(*folded, folding, Stage::Folded);
    runPasses(*loaded.module, plain, Stage::Folded);
    for (auto line : folded->getOps<xf::FoldedOp>())
      constants.push_back(
          {line.getWritten().str(), line.getValue().toDouble()});
    auto metadata =
        runtime::Metadata::of(host::describeProgram(*loaded.module));
    // In the order of computation: layers come before results.
    for (const runtime::Entry &entry : metadata.entries)
      for (bool layers : {true, false})
        for (const runtime::Result &result : entry.results)
          if (isLayer(result.external) == layers &&
              !llvm::is_contained(names, result.external))
            names.push_back(result.external);
  }

  /// The results of the folded equations with rounded weights and products. The
  /// channel factors chosen by calibration must not change results before
  /// rounding, which is compared too.
  Outputs roundedOutputs() {
    OwningOpRef<ModuleOp> rounded = folded->clone(), equalized;
    FoldOptions fold =
        withCalibration(options.fold, *loaded.module, *loaded.checkpoint,
                        [](const std::string &line) { say(line + "\n"); });
    if (auto calibrate = fold.calibration)
      fold.calibration = [&, calibrate](ModuleOp module) {
        calibrate(module);
        equalized = module.clone();
      };
    PassManager passes(&context);
    addRoundings(passes, fold);
    run(passes, *rounded);
    if (equalized) {
      for (auto stored : equalized->getOps<xf::StoredOp>())
        stored.removeRoundedAttr();
      say("with factors of channels against the equations, in double\n");
      compareAll({evaluateModule(*equalized, *loaded.checkpoint, inputs), {}},
                 sameInDouble);
    }
    return evaluateModule(*rounded, *loaded.checkpoint, inputs);
  }

  void runPasses(ModuleOp module, const FoldOptions &folding, Stage to) {
    runStages(module, {.to = to, .fold = folding});
  }

  static void run(PassManager &passes, ModuleOp module) {
    Diagnostics diagnostics(*module.getContext());
    if (failed(passes.run(module)))
      diagnostics.raise("the passes failed");
  }

  //===--------------------------------------------------------------------===//
  // Comparisons
  //===--------------------------------------------------------------------===//

  /// The equations as they are written, against those that folding makes of
  /// them, and its steps.
  void compareExactly() {
    std::vector<EqualModule> modules = {
        {*folded, 0, "folded against the equations"}};
    if (options.folded.empty() && !resultsOfSteps().empty())
      modules.push_back({*staged, stepTokens,
                         fmt::format("steps of {} tokens against the equations",
                                     stepTokens)});
    verifyExactly(*written, modules, *loaded.checkpoint, inputs);
  }

  /// The names of results that steps of sequences have, without values.
  Outputs resultsOfSteps() {
    auto metadata = runtime::Metadata::of(host::describeProgram(*staged));
    Outputs found;
    for (const runtime::Entry &entry : metadata.entries)
      if (entry.stage == runtime::Stage::Step)
        for (const runtime::Result &result : entry.results)
          found[result.external];
    return found;
  }

  /// Entries that generate must give the same results a few tokens at a time:
  /// their caches must contain everything that later rows read.
  void compareSteps() {
    if (!options.folded.empty())
      return; // only the given module is verified
    Outputs found = resultsOfSteps();
    if (found.empty())
      return;
    Outputs all =
        evaluateModule(*staged, *loaded.checkpoint, inputs, "", stepTokens);
    std::erase_if(found, [&](auto &each) { return !all.contains(each.first); });
    for (auto &[name, output] : found)
      output = std::move(all.at(name));
    say(fmt::format("steps of {} tokens against whole sequences, in double\n",
                    stepTokens));
    for (const auto &[name, output] : found) {
      ++compared;
      if (!compareOne(name, output, sameInDouble, differ == 0) && !differ++)
        firstDifferent = name;
    }
  }

  /// Shows the changes by rounding in the folded equations, which a program
  /// computes: both lack biases that were moved on.
  void compareRounded(const Outputs &exact, bool hasProgram) {
    Outputs rounded = roundedOutputs();
    std::map<std::string, double> changes;
    say(fmt::format("the effect of rounding {}, in double\n",
                    describeRounding(options.fold)));
    for (const std::string &name : names) {
      if (!rounded.contains(name))
        continue;
      const Output &before = exact.at(name), &after = rounded.at(name);
      Comparison change = compare(before.values, after.values);
      changes[name] = change.largest;
      say(describe(name, before, after, change) +
          (isLayer(name)
               ? ""
               : describeQuality(name, before, after, options.inputs)) +
          "\n");
    }
    if (!hasProgram)
      return;
    say(fmt::format("the program against rounded {}\n",
                    roundedOf(options.fold)));
    std::swap(expected, rounded);
    compareAll(runProgram(), [&](const std::string &name, const Output &) {
      return std::max(sameWhenRounded, timesRounding * changes[name]);
    });
    std::swap(expected, rounded);
  }

  /// Compares each array with the tolerance of the type in which it was
  /// computed.
  void compareOriginal() {
    FoundOutputs original = readOutputs(options.against, expected);
    ignorePadding(expected, original.outputs);
    bool anyFloat32 = llvm::any_of(original.outputs, [](const auto &each) {
      return areFloat32(each.second.values);
    });
    say("the original against the equations" +
        (anyFloat32 ? aboutFloat32() : "") + "\n");
    compareAll(original, [&](const std::string &name, const Output &output) {
      return areFloat32(output.values) ? sameInFloat32(name) : sameElsewhere;
    });
  }

  void compareProgram() {
    say("the program against the equations" + aboutFloat32() + "\n");
    compareAll(runProgram(), [&](const std::string &name, const Output &) {
      return sameInFloat32(name);
    });
  }

  std::string aboutFloat32() {
    return fmt::format(
        "; float32 loses {:.1e} here, and {} times that counts as the same",
        float32().usual(), Float32Loss::times);
  }
  double sameInFloat32(const std::string &name) {
    return float32().tolerance(name);
  }
  /// The error of float32, measured when it is needed for the first time.
  const Float32Loss &float32() {
    if (!loss)
      loss.emplace(expected,
                   evaluateModule(*loaded.module, *loaded.checkpoint, inputs,
                                  "", 0, reference::floats()));
    return *loss;
  }

  /// In the order in which the program computes them: layers, then results.
  void compareAll(const FoundOutputs &found, double tolerance) {
    compareAll(found,
               [=](const std::string &, const Output &) { return tolerance; });
  }
  /// Returns the tolerance for a result.
  using Tolerance = std::function<double(const std::string &, const Output &)>;
  void compareAll(const FoundOutputs &found, const Tolerance &tolerance) {
    bool isFirst = true;
    std::string missing;
    for (const std::string &name : names) {
      if (!expected.contains(name))
        continue;
      auto problem = found.problems.find(name);
      auto other = found.outputs.find(name);
      if (problem == found.problems.end() && other == found.outputs.end()) {
        missing += (missing.empty() ? "" : ", ") + name;
        continue;
      }
      ++compared;
      bool same = false;
      if (problem != found.problems.end())
        say(fmt::format("  {}\n", problem->second));
      else
        same = compareOne(name, other->second, tolerance(name, other->second),
                          isFirst);
      if (same)
        continue;
      isFirst = false;
      if (!differ++)
        firstDifferent = name;
    }
    if (!missing.empty())
      say(fmt::format("  not compared, since missing: {}\n", missing));
  }

  static std::string describe(const std::string &name, const Output &output,
                              const Output &found, const Comparison &result) {
    std::string line = fmt::format("  {:<40} {:9.1e}  NMSE {:.1e}", name,
                                   result.largest, result.nmse);
    if (name.ends_with("logits"))
      line += fmt::format("  KL {:.1e}", divergence(output.values, found.values,
                                                    output.shape.back()));
    return line;
  }

  bool compareOne(const std::string &name, const Output &found,
                  double tolerance, bool isFirst) {
    const Output &output = expected.at(name);
    Comparison result = compare(output.values, found.values);
    bool same = result.largest < tolerance;
    std::string note;
    if (!same && isLayer(name)) {
      // A bias may be added later: a row that is missing everywhere is not a
      // difference.
      Comparison rest =
          compare(withoutMeanRow(output.values, output.shape.back()),
                  withoutMeanRow(found.values, found.shape.back()));
      if (rest.largest < 10 * tolerance) {
        same = true;
        result = rest;
        note = ", without biases that were moved";
      }
    }
    if (double loses = loss ? loss->beyondUsual(name, tolerance) : 0)
      note += fmt::format(", where float32 loses {:.1e}", loses);
    say(describe(name, output, found, result) +
        (same      ? "  the same" + note + "\n"
         : isFirst ? "  the first that differs\n"
                   : "  differs\n"));
    if (result.ratio && !same)
      say(fmt::format("    {} times as large: a constant was lost or applied "
                      "twice\n",
                      nameRatio(*result.ratio, constants)));
    return same;
  }

  //===--------------------------------------------------------------------===//
  // The program
  //===--------------------------------------------------------------------===//

  FoundOutputs runProgram() {
    std::string program = options.program;
    if (program.empty())
      compileTo(program = temporary.file("program"));
    return driver::runProgram(program, inputs, expected, temporary.path());
  }

  /// Compiles the same folded equations to a program whose layers are
  /// observable.
  void compileTo(const std::string &program) {
    CompileOptions compiling;
    compiling.model = options.model;
    compiling.spec = options.spec;
    compiling.missing = checkpoint::WithoutWeights::MakeUp;
    compiling.output = program;
    compiling.target = options.target;
    compiling.fold = options.fold;
    compiling.fold.tapLayers = true;
    compiling.quiet = true;
    compile(compiling);
  }

  const VerifyOptions &options;
  MLIRContext context;
  LoadedModel loaded; // the equations
  OwningOpRef<ModuleOp> written, folded, staged;
  TemporaryFolder temporary;
  std::vector<std::string> inputs;
  std::vector<std::string> names; // of results
  Outputs expected;
  std::optional<Float32Loss> loss;
  std::vector<std::pair<std::string, double>> constants;
  int compared = 0, differ = 0;
  std::string firstDifferent;
};

} // namespace

void driver::verify(const VerifyOptions &options) {
  Verification(options).run();
}
