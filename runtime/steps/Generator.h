// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that generates tokens: the beginning of its sequences, and their
// continuation.

#pragma once

#include "base/files/arrays/Npy.h"
#include "runtime/program/call/Call.h"
#include "runtime/steps/BeamSearch.h"
#include "runtime/steps/GenerationOptions.h"
#include "runtime/steps/Steps.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::inline steps {

/// The program's task that generates tokens; null if it has none.
const Task *generatingTask(const Metadata &metadata);

/// The input of one sequence: for the encoder, token ids or a row of an array;
/// for the entry before the encoder, samples of a recording.
struct Request {
  /// Token ids; unused if one of the other inputs is set.
  std::vector<int32_t> ids;
  /// The array must outlive the request; its first axis is the batch, of which
  /// `row` is one element.
  const NpyArray *features = nullptr;
  int64_t row = 0;
  /// Samples at the model's rate, in [-1, 1]; the caller owns them.
  std::span<const float> samples = {};
};

/// One sequence that is being generated.
struct Generated {
  size_t sequence;             // number of the sequence in Steps
  std::vector<int32_t> tokens; // the prompt, followed by the new tokens
  size_t prompt;               // number of tokens of the prompt
  std::vector<double> logProbabilities; // of the new tokens, if requested
  /// Whether no more tokens are generated: after an end token, if there is no
  /// room, or if `onToken` returned false.
  bool isOver = false;
  bool isCut = false; // the last token was forced (Sampler::Choice)
};

/// Runs a task that generates tokens, for any number of sequences at once.
class Generator {
public:
  /// Uses the program's task that generates tokens. Throws Error if it has
  /// none.
  explicit Generator(Session &session);

  const Task &task() const { return described; }
  /// The entry that reads the input of the decoder's cross-attention (the text
  /// to translate); null for decoder-only models, where a prompt is continued.
  const Entry *encoder() const {
    return encoders.empty() ? nullptr : &encoders.back().entry();
  }
  /// Number of audio samples that the program takes at once; 0 if it takes
  /// none.
  int64_t samplesRead() const;
  /// Valid token ids are 0 to this value minus 1: knownTokens() for tokens of
  /// prompts, vocabulary() for generated tokens. 0: unknown.
  int64_t knownTokens() const;
  int64_t vocabulary() const;
  /// start(): the tokens that sequences begin with if there is an encoder.
  /// ends(): the tokens that end a sequence. Both are the user's if given, else
  /// the model's.
  std::vector<int32_t> start(const GenerationOptions &options) const;
  std::vector<int32_t> ends(const GenerationOptions &options) const;
  /// How tokens are selected: by the user's options and the model's rules,
  /// unless the user's options contradict them.
  SamplingOptions sampling(const GenerationOptions &options) const;
  /// The options with the above in place of what the user left out.
  GenerationOptions withModel(GenerationOptions options) const;

  /// Number of tokens of the longest sequence that the model was trained for,
  /// according to its files; INT32_MAX if they do not specify it.
  int64_t usualPositions() const;
  /// Creates the Steps, with room for sequences of `positions` tokens, each for
  /// one of the requests, or of fewer tokens: the model's limit, and what the
  /// system has memory for if there are `sequences` of them. Must be called
  /// before the functions below. `keepsStates`: sequences will go back.
  Steps &makeSteps(int64_t positions, std::span<const Request> requests,
                   int64_t sequences = 1, bool keepsStates = false);
  /// The Steps that makeSteps() created; null before. forgetSteps() drops all
  /// sequences.
  Steps *madeSteps() { return steps ? &*steps : nullptr; }
  const Steps *madeSteps() const { return steps ? &*steps : nullptr; }
  void forgetSteps() { steps.reset(); }
  /// Creates a sequence without tokens; if there is an encoder, its result for
  /// the request is the sequence's input.
  size_t begin(const Request &request);

  /// Continues all sequences together, until each has ended or `onToken`
  /// returns false for it. `onToken` is called for each new token. Does not use
  /// beam search: see withModel() and beamSearch(). Throws Error, and
  /// Cancelled.
  void run(std::vector<Generated> &sequences, const GenerationOptions &options,
           const std::function<bool(Generated &)> &onToken);

private:
  Session &session;
  const Task &described;
  /// The entries that run before the steps, in order: each takes the result of
  /// the preceding one.
  std::deque<Call> encoders;
  std::optional<Steps> steps;

  /// The entry that generates tokens; the entries before it are encoders.
  const Entry &lastEntry() const;
  std::vector<int64_t> encoderLengths(const Request &request) const;
  /// Fills the first argument of the first entry that runs for a request.
  /// Throws Error.
  void read(const Request &request, Call &call) const;
  /// Passes a result from one entry to the next. Throws Error.
  void takeOver(const Call &from, Call &to) const;
  /// Computes the prompts but for their last parts.
  void readPrompts(std::span<const Generated> sequences,
                   const GenerationOptions &options);
};

} // namespace transfold::runtime::inline steps
