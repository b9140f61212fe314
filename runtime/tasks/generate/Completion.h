// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The completion of one sequence, as tokens and as text.

#pragma once

#include "runtime/steps/Generator.h"
#include "runtime/tasks/text/TextStream.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tasks {

/// The generated tokens, and how they ended.
struct Completion {
  /// Token: an end token of the model. Text: a stop text. Length: the maximum
  /// number of tokens (also if the model's rules then force an end token).
  /// Cancelled: by the caller.
  enum class End { Token, Text, Length, Cancelled };

  std::vector<int32_t> tokens;          // new tokens, the end token included
  std::vector<double> logProbabilities; // of the new tokens, if requested
  double score = 0;                     // of beam search
  End end = End::Length;
};

/// Receives a completion while it is generated.
struct Listener {
  TextStream *text = nullptr; // shows the text, and detects stop texts
  /// Called for each new token, after its text was shown; returns false to
  /// cancel. Not called with beam search, whose tokens are available only at
  /// the end.
  std::function<bool(int32_t)> onToken = {};
};

/// Makes room as Generator::makeSteps() does, for sequences that continue
/// prompts. Throws Error if the model has an encoder; the message ends with
/// `without`, which says what the model cannot do: "does not chat".
Steps &makeStepsOfPrompts(Generator &generator, int64_t positions,
                          std::string_view without, int64_t sequences = 1);
/// A message if the system has memory only for shorter sequences than
/// requested; empty if it has enough.
std::string whyFewer(const Steps &steps);

/// Continues a sequence of `steps`, which belong to the generator, with
/// `prompt`. Throws Error; if cancelled, returns the tokens so far.
Completion goOn(Generator &generator, Steps &steps, size_t sequence,
                const std::vector<int32_t> &prompt,
                const GenerationOptions &options, const Listener &listener);

/// Completes a new sequence: it begins with the request's ids, or, if an
/// encoder reads the request, with the start tokens of the options. Throws
/// Error, also if the model does not have a token.
Completion complete(Generator &generator, const Request &request,
                    const GenerationOptions &options, const Listener &listener);

} // namespace transfold::runtime::inline tasks
