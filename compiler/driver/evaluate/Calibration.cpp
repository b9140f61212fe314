// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a calibration, and the callbacks that run it between passes.

#include "compiler/driver/evaluate/Calibration.h"

#include "base/Error.h"
#include "base/files/Temporary.h"
#include "base/files/input/WholeFile.h"
#include "base/text/Messages.h"
#include "compiler/calibrate/ChooseFactors.h"
#include "compiler/calibrate/LargeBiases.h"
#include "compiler/calibrate/ScaleRange.h"
#include "compiler/driver/evaluate/EvaluateModule.h"
#include "compiler/driver/evaluate/MakeInputs.h"
#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <fmt/format.h>

#include <filesystem>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

/// The number of sample tokens: the reference interpreter runs them in double,
/// in a tenth of a second each for a model of 100 million parameters.
constexpr size_t sampleTokens = 128;
/// The bytes that are read of a text: more than that many tokens need.
constexpr size_t bytesRead = 1 << 16;
/// The word for inputs that are made up.
constexpr std::string_view randomInputs = "random";

namespace {

/// The inputs that --calibrate names.
class SampleInputs {
public:
  SampleInputs(const std::vector<std::string> &words, ModuleOp module,
               const checkpoint::Checkpoint &checkpoint) {
    std::string text;
    for (const std::string &word : words) {
      if (word.find('=') != std::string::npos && !std::filesystem::exists(word))
        arrays.push_back(word);
      else if (word != randomInputs)
        text += textOf(word) + "\n";
    }
    MadeOf made{sampleTokens, {}};
    if (!text.empty()) {
      made.ids = idsOf(text, checkpoint);
      if (made.ids.empty())
        fail("--calibrate: the model's tokenizer finds no token in the text");
      made.length = made.ids.size();
      described = fmt::format("{} tokens of text", made.length);
    } else {
      described = arrays.empty() ? "random inputs" : "arrays";
    }
    if (arrays.empty())
      arrays = makeInputs(module, temporary.path(), made);
  }

  std::vector<std::string> arrays; // NAME=FILE.npy
  std::string described;

private:
  /// The beginning of a text file, at most `bytesRead` bytes of it.
  static std::string textOf(const std::string &path) {
    FileMapping file = wholeFile(path, SIZE_MAX);
    std::string text(file.text().substr(0, bytesRead));
    // Does not cut a character: removes its continuation bytes together with
    // its first byte.
    auto isBehindFirst = [&] { return (text.back() & 0xc0) == 0x80; };
    if (text.size() < file.bytes().size()) {
      while (text.size() > 1 && isBehindFirst())
        text.pop_back();
      text.pop_back();
    }
    if (text.empty())
      fail("{}: is empty; --calibrate needs a text, or NAME=FILE.npy", path);
    return text;
  }

  /// The first tokens of a text. The model's tokenizer is compiled to the same
  /// tables as for a program, and run from memory.
  static std::vector<int64_t> idsOf(const std::string &text,
                                    const checkpoint::Checkpoint &checkpoint) {
    std::string tables;
    try {
      tables = tokenizer::compileTokenizer(checkpoint.tokenizer());
    } catch (const tokenizer::TokenizerError &error) {
      fail("--calibrate: a text needs the model's tokenizer, but {}; give "
           "arrays: --calibrate NAME=FILE.npy",
           error.what());
    } catch (const checkpoint::CheckpointError &error) {
      fail("--calibrate: a text needs the model's tokenizer, but {}; give "
           "arrays: --calibrate NAME=FILE.npy",
           error.what());
    }
    if (tables.empty())
      fail("--calibrate: {} has no tokenizer for a text; give arrays: "
           "--calibrate NAME=FILE.npy",
           checkpoint.path());
    // The tokenizer requires its tables to be aligned.
    std::vector<uint64_t> aligned(tables.size() / sizeof(uint64_t) + 1);
    std::memcpy(aligned.data(), tables.data(), tables.size());
    runtime::Tokenizer tokenizer(
        {reinterpret_cast<const char *>(aligned.data()), tables.size()});
    try {
      auto ids = tokenizer.encode(text, sampleTokens).ids;
      return {ids.begin(), ids.end()};
    } catch (const Error &error) {
      fail("--calibrate: {}", error.what());
    }
  }

  TemporaryFolder temporary;
};

} // namespace

/// The module with the rounding to blocks removed, and the names of the rounded
/// weights.
static std::pair<OwningOpRef<ModuleOp>, llvm::StringSet<>>
beforeRounding(ModuleOp module) {
  OwningOpRef<ModuleOp> exact = module.clone();
  llvm::StringSet<> names;
  for (auto stored : exact->getOps<xf::StoredOp>())
    if (stored.getRounded()) {
      names.insert(stored.getSymName());
      stored.removeRoundedAttr();
    }
  return {std::move(exact), std::move(names)};
}

/// The result of a calibration in one line.
static std::string describe(const calibrate::Report &report,
                            const std::string &inputs) {
  if (!report.measured)
    return "--calibrate changes nothing: no product sums over weights in "
           "blocks of 32";
  return fmt::format(
      "calibrated on {}: {} vectors of factors; products are "
      "off by {:.1e} (NMSE), {:.1e} without{}",
      inputs, report.factors, report.after, report.before,
      report.moreBits
          ? fmt::format("; {} weights have more bits", report.moreBits)
          : "");
}

FoldOptions
driver::withCalibration(FoldOptions fold, ModuleOp module,
                        const checkpoint::Checkpoint &checkpoint,
                        std::function<void(const std::string &)> say,
                        std::function<void(const std::string &)> warn) {
  calibrate::markLargeBiases(module, checkpoint);
  fold.scaleRange = [warn, &checkpoint](ModuleOp folded) {
    for (const std::string &line :
         calibrate::keepBeyondScales(folded, checkpoint))
      if (warn)
        warn(line);
      else
        warn(line);
  };
  if (fold.samples.empty())
    return fold;
  if (fold.weights == fold::Weights::Stored ||
      fold.weights == fold::Weights::BF16)
    fail("--calibrate: only weights of 8 bits or fewer have scales to choose; "
         "add --quantize=int8, int5 or int4");
  auto inputs =
      std::make_shared<SampleInputs>(fold.samples, module, checkpoint);
  calibrate::Options options{fold.products == fold::Products::Int8,
                             fold.maxError};
  fold.calibration = [=, &checkpoint](ModuleOp folded) {
    auto [exact, names] = beforeRounding(folded);
    calibrate::Samples samples(std::move(names));
    try {
      evaluateModule(*exact, checkpoint, inputs->arrays, "", 0,
                     reference::doubles(), samples.observer());
    } catch (const std::exception &error) {
      fail("--calibrate: {}", error.what());
    }
    auto report =
        calibrate::chooseFactors(folded, checkpoint, samples, options);
    if (say)
      say(describe(report, inputs->described));
  };
  return fold;
}
