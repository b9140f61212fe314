// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `generate`: from ids in a file, for other programs and for tests,
// or from texts.

#include "runtime/commands/generate/Generate.h"
#include "base/Error.h"
#include "base/files/GuardedFiles.h"
#include "base/files/arrays/Npy.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// Rows of ids from a file, truncated to where the mask is 1.
std::vector<std::vector<int32_t>> readRows(const GenerateOptions &options,
                                           int64_t known) {
  NpyArray ids(options.ids);
  if (!ids.isInteger() || ids.shape().empty() || ids.shape().size() > 2)
    fail("{}: ids are integers, [batch, tokens]", options.ids);
  std::optional<NpyArray> mask;
  if (!options.mask.empty()) {
    mask.emplace(options.mask);
    if (mask->shape() != ids.shape())
      fail("{}: does not have the shape of {}", options.mask, options.ids);
  }
  auto isThere = [&](int64_t index) {
    double value = mask ? mask->real(index) : 1;
    if (value != 0 && value != 1)
      fail("{}: a mask must consist of 0 and 1, but has {}", options.mask,
           value);
    return value == 1;
  };
  int64_t width = ids.shape().back();
  std::vector<std::vector<int32_t>> rows;
  for (int64_t begin = 0; begin < ids.elements(); begin += width) {
    rows.emplace_back();
    for (int64_t i = begin; i < begin + width; ++i)
      if (isThere(i))
        rows.back().push_back(tokenOf(ids.integer(i), known, options.ids));
    if (rows.back().empty())
      fail("{}: row {} has no tokens", options.ids, rows.size() - 1);
  }
  if (rows.empty())
    fail("{}: has no rows", options.ids);
  return rows;
}

/// Writes rows of different lengths as one array, filled up with `padding`.
void writeRows(const std::string &path,
               const std::vector<std::vector<int32_t>> &rows, int64_t padding) {
  size_t width = 0;
  for (const auto &row : rows)
    width = std::max(width, row.size());
  std::vector<int64_t> all;
  for (const auto &row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    all.insert(all.end(), width - row.size(), padding);
  }
  int64_t shape[] = {static_cast<int64_t>(rows.size()),
                     static_cast<int64_t>(width)};
  writeNpy(path, shape, all);
}

/// The start of generation from files, one element per row.
struct Prompts {
  std::optional<NpyArray> features;
  std::vector<Request> requests;            // input of the encoder
  std::vector<std::vector<int32_t>> tokens; // the first tokens of the sequences

  size_t longest() const {
    size_t most = 0;
    for (const auto &prompt : tokens)
      most = std::max(most, prompt.size());
    return most;
  }
};

/// Reads the input files. Throws Error.
void readPrompts(const Generator &generator, const GenerateOptions &options,
                 Prompts &prompts) {
  if (!options.features.empty()) {
    prompts.features.emplace(options.features);
    const std::vector<int64_t> &shape = prompts.features->shape();
    if (shape.empty() || shape[0] < 1)
      fail("{}: its first axis must be the batch, of at least one sequence",
           options.features);
    for (int64_t row = 0; row < shape[0]; ++row)
      prompts.requests.push_back({{}, &*prompts.features, row});
  } else {
    const Entry *encoder = generator.encoder();
    for (auto &row : readRows(options, encoder ? encoder->arguments.at(0).bound
                                               : generator.knownTokens()))
      if (encoder)
        prompts.requests.push_back({std::move(row)});
      else
        prompts.tokens.push_back(std::move(row));
  }
  if (!generator.encoder()) {
    prompts.requests.resize(prompts.tokens.size());
    return;
  }
  std::vector<int32_t> start = generator.start(options);
  if (start.empty())
    fail(
        "the model does not define what a result begins with; give --start ID");
  prompts.tokens.assign(prompts.requests.size(), start);
}

/// Rows of tokens, the given and the new ones, and their scores: for beam
/// search one score each, else one for each new token.
struct Made {
  std::vector<std::vector<int32_t>> rows;
  std::vector<double> scores;
  int64_t scoreWidth = 0; // 0: one score for each row
};

/// Beam search for one row after another; all beams of a row are results.
Made makeByBeams(Generator &generator, Steps &steps, const Prompts &prompts,
                 const GenerationOptions &options) {
  Made made;
  for (size_t row = 0; row < prompts.tokens.size(); ++row) {
    std::vector<Continuation> best;
    try {
      best = beamSearch(steps, generator.begin(prompts.requests[row]),
                        prompts.tokens[row], options);
    } catch (const Error &error) {
      fail("row {}: {}", row, error.what());
    }
    if (best.size() < static_cast<size_t>(options.beams))
      fail("row {}: only {} continuations are possible; ask for fewer --beams",
           row, best.size());
    for (const Continuation &each : best) {
      made.rows.push_back(prompts.tokens[row]);
      made.rows.back().insert(made.rows.back().end(), each.tokens.begin(),
                              each.tokens.end());
      made.scores.push_back(each.score);
    }
  }
  return made;
}

/// Greedy decoding or sampling of all rows together.
Made makeOneEach(Generator &generator, const Prompts &prompts,
                 const GenerationOptions &options) {
  std::vector<Generated> sequences;
  for (size_t row = 0; row < prompts.tokens.size(); ++row)
    sequences.push_back({generator.begin(prompts.requests[row]),
                         prompts.tokens[row],
                         prompts.tokens[row].size(),
                         {},
                         false});
  generator.run(sequences, options, [](Generated &) { return true; });
  Made made;
  for (const Generated &each : sequences)
    made.scoreWidth = std::max(
        made.scoreWidth, static_cast<int64_t>(each.logProbabilities.size()));
  for (Generated &each : sequences) {
    made.rows.push_back(std::move(each.tokens));
    each.logProbabilities.resize(static_cast<size_t>(made.scoreWidth), 0);
    made.scores.insert(made.scores.end(), each.logProbabilities.begin(),
                       each.logProbabilities.end());
  }
  return made;
}

/// Warns about rows that have fewer tokens than requested, although the model
/// has not ended them: there was no more room.
void warnIfFull(const Generator &generator, const Prompts &prompts,
                const Made &made, const GenerateOptions &options) {
  const std::vector<int32_t> ends = generator.ends(options);
  const int64_t room = generator.madeSteps()->capacity();
  for (size_t row = 0; row < made.rows.size(); ++row) {
    const std::vector<int32_t> &tokens = made.rows[row];
    size_t given =
        prompts.tokens[row / (made.rows.size() / prompts.tokens.size())].size();
    bool isFull = static_cast<int64_t>(tokens.size()) > room &&
                  static_cast<int64_t>(tokens.size() - given) < options.most;
    if (isFull && std::ranges::find(ends, tokens.back()) == ends.end())
      warn(fmt::format("row {} does not end within {} tokens, for which there "
                       "is room",
                       row, room));
  }
}

/// Generates the rows; on Ctrl-C nothing is written.
Made make(Generator &generator, const Prompts &prompts,
          const GenerateOptions &options) {
  Steps &steps = generator.makeSteps(
      static_cast<int64_t>(prompts.longest()) + options.most, prompts.requests);
  InterruptWatch watch;
  try {
    if (options.beams > 1)
      return makeByBeams(generator, steps, prompts,
                         generator.withModel(options));
    return makeOneEach(generator, prompts, options);
  } catch (const Cancelled &) {
    throw Cancelled(
        fmt::format("interrupted; {} is not written", options.output));
  }
}

/// Arrays in, arrays out. Outputs are checked before anything is computed.
void generateFromFiles(Generator &generator, GenerateOptions options) {
  options.sampling.isScored = !options.scores.empty();
  Prompts prompts;
  readPrompts(generator, options, prompts);
  const std::string outputs[] = {options.output, options.scores};
  checkOutputs(outputs);
  Made made = make(generator, prompts, options);
  warnIfFull(generator, prompts, made, options);
  std::vector<int32_t> ends = generator.ends(options);
  writeRows(options.output, made.rows, ends.empty() ? 0 : ends.front());
  if (options.scores.empty())
    return;
  std::vector<int64_t> shape = {static_cast<int64_t>(made.rows.size())};
  if (made.scoreWidth)
    shape.push_back(made.scoreWidth);
  writeNpy(options.scores, shape, std::span<const double>(made.scores));
}

} // namespace

void generate(Session &session, const GenerateOptions &options) {
  Generator generator(session);
  checkOptions(generator, options);
  if (options.ids.empty() && options.features.empty())
    generateFromTexts(session, generator, options);
  else
    generateFromFiles(generator, options);
}

} // namespace transfold::runtime::inline commands
