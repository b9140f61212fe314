// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that makes tokens: what its sequences begin with, and how they go on.

#ifndef TRANSFOLD_RUNTIME_STEPS_GENERATOR_H
#define TRANSFOLD_RUNTIME_STEPS_GENERATOR_H

#include "runtime/files/Npy.h"
#include "runtime/program/Call.h"
#include "runtime/steps/BeamSearch.h"
#include "runtime/steps/Cancellation.h"
#include "runtime/steps/Sampling.h"
#include "runtime/steps/Steps.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime {

/// The program's task that makes tokens; null where it has none.
const Task *generatingTask(const Metadata &metadata);

/// What is read: ids or a row of an array, by the encoder, or samples of a
/// recording, by the entry before it.
struct Request {
  std::vector<int32_t> ids;
  const NpyArray *features = nullptr;
  int64_t row = 0;
  std::span<const float> samples = {};
};

/// One sequence that is being made.
struct Generated {
  size_t sequence;                      // of Steps
  std::vector<int32_t> tokens;          // the prompt's, then new ones
  size_t prompt;                        // how many are the prompt's
  std::vector<double> logProbabilities; // of the new ones, if scored
  bool isOver = false;
  bool isCut = false; // its last token was forced (Sampler::Choice)
};

/// What a user can say about how sequences go on.
struct GenerationOptions {
  int64_t most = 128; // new tokens
  int64_t chunk = 0;  // tokens of a prompt in one step; 0: Steps::usualChunk
  SamplingOptions sampling;
  std::vector<int32_t> start, ends; // empty: as the model says
  std::vector<int32_t> first;       // forced to come first; the same
  bool ignoreEnd = false;
  int64_t beams = 1;
  double lengthPenalty = 1;
  bool earlyStopping = false;
  std::optional<TimeRules> times = {}; // of a text that somebody said
  IsCancelled isCancelled = {};
};

class Generator {
public:
  /// The program's task that makes tokens. Throws Error where it has none.
  explicit Generator(Session &session);

  const Task &task() const { return described; }
  /// The entry that reads what is to be translated; null where a prompt is only
  /// gone on with.
  const Entry *encoder() const {
    return encoders.empty() ? nullptr : &encoders.back().entry();
  }
  /// How many samples of a recording the program takes at once; 0 where it
  /// takes none.
  int64_t samplesRead() const;
  /// Tokens are 0 to this minus 1: those that prompts have, and those that are
  /// made. 0: unknown.
  int64_t knownTokens() const;
  int64_t vocabulary() const;
  /// The tokens that sequences begin with where there is an encoder, and those
  /// that end one: the user's, else the model's.
  std::vector<int32_t> start(const GenerationOptions &options) const;
  std::vector<int32_t> ends(const GenerationOptions &options) const;
  /// How tokens are chosen: as the user says, by the rules of the model's
  /// makers as far as the user does not contradict them.
  SamplingOptions sampling(const GenerationOptions &options) const;

  /// Tokens of the longest sequence that the model was made for, as its files
  /// say; the largest number where they do not.
  int64_t usualPositions() const;
  /// Room for sequences of so many positions, each of one of the requests, or
  /// for fewer: the model's limit, and what the system has memory for where
  /// `sequences` of them are there. Comes before all that follows.
  Steps &makeSteps(int64_t positions, std::span<const Request> requests,
                   int64_t sequences = 1);
  /// What makeSteps() made; null before. forgetSteps() drops all sequences.
  Steps *madeSteps() { return steps ? &*steps : nullptr; }
  const Steps *madeSteps() const { return steps ? &*steps : nullptr; }
  void forgetSteps() { steps.reset(); }
  /// A sequence without tokens, of what the encoder, if there is one, makes of
  /// a request.
  size_t begin(const Request &request);

  /// Goes on with all sequences, together, until each is over or `onToken`
  /// returns false for it. `onToken` is told of each new token. Does not search
  /// with beams: beamOptions() and beamSearch() do. Throws Error, and
  /// Cancelled.
  void run(std::vector<Generated> &sequences, const GenerationOptions &options,
           const std::function<bool(Generated &)> &onToken);

private:
  Session &session;
  const Task &described;
  /// What comes before the steps, in this order: each takes results of the one
  /// before it.
  std::deque<Call> encoders;
  std::optional<Steps> steps;

  const Entry &lastEntry() const;
  std::vector<int64_t> encoderLengths(const Request &request) const;
  void read(const Request &request, Call &call) const;
  void takeOver(const Call &from, Call &to) const;
  void readPrompts(std::span<const Generated> sequences,
                   const GenerationOptions &options);
};

/// What the options say of a search with beams.
BeamOptions beamOptions(const Generator &generator,
                        const GenerationOptions &options);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_GENERATOR_H
