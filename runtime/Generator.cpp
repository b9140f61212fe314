// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Generator.h"

#include "runtime/Error.h"

#include <algorithm>
#include <csignal>

namespace transfold::runtime {

namespace {

const Task &taskOf(const Metadata &metadata) {
  if (const Task *task = generatingTask(metadata))
    return *task;
  fail("this program has no task that makes tokens");
}

volatile std::sig_atomic_t interrupted = 0;

} // namespace

const Task *generatingTask(const Metadata &metadata) {
  for (const char *kind : {"generate", "translate", "transcribe", "chat"})
    if (const Task *task = metadata.task(kind))
      return task;
  return nullptr;
}

bool isInterrupted() { return interrupted; }

void watchForInterrupt() {
  // A second one ends the program as always.
  std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

Generator::Generator(Session &session)
    : session(session), described(taskOf(session.metadata())) {
  if (described.entries.size() > 1)
    encodeCall.emplace(session,
                       session.metadata().entry(described.entries.front()));
}

std::vector<int32_t> Generator::numbers(const char *option) const {
  auto found = described.options.find(option);
  if (found == described.options.end() || found->empty())
    return {};
  if (found->is_array())
    return found->get<std::vector<int32_t>>();
  return {found->get<int32_t>()};
}

std::vector<int32_t> Generator::start(const GenerateOptions &options) const {
  return options.start.empty() ? numbers("start") : options.start;
}

std::vector<int32_t> Generator::ends(const GenerateOptions &options) const {
  if (options.ignoreEnd)
    return {};
  return options.ends.empty() ? numbers("stop") : options.ends;
}

BeamOptions beamOptions(const GenerateOptions &options,
                        std::vector<int32_t> ends) {
  return {static_cast<size_t>(options.beams),
          options.most,
          options.lengthPenalty,
          options.earlyStopping,
          std::move(ends),
          options.sampling.suppressed,
          options.chunk};
}

Steps &Generator::makeSteps(int64_t positions) {
  steps.emplace(session, described.entries.back(), positions);
  if (steps->hasRequest() && !encodeCall)
    fail("task '{}' needs an entry that makes what '{}' begins with",
         described.kind, described.entries.back());
  return *steps;
}

size_t Generator::begin(std::span<const int32_t> ids,
                        std::span<const float> features) {
  size_t sequence = steps->add();
  if (!encodeCall)
    return sequence;
  const Entry &entry = encodeCall->entry();
  const Argument &argument = entry.arguments.at(0);
  std::vector<int64_t> lengths(entry.lengths.size(),
                               static_cast<int64_t>(ids.size()));
  encodeCall->setLengths(lengths);
  if (argument.integer) {
    for (int32_t id : ids)
      if (id < 0 || (argument.bound && id >= argument.bound))
        fail("there is no token {}; the model knows 0 to {}", id,
             argument.bound - 1);
    std::ranges::copy(ids, encodeCall->integers(0).begin());
  } else {
    std::span<float> room = encodeCall->reals(0);
    if (room.size() != features.size())
      fail("entry '{}' takes {} numbers, {}, not {}", entry.name, room.size(),
           text(argument.shape, entry), features.size());
    std::ranges::copy(features, room.begin());
  }
  for (size_t i = 1; i < entry.arguments.size(); ++i)
    encodeCall->fill(i);
  encodeCall->run();
  std::span<const float> memory = encodeCall->result(0);
  auto width = static_cast<size_t>(entry.results[0].shape.back().size);
  steps->begin(sequence, memory, static_cast<int64_t>(memory.size() / width));
  return sequence;
}

/// All but the last part of each prompt, of which no logits are needed.
void Generator::readPrompts(std::span<const Generated> sequences,
                            int64_t chunk) {
  for (const Generated &each : sequences) {
    std::span<const int32_t> rest =
        std::span(each.tokens)
            .subspan(static_cast<size_t>(steps->length(each.sequence)));
    while (steps->runPart(each.sequence, rest, chunk))
      if (isInterrupted())
        return;
  }
}

void Generator::run(std::vector<Generated> &sequences, const Options &options,
                    const std::function<bool(Generated &)> &onToken) {
  readPrompts(sequences, options.chunk);
  // Each draws numbers of its own: what one says does not hang on the others.
  std::vector<Sampler> samplers;
  for (size_t i = 0; i < sequences.size(); ++i) {
    samplers.emplace_back(options.sampling);
    sequences[i].tokens.reserve(sequences[i].tokens.size() +
                                static_cast<size_t>(options.most));
    sequences[i].logProbabilities.reserve(static_cast<size_t>(options.most));
  }
  std::vector<Steps::Chunk> chunks;
  std::vector<size_t> going;
  for (int64_t made = 0; made < options.most && !isInterrupted(); ++made) {
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
      auto [token, logProbability] =
          samplers[going[k]].choose(steps->logits(k), each.tokens);
      each.tokens.push_back(token);
      each.logProbabilities.push_back(logProbability);
      bool isEnd = std::ranges::find(options.ends, token) != options.ends.end();
      bool isFull =
          static_cast<int64_t>(each.tokens.size()) > steps->capacity();
      each.isOver = !onToken(each) || isEnd || isFull;
    }
  }
}

} // namespace transfold::runtime
