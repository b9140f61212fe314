// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one sequence becomes, token by token and as a text.

#ifndef TRANSFOLD_RUNTIME_TASKS_GENERATE_COMPLETION_H
#define TRANSFOLD_RUNTIME_TASKS_GENERATE_COMPLETION_H

#include "runtime/steps/Generator.h"
#include "runtime/tasks/text/TextStream.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

struct Completion {
  /// A token of the model that ends texts, a text that was asked for, as many
  /// tokens as there may be (also where the model's rules then force a token
  /// that ends texts), or who asked for it.
  enum class End { Token, Text, Length, Cancelled };

  std::vector<int32_t> tokens;          // new ones, the end included
  std::vector<double> logProbabilities; // of them, if scored
  double score = 0;                     // of a search with beams
  End end = End::Length;
};

/// Who wants to know while it is made.
struct Listener {
  TextStream *text = nullptr; // shows the text, and ends it
  /// Told of each new token, behind its text; returns false to cancel. Not of
  /// those of a search with beams, which come at once.
  std::function<bool(int32_t)> onToken = {};
};

/// Room as Generator::makeSteps() makes it, for sequences that go on with
/// prompts. Throws Error where an encoder reads them, which says what the
/// model then is `without`: "does not chat".
Steps &makeStepsOfPrompts(Generator &generator, int64_t positions,
                          std::string_view without, int64_t sequences = 1);
/// Says that the system has memory for shorter sequences only than were asked
/// for; empty where it has enough.
std::string whyFewer(const Steps &steps);

/// Goes on with a sequence of `steps`, which are the generator's, behind
/// `prompt`. Throws Error; where it is cancelled, gives what there is.
Completion goOn(Generator &generator, Steps &steps, size_t sequence,
                const std::vector<int32_t> &prompt,
                const GenerationOptions &options, const Listener &listener);

/// Of a new sequence: behind the request's ids, or behind what the options say
/// where an encoder reads the request. Throws Error, also where the model does
/// not know an id.
Completion complete(Generator &generator, const Request &request,
                    const GenerationOptions &options, const Listener &listener);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_GENERATE_COMPLETION_H
