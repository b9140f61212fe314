// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/Generator.h"

#include "runtime/Error.h"
#include "runtime/program/ArrayArguments.h"
#include "runtime/program/TokenIds.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

const Task &taskOf(const Metadata &metadata) {
  if (const Task *task = generatingTask(metadata))
    return *task;
  fail("this program has no task that makes tokens");
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
  if (described.entries.size() > 1)
    encodeCall.emplace(session,
                       session.metadata().entry(described.entries.front()));
}

//===----------------------------------------------------------------------===//
// Which tokens
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
  // Who suppresses a token does not want it forced.
  for (std::vector<int32_t> *forced : {&rules.first, &rules.last})
    std::erase_if(*forced, [&](int32_t token) {
      return std::ranges::find(result.suppressed, token) !=
             result.suppressed.end();
    });
  // A text may end, whatever words are excluded.
  std::vector<int32_t> all = ends(options);
  std::erase_if(rules.excluded, [&](const std::vector<int32_t> &word) {
    return word.size() == 1 && std::ranges::find(all, word[0]) != all.end();
  });
  result.rules = std::move(rules);
  return result;
}

BeamOptions beamOptions(const Generator &generator,
                        const GenerationOptions &options) {
  SamplingOptions sampling = generator.sampling(options);
  return {.beams = static_cast<size_t>(options.beams),
          .most = options.most,
          .lengthPenalty = options.lengthPenalty,
          .earlyStopping = options.earlyStopping,
          .ends = generator.ends(options),
          .repetitionPenalty = sampling.repetitionPenalty,
          .suppressed = std::move(sampling.suppressed),
          .rules = std::move(sampling.rules),
          .chunk = options.chunk,
          .isCancelled = options.isCancelled};
}

//===----------------------------------------------------------------------===//
// What sequences begin with
//===----------------------------------------------------------------------===//

/// Lengths of the encoder for a request.
std::vector<int64_t> Generator::encoderLengths(const Request &request) const {
  const Entry &entry = encodeCall->entry();
  std::vector<int64_t> lengths(entry.lengths.size(), unknownLength);
  if (request.features)
    readExtents(entry, entry.arguments.at(0), *request.features, lengths);
  else
    std::ranges::fill(lengths, static_cast<int64_t>(request.ids.size()));
  checkLengths(entry, lengths);
  return lengths;
}

Steps &Generator::makeSteps(int64_t positions,
                            std::span<const Request> requests) {
  Steps::Room room{positions};
  for (const Request &request : requests)
    if (encodeCall) {
      const Shape &shape = encodeCall->entry().results.at(0).shape;
      room.requestRows = std::max(room.requestRows,
                                  elements(shape, encoderLengths(request)) /
                                      std::max<int64_t>(shape.back().size, 1));
    }
  steps.emplace(session, described.entries.back(), room);
  if (steps->hasRequest() && !encodeCall)
    fail("task '{}' needs an entry that makes what '{}' begins with",
         described.kind, described.entries.back());
  return *steps;
}

size_t Generator::begin(const Request &request) {
  size_t sequence = steps->add();
  if (!encodeCall)
    return sequence;
  const Entry &entry = encodeCall->entry();
  std::vector<int64_t> lengths = encoderLengths(request);
  encodeCall->setLengths(lengths);
  if (request.features) {
    fillReals(*encodeCall, 0, 0, *request.features, request.row, lengths);
  } else {
    checkTokens(request.ids, entry.arguments.at(0).bound);
    if (encodeCall->integers(0).size() != request.ids.size())
      fail("entry '{}' takes {} tokens, not {}", entry.name,
           encodeCall->integers(0).size(), request.ids.size());
    std::ranges::copy(request.ids, encodeCall->integers(0).begin());
  }
  for (size_t i = 1; i < entry.arguments.size(); ++i)
    encodeCall->fill(i);
  encodeCall->run();
  std::span<const float> memory = encodeCall->result(0);
  auto width = static_cast<size_t>(entry.results[0].shape.back().size);
  steps->begin(sequence, memory, static_cast<int64_t>(memory.size() / width));
  return sequence;
}

//===----------------------------------------------------------------------===//
// Going on with them
//===----------------------------------------------------------------------===//

/// All but the last part of each prompt, of which no logits are needed.
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
  // Each draws numbers of its own: what one says does not hang on the others.
  std::vector<Sampler> samplers(sequences.size(), Sampler(sampling(options)));
  std::vector<int32_t> ends = this->ends(options);
  auto chosen = [&](size_t row, size_t chunk) {
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
      chunks.push_back({each.sequence, std::span(each.tokens)
                                           .subspan(static_cast<size_t>(
                                               steps->length(each.sequence)))});
    }
    if (going.empty())
      return;
    steps->run(chunks);
    for (size_t k = 0; k < going.size(); ++k) {
      Generated &each = sequences[going[k]];
      auto [token, logProbability] = chosen(going[k], k);
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

} // namespace transfold::runtime
