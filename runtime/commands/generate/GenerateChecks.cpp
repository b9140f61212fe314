// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of `generate` that would have no effect are refused: a user who gives
// one expects an effect.

#include "base/Error.h"
#include "runtime/commands/generate/Generate.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

void checkDrawing(const SamplingOptions &sampling) {
  if (sampling.temperature > 0)
    return;
  forEachSamplingField([&](const auto &field, size_t) {
    if (field.isLimit &&
        sampling.*field.member != SamplingOptions().*field.member)
      fail("--{} limits what --temperature samples from; give --temperature, "
           "too",
           field.word());
  });
}

void checkStops(const std::vector<std::string> &stops) {
  if (std::ranges::find(stops, "") != stops.end())
    fail("--stop needs a text that is not empty: an empty one would end every "
         "result before it begins");
}

namespace {

/// Files or texts, and options that apply to only one of them.
void checkSources(const GenerateOptions &options) {
  bool fromFile = !options.ids.empty() || !options.features.empty();
  const char *source = options.features.empty() ? "--ids" : "--features";
  if (!options.ids.empty() && !options.features.empty())
    fail("--ids and --features: only one of them can be read");
  if (fromFile && !options.texts.empty())
    fail("{} is given, and the text \"{}\" too: only one of them can be read",
         source, options.texts.front());
  if (fromFile && options.output.empty())
    fail("{} needs --out FILE for the result", source);
  if (fromFile && !options.stops.empty())
    fail("--stop ends texts; --eos ends results of {}", source);
  if (!fromFile && !(options.output.empty() && options.scores.empty()))
    fail("{} belongs to --ids and --features; results of texts are printed",
         options.output.empty() ? "--scores" : "--out");
  if (fromFile && options.isConstrained())
    fail("--json-schema, --grammar and --regex are about texts; {} has none",
         source);
  checkStops(options.stops);
}

/// Whether the input fits the model.
void checkModel(const Generator &generator, const GenerateOptions &options) {
  const Entry *encoder = generator.encoder();
  bool readsTokens = !encoder || encoder->arguments.at(0).integer;
  if (!options.features.empty() && readsTokens)
    fail("--features: this model reads tokens; give texts, or --ids");
  if (options.features.empty() && !readsTokens)
    fail("task '{}' reads no tokens; give --features", generator.task().kind);
  if (!options.start.empty() && !encoder)
    fail("--start is what a result begins with after an encoder; this model "
         "has none, and continues its input");
}

/// Options for the selection of tokens.
void checkChoice(const Generator &generator, const GenerateOptions &options) {
  const SamplingOptions &sampling = options.sampling;
  bool searches = options.beams > 1, draws = sampling.temperature > 0;
  if (searches && draws)
    fail("--temperature samples tokens and --beams searches for the likeliest: "
         "give one of them");
  checkDrawing(sampling);
  if (!searches && (options.lengthPenalty != 1 || options.earlyStopping))
    fail("--length-penalty and --early-stopping belong to --beams; give it "
         "too");
  if (!options.jsonSchema.empty() + !options.grammar.empty() +
          !options.regex.empty() >
      1)
    fail("--json-schema, --grammar and --regex: give one of them");
  if (options.isConstrained() && (searches || options.ignoreEnd))
    fail("--json-schema, --grammar and --regex cannot be combined with {}",
         searches ? "--beams" : "--ignore-eos");
  if (options.ignoreEnd && !options.ends.empty())
    fail("--eos and --ignore-eos: give one of them");
  checkTokens(options.start, generator.knownTokens(), "--start");
  checkTokens(options.ends, generator.vocabulary(), "--eos");
  checkTokens(sampling.suppressed, generator.vocabulary(), "--suppress");
}

} // namespace

void checkOptions(const Generator &generator, const GenerateOptions &options) {
  checkSources(options);
  checkModel(generator, options);
  checkChoice(generator, options);
}

} // namespace transfold::runtime::inline commands
