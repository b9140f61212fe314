// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must agree: the equations of the spec, the same after folding (both in
// double, with folded weights in double), a program, and what the original
// computed.

#include "compiler/driver/Verify.h"

#include "compiler/driver/Compare.h"
#include "compiler/driver/EvaluateModule.h"
#include "compiler/driver/LoadModel.h"
#include "compiler/host/Metadata.h"
#include "runtime/Error.h"
#include "runtime/Metadata.h"
#include "runtime/Npy.h"
#include "runtime/OutputFile.h"

#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>

#include <filesystem>
#include <random>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;
using runtime::fail;

namespace {

/// A folder that is gone with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> name;
    if (llvm::sys::fs::createUniqueDirectory("transfold-verify", name))
      fail("{}: cannot make a folder there",
           std::filesystem::temp_directory_path().string());
    path = name.str().str();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path;
};

/// What the layers make, in the order in which they run.
using Layers = std::vector<std::pair<std::string, reference::Tensor>>;

/// Rows without their mean row: what is the same in all of them is gone.
std::vector<double> centred(const reference::Tensor &value) {
  std::vector<double> numbers = value.data;
  size_t width = value.shape.empty() ? 1 : value.shape.back(),
         count = numbers.size() / width;
  for (size_t column = 0; column < width; ++column) {
    double mean = 0;
    for (size_t row = 0; row < count; ++row)
      mean += value.data[row * width + column] / count;
    for (size_t row = 0; row < count; ++row)
      numbers[row * width + column] -= mean;
  }
  return numbers;
}

LayerObserver recordInto(Layers &layers) {
  return [&layers](xf::LayersOp loop, uint64_t layer,
                   const std::vector<reference::Tensor> &carried) {
    auto entry = loop->getParentOfType<xf::EntryOp>();
    layers.push_back(
        {fmt::format("{}, after layer {}", entry.getSymName().str(), layer),
         carried.empty() ? reference::Tensor() : carried.front()});
  };
}

class Verification {
public:
  explicit Verification(const VerifyOptions &options)
      : options(options),
        loaded(loadModel(context, options.model, options.spec)) {}

  void run() {
    if (options.inputs.empty() && !options.against.empty())
      fail("--against needs the arguments that the original had: --in");
    inputs = options.inputs.empty() ? makeInputs() : options.inputs;
    folded = loaded.module->clone();
    PassManager passes(&context);
    addPasses(passes, Stage::Xf, Stage::Folded, "", options.fold);
    // What --results removes is not compared.
    PassManager selection(&context);
    FoldOptions plain;
    plain.keep = {"all"};
    plain.results = options.fold.results;
    addPasses(selection, Stage::Xf, Stage::Folded, "", plain);
    if (failed(passes.run(*folded)) || failed(selection.run(*loaded.module)))
      fail("the passes failed; the messages above say why");
    for (auto line : folded->getOps<xf::FoldedOp>())
      constants.push_back(
          {line.getWritten().str(), line.getValue().toDouble()});

    Layers unfoldedLayers, foldedLayers;
    Outputs expected = evaluateModule(*loaded.module, *loaded.checkpoint,
                                      inputs, "", recordInto(unfoldedLayers));
    Outputs found = evaluateModule(*folded, *loaded.checkpoint, inputs, "",
                                   recordInto(foldedLayers));
    say("folded against the equations, in double\n");
    compareLayers(unfoldedLayers, foldedLayers);
    compareAll(expected, found, 1e-12);
    if (!options.program.empty()) {
      say("the program against the equations\n");
      compareAll(expected, runProgram(expected), 1e-3);
    }
    if (!options.against.empty()) {
      say("the original against the equations\n");
      Outputs original = readFolder(options.against, expected);
      ignorePadding(expected, original);
      compareAll(expected, original, 1e-3);
    }
    runtime::flushPrinted();
    if (differ)
      fail("{} of the comparisons above differ", differ);
  }

private:
  static void say(const std::string &text) { runtime::print(text); }

  /// Arguments for all entries, each under its name for callers.
  std::vector<std::string> makeInputs() {
    auto metadata =
        runtime::Metadata::parse(host::describeProgram(*loaded.module).dump());
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::map<std::string, std::string> made;
    std::set<std::string> results;
    for (const runtime::Entry &entry : metadata.entries) {
      std::vector<int64_t> lengths;
      for (size_t k = 0; k < entry.lengths.size(); ++k)
        lengths.push_back(
            std::min<int64_t>(7 + k, entry.limits[k].value_or(7 + k)));
      for (const runtime::Argument &argument : entry.arguments) {
        if (made.contains(argument.external) ||
            results.contains(argument.external) || argument.defaultValue)
          continue;
        std::vector<int64_t> shape = {1};
        for (const runtime::Axis &axis : argument.shape)
          shape.push_back(axis.length < 0 ? axis.size : lengths[axis.length]);
        int64_t count = runtime::elements(argument.shape, lengths);
        std::string file =
            fmt::format("{}/{}.npy", temporary.path, argument.external);
        std::vector<int64_t> integers;
        std::vector<double> reals;
        for (int64_t k = 0; k < count; ++k)
          if (argument.integer)
            integers.push_back(argument.bound ? random() % argument.bound : 0);
          else
            reals.push_back(normal(random));
        if (argument.integer)
          runtime::writeNpy(file, shape, integers);
        else
          runtime::writeNpy(file, shape, reals);
        made[argument.external] = argument.external + "=" + file;
      }
      for (const runtime::Result &result : entry.results)
        results.insert(result.external);
    }
    std::vector<std::string> files;
    for (const auto &[name, file] : made)
      files.push_back(file);
    return files;
  }

  /// Between layers a folded value has a gauge, and may lack a bias that is
  /// added later: one factor is no difference, nor is one row everywhere.
  void compareLayers(const Layers &expected, const Layers &found) {
    bool diverged = false;
    for (size_t k = 0; k < std::min(expected.size(), found.size()); ++k) {
      const auto &[name, numbers] = expected[k];
      auto [difference, note] =
          compareScaled(numbers.data, found[k].second.data);
      bool same = difference < 1e-11;
      if (!same) {
        auto [rest, other] =
            compareScaled(centred(numbers), centred(found[k].second));
        if ((same = rest < 1e-11)) {
          difference = rest;
          note = other + ", without biases that move on";
        }
      }
      if (!same && !diverged) {
        diverged = true;
        note = "the first that differs";
        ++differ;
      }
      say(fmt::format("  {:<44} {:9.1e}  {}\n", name, difference, note));
    }
  }

  /// The difference beside one factor, and what the factor is.
  std::pair<double, std::string>
  compareScaled(const std::vector<double> &expected,
                const std::vector<double> &found) const {
    Comparison all = compare(expected, found);
    if (!all.ratio)
      return {all.largest, "the same"};
    std::vector<double> scaled = expected;
    for (double &x : scaled)
      x *= *all.ratio;
    return {compare(scaled, found).largest,
            "times " + nameRatio(*all.ratio, constants)};
  }

  void compareAll(const Outputs &expected, const Outputs &found,
                  double tolerance) {
    for (const auto &[name, output] : expected) {
      auto other = found.find(name);
      if (other == found.end())
        continue;
      Comparison result = compare(output.values, other->second.values);
      bool same = result.largest < tolerance;
      std::string line = fmt::format("  {:<44} {:9.1e}  NMSE {:.1e}", name,
                                     result.largest, result.nmse);
      if (name == "logits" && !output.shape.empty() &&
          output.values.size() == other->second.values.size())
        line += fmt::format("  KL {:.1e}",
                            divergence(output.values, other->second.values,
                                       output.shape.back()));
      line += same ? "  the same\n" : "  differs\n";
      if (result.ratio)
        line += fmt::format("    {} times as large: {}\n",
                            nameRatio(*result.ratio, constants),
                            "a constant was lost or applied twice");
      differ += !same;
      say(line);
    }
  }

  Outputs runProgram(const Outputs &expected) {
    std::string out = temporary.path + "/program";
    std::vector<llvm::StringRef> arguments = {options.program, "eval"};
    for (const std::string &input : inputs) {
      arguments.push_back("--in");
      arguments.push_back(input);
    }
    arguments.push_back("--out");
    arguments.push_back(out);
    std::string message;
    // What it prints on success is not asked for.
    std::optional<llvm::StringRef> redirects[] = {std::nullopt, "",
                                                  std::nullopt};
    int status = llvm::sys::ExecuteAndWait(
        options.program, arguments, std::nullopt, redirects, 0, 0, &message);
    if (status)
      fail("{}: its eval failed; {}", options.program,
           message.empty() ? "it says why above" : message);
    return readFolder(out, expected);
  }

  static Outputs readFolder(const std::string &folder,
                            const Outputs &expected) {
    Outputs outputs;
    for (const auto &[name, output] : expected) {
      std::string file = fmt::format("{}/{}.npy", folder, name);
      if (!std::filesystem::exists(file))
        file = fmt::format("{}/{}_f64.npy", folder, name);
      if (!std::filesystem::exists(file))
        continue;
      runtime::NpyArray array(file);
      Output &read = outputs[name];
      read.shape = array.shape();
      for (int64_t k = 0; k < array.elements(); ++k)
        read.values.push_back(array.real(k));
    }
    if (outputs.empty())
      fail("{}: has no array of a result; results are {}", folder, [&] {
        std::string names;
        for (const auto &[name, output] : expected)
          names += (names.empty() ? "" : ", ") + name + ".npy";
        return names;
      }());
    return outputs;
  }

  /// Rows behind the end of a sequence are zero here; the original may have
  /// anything there.
  static void ignorePadding(const Outputs &expected, Outputs &original) {
    for (auto &[name, output] : original) {
      const std::vector<double> &ours = expected.at(name).values;
      if (output.shape.size() < 3 || output.values.size() != ours.size())
        continue;
      int64_t width = output.shape.back();
      for (size_t row = 0; row < ours.size(); row += width)
        if (std::all_of(&ours[row], &ours[row] + width,
                        [](double x) { return x == 0; }))
          std::fill_n(&output.values[row], width, 0.0);
    }
  }

  const VerifyOptions &options;
  MLIRContext context;
  LoadedModel loaded;
  OwningOpRef<ModuleOp> folded;
  TemporaryFolder temporary;
  std::vector<std::string> inputs;
  std::vector<std::pair<std::string, double>> constants;
  int differ = 0;
};

} // namespace

void driver::verify(const VerifyOptions &options) {
  Verification(options).run();
}
