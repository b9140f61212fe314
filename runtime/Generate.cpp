// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `generate`: of ids from a file, for other programs and for tests,
// or of texts.

#include "runtime/Commands.h"
#include "runtime/Generator.h"
#include "runtime/Messages.h"
#include "runtime/Npy.h"
#include "runtime/OutputFile.h"
#include "runtime/TextCall.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

/// Rows of a file with ids, cut to where its mask is 1.
std::vector<std::vector<int32_t>> readRows(const GenerateOptions &options) {
  NpyArray ids(options.ids);
  if (!ids.isInteger() || ids.shape().empty() || ids.shape().size() > 2)
    fail("{}: ids are integers, [batch, tokens]", options.ids);
  std::optional<NpyArray> mask;
  if (!options.mask.empty()) {
    mask.emplace(options.mask);
    if (mask->shape() != ids.shape())
      fail("{}: has not the shape of {}", options.mask, options.ids);
  }
  int64_t width = ids.shape().back();
  std::vector<std::vector<int32_t>> rows;
  for (int64_t begin = 0; begin < ids.elements(); begin += width) {
    rows.emplace_back();
    for (int64_t i = begin; i < begin + width; ++i)
      if (!mask || mask->integer(i)) {
        int64_t id = ids.integer(i);
        if (id < 0 || id > INT32_MAX)
          fail("{}: there is no token {}", options.ids, id);
        rows.back().push_back(static_cast<int32_t>(id));
      }
    if (rows.back().empty())
      fail("{}: row {} has no tokens", options.ids, rows.size() - 1);
  }
  if (rows.empty())
    fail("{}: has no rows", options.ids);
  return rows;
}

/// Items of a file with what an encoder reads, one behind the other.
std::vector<std::vector<float>> readFeatures(const std::string &path) {
  NpyArray array(path);
  if (array.shape().size() != 3)
    fail("{}: features are [batch, bands, frames]", path);
  int64_t each = array.shape()[1] * array.shape()[2];
  std::vector<std::vector<float>> items;
  for (int64_t begin = 0; each && begin < array.elements(); begin += each) {
    items.emplace_back();
    for (int64_t i = begin; i < begin + each; ++i)
      items.back().push_back(static_cast<float>(array.real(i)));
  }
  return items;
}

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

/// What generation from ids begins with: a row each.
struct Prompts {
  std::vector<std::vector<int32_t>> tokens; // of the sequences
  std::vector<std::vector<int32_t>> read;   // by the encoder
  std::vector<std::vector<float>> features; // by the encoder
};

Prompts promptsOf(const Generator &generator, const GenerateOptions &options) {
  Prompts prompts;
  if (!generator.encoder()) {
    prompts.tokens = readRows(options);
    return prompts;
  }
  if (options.features.empty())
    prompts.read = readRows(options);
  else
    prompts.features = readFeatures(options.features);
  std::vector<int32_t> start = generator.start(options);
  if (start.empty())
    fail("the model does not say what a result begins with; give --start ID");
  prompts.tokens.assign(std::max(prompts.read.size(), prompts.features.size()),
                        start);
  return prompts;
}

void generateFromIds(Session &session, const GenerateOptions &options) {
  Generator generator(session);
  Prompts prompts = promptsOf(generator, options);
  size_t longest = 0;
  for (const auto &prompt : prompts.tokens)
    longest = std::max(longest, prompt.size());
  Steps &steps =
      generator.makeSteps(static_cast<int64_t>(longest) + options.most);
  auto begin = [&](size_t row) {
    return generator.begin(row < prompts.read.size()
                               ? std::span<const int32_t>(prompts.read[row])
                               : std::span<const int32_t>(),
                           row < prompts.features.size()
                               ? std::span<const float>(prompts.features[row])
                               : std::span<const float>());
  };
  std::vector<int32_t> ends = generator.ends(options);
  std::vector<std::vector<int32_t>> rows;
  std::vector<double> scores;
  int64_t scoreWidth = 0;
  if (options.beams > 1) {
    BeamOptions beams = beamOptions(options, ends);
    for (size_t row = 0; row < prompts.tokens.size(); ++row)
      for (const Continuation &each :
           beamSearch(steps, begin(row), prompts.tokens[row], beams)) {
        rows.push_back(prompts.tokens[row]);
        rows.back().insert(rows.back().end(), each.tokens.begin(),
                           each.tokens.end());
        scores.push_back(each.score);
      }
  } else {
    std::vector<Generated> sequences;
    for (size_t row = 0; row < prompts.tokens.size(); ++row)
      sequences.push_back({begin(row),
                           prompts.tokens[row],
                           prompts.tokens[row].size(),
                           {},
                           false});
    generator.run(sequences,
                  {options.sampling, options.most, options.chunk, ends},
                  [](Generated &) { return true; });
    for (const Generated &each : sequences)
      scoreWidth = std::max(scoreWidth,
                            static_cast<int64_t>(each.logProbabilities.size()));
    for (Generated &each : sequences) {
      rows.push_back(std::move(each.tokens));
      each.logProbabilities.resize(static_cast<size_t>(scoreWidth), 0);
      scores.insert(scores.end(), each.logProbabilities.begin(),
                    each.logProbabilities.end());
    }
  }
  writeRows(options.output, rows, ends.empty() ? 0 : ends.front());
  if (options.scores.empty())
    return;
  std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  if (scoreWidth)
    shape.push_back(scoreWidth);
  writeNpy(options.scores, shape, std::span<const double>(scores));
}

} // namespace

void generate(Session &session, const GenerateOptions &options) {
  bool fromFile = !options.ids.empty() || !options.features.empty();
  if (fromFile && options.output.empty())
    fail("--ids needs --out FILE for the result");
  watchForInterrupt();
  if (fromFile)
    generateFromIds(session, options);
  else
    generateFromTexts(session, options);
}

} // namespace transfold::runtime
