// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs encoders, and then decode steps for all sequences together until each
// has ended. The model's options and the user's are merged here.

#include "runtime/steps/Generator.h"

#include "base/Error.h"
#include "runtime/program/call/ArrayArguments.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime::inline steps {

namespace {

/// The task that generates tokens. Throws Error if there is none.
const Task &taskOf(const Metadata &metadata) {
  if (const Task *task = generatingTask(metadata))
    return *task;
  fail("this program has no task that generates tokens");
}

} // namespace

const Task *generatingTask(const Metadata &metadata) {
  for (const char *kind : {"generate", "translate", "transcribe", "chat"})
    if (const Task *task = metadata.task(kind))
      return task;
  return nullptr;
}

Generator::Generator(Session &session)
    : session(session), described(taskOf(session.metadata())) {
  for (size_t i = 0; i + 1 < described.entries.size(); ++i)
    encoders.emplace_back(session,
                          session.metadata().entry(described.entries[i]));
}

//===----------------------------------------------------------------------===//
// Token ids
//===----------------------------------------------------------------------===//

const Entry &Generator::lastEntry() const {
  return session.metadata()
      .entries[session.metadata().entry(described.entries.back())];
}

int64_t Generator::knownTokens() const { return tokensRead(lastEntry()); }

int64_t Generator::vocabulary() const { return tokensScored(lastEntry()); }

std::vector<int32_t> Generator::start(const GenerationOptions &options) const {
  return options.start.empty() ? described.start : options.start;
}

std::vector<int32_t> Generator::ends(const GenerationOptions &options) const {
  if (options.ignoreEnd)
    return {};
  return options.ends.empty() ? described.stop : options.ends;
}

SamplingOptions Generator::sampling(const GenerationOptions &options) const {
  SamplingOptions result = options.sampling;
  TokenRules rules = described.rules;
  if (options.ignoreEnd)
    rules.last.clear();
  if (!options.first.empty())
    rules.first = options.first;
  // A token that the user suppresses is not forced.
  for (std::vector<int32_t> *forced : {&rules.first, &rules.last})
    std::erase_if(*forced, [&](int32_t token) {
      return std::ranges::find(result.suppressed, token) !=
             result.suppressed.end();
    });
  // The end token stays possible, even if it is an excluded word.
  std::vector<int32_t> all = ends(options);
  std::erase_if(rules.excluded, [&](const std::vector<int32_t> &word) {
    return word.size() == 1 && std::ranges::find(all, word[0]) != all.end();
  });
  rules.times = options.times;
  result.rules = std::move(rules);
  return result;
}

GenerationOptions Generator::withModel(GenerationOptions options) const {
  options.sampling = sampling(options);
  options.ends = ends(options);
  return options;
}

//===----------------------------------------------------------------------===//
// The beginning of sequences
//===----------------------------------------------------------------------===//

int64_t Generator::samplesRead() const {
  if (!described.speech || encoders.empty())
    return 0;
  const Entry &entry = encoders.front().entry();
  const Argument &samples = entry.arguments.at(0);
  if (samples.integer || samples.shape.size() != 1 || !entry.lengths.empty())
    fail("entry '{}' takes {}{}, but no fixed number of samples", entry.name,
         samples.name, text(samples.shape, entry));
  return samples.shape[0].size;
}

/// Lengths of the encoder's input for a request. Those of a recording are
/// fixed.
std::vector<int64_t> Generator::encoderLengths(const Request &request) const {
  const Entry &entry = *encoder();
  std::vector<int64_t> lengths(entry.lengths.size(), unknownLength);
  if (request.features)
    readExtents(entry, entry.arguments.at(0), *request.features, lengths);
  else if (request.samples.empty())
    std::ranges::fill(lengths, static_cast<int64_t>(request.ids.size()));
  deriveLengths(entry, lengths);
  checkLengths(entry, lengths);
  return lengths;
}

int64_t Generator::usualPositions() const {
  auto option = described.options.find("max_tokens");
  bool isSaid =
      option != described.options.end() && option->is_number_unsigned();
  return isSaid ? static_cast<int64_t>(
                      std::min<uint64_t>(option->get<uint64_t>(), INT32_MAX))
                : INT32_MAX;
}

Steps &Generator::makeSteps(int64_t positions,
                            std::span<const Request> requests,
                            int64_t sequences, bool keepsStates) {
  Steps::Room room{.positions = positions,
                   .sequences = sequences,
                   .keepsStates = keepsStates};
  for (const Request &request : requests)
    if (const Entry *entry = encoder()) {
      const Shape &shape = entry->results.at(0).shape;
      room.requestRows = std::max(room.requestRows,
                                  elements(shape, encoderLengths(request)) /
                                      std::max<int64_t>(shape.back().size, 1));
    }
  steps.emplace(session, described.entries.back(), room);
  if (steps->hasRequest() && encoders.empty())
    fail("task '{}' needs an entry that computes what '{}' begins with",
         described.kind, described.entries.back());
  return *steps;
}

/// Fills the first argument of the first entry that runs.
void Generator::read(const Request &request, Call &call) const {
  const Entry &entry = call.entry();
  if (!request.samples.empty()) {
    if (static_cast<int64_t>(request.samples.size()) > samplesRead())
      fail("entry '{}' takes {} samples, not {}", entry.name, samplesRead(),
           request.samples.size());
    call.setLengths({});
    std::span<float> to = call.reals(0);
    auto rest = std::ranges::copy(request.samples, to.begin()).out;
    std::fill(rest, to.end(), 0.0f);
    return;
  }
  std::vector<int64_t> lengths = encoderLengths(request);
  call.setLengths(lengths);
  if (request.features)
    return fillReals(call, 0, 0, *request.features, request.row, lengths);
  checkTokens(request.ids, entry.arguments.at(0).bound);
  if (call.integers(0).size() != request.ids.size())
    fail("entry '{}' takes {} tokens, not {}", entry.name,
         call.integers(0).size(), request.ids.size());
  std::ranges::copy(request.ids, call.integers(0).begin());
}

/// Fills the first argument of `to` with the first result of `from`, the entry
/// that ran before it.
void Generator::takeOver(const Call &from, Call &to) const {
  const Argument &argument = to.entry().arguments.at(0);
  std::span<const float> made = from.result(0);
  if (to.entry().lengths.empty())
    to.setLengths({});
  if (!to.entry().lengths.empty() || argument.integer ||
      to.reals(0).size() != made.size())
    fail("entry '{}' does not take the result of '{}'", to.entry().name,
         from.entry().name);
  std::ranges::copy(made, to.reals(0).begin());
}

size_t Generator::begin(const Request &request) {
  size_t sequence = steps->add();
  if (encoders.empty())
    return sequence;
  // The entries before the last encoder turn samples into its features, which a
  // request may also contain.
  size_t begin = request.samples.empty() ? encoders.size() - 1 : 0;
  for (size_t i = begin; i < encoders.size(); ++i) {
    Call &call = encoders[i];
    if (i == begin)
      read(request, call);
    else
      takeOver(encoders[i - 1], call);
    for (size_t k = 1; k < call.entry().arguments.size(); ++k)
      call.fill(k);
    call.run();
  }
  std::span<const float> memory = encoders.back().result(0);
  auto width =
      static_cast<size_t>(encoders.back().entry().results[0].shape.back().size);
  steps->begin(sequence, memory, static_cast<int64_t>(memory.size() / width));
  return sequence;
}

//===----------------------------------------------------------------------===//
// Continuing sequences
//===----------------------------------------------------------------------===//

/// Runs all parts of each prompt but the last; their logits are not needed.
void Generator::readPrompts(std::span<const Generated> sequences,
                            const GenerationOptions &options) {
  for (const Generated &each : sequences) {
    std::span<const int32_t> rest =
        std::span(each.tokens)
            .subspan(static_cast<size_t>(steps->length(each.sequence)));
    while (steps->runPart(each.sequence, rest, options.chunk))
      throwIfCancelled(options.isCancelled);
  }
}

void Generator::run(std::vector<Generated> &sequences,
                    const GenerationOptions &options,
                    const std::function<bool(Generated &)> &onToken) {
  readPrompts(sequences, options);
  // One sampler for each sequence, so that its tokens do not depend on the
  // others.
  std::vector<Sampler> samplers(sequences.size(), Sampler(sampling(options)));
  std::vector<int32_t> ends = this->ends(options);
  // All samplers have the same options.
  const auto what = !samplers.empty() && samplers[0].isGreedy()
                        ? Steps::For::Likeliest
                        : Steps::For::Logits;
  auto chosen = [&](size_t row, size_t chunk) {
    if (auto token = steps->argmax(chunk))
      return Sampler::Choice{*token, 0, false};
    try {
      return samplers[row].choose(steps->logits(chunk), sequences[row].tokens,
                                  sequences[row].prompt, options.most);
    } catch (const Error &error) {
      if (sequences.size() == 1)
        throw;
      fail("row {}: {}", row, error.what());
    }
  };
  std::vector<Steps::Chunk> chunks;
  std::vector<size_t> going;
  for (int64_t made = 0; made < options.most; ++made) {
    throwIfCancelled(options.isCancelled);
    chunks.clear();
    going.clear();
    for (size_t i = 0; i < sequences.size(); ++i) {
      const Generated &each = sequences[i];
      if (each.isOver)
        continue;
      going.push_back(i);
      // The tokens that are not in the caches yet: in the first step the last
      // part of the prompt, later the token generated last.
      chunks.push_back({each.sequence, std::span(each.tokens)
                                           .subspan(static_cast<size_t>(
                                               steps->length(each.sequence)))});
    }
    if (going.empty())
      return;
    steps->run(chunks, what);
    for (size_t k = 0; k < going.size(); ++k) {
      Generated &each = sequences[going[k]];
      auto [token, logProbability, isCut] = chosen(going[k], k);
      each.isCut = isCut;
      each.tokens.push_back(token);
      if (options.sampling.isScored)
        each.logProbabilities.push_back(logProbability);
      bool isEnd = std::ranges::find(ends, token) != ends.end();
      bool isFull =
          static_cast<int64_t>(each.tokens.size()) > steps->capacity();
      each.isOver = !onToken(each) || isEnd || isFull;
    }
  }
}

} // namespace transfold::runtime::inline steps
