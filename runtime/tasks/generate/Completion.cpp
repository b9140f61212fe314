// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continues one sequence by sampling or by beam search, and passes its text on.
// Both ways give the same kind of result, with the reason of its end.

#include "runtime/tasks/generate/Completion.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

namespace {

/// The tokens that end a text; they are not part of it.
class Ends {
public:
  explicit Ends(std::vector<int32_t> ends) : ends(std::move(ends)) {}

  bool areBehind(std::span<const int32_t> made) const {
    return !made.empty() && std::ranges::find(ends, made.back()) != ends.end();
  }
  std::span<const int32_t> without(std::span<const int32_t> made) const {
    return areBehind(made) ? made.first(made.size() - 1) : made;
  }

private:
  std::vector<int32_t> ends;
};

/// goOn() by beam search: the tokens are known only at the end. It consumes the
/// sequence.
Completion search(Generator &generator, Steps &steps, size_t sequence,
                  const std::vector<int32_t> &prompt,
                  const GenerationOptions &options, const Listener &listener) {
  Completion result;
  bool isCut = false;
  try {
    Continuation best = std::move(
        beamSearch(steps, sequence, prompt, generator.withModel(options))
            .at(0));
    result.tokens = std::move(best.tokens);
    result.score = best.score;
    isCut = best.isCut;
  } catch (const Cancelled &) {
    result.end = Completion::End::Cancelled;
    return result;
  }
  Ends ends(generator.ends(options));
  if (ends.areBehind(result.tokens) && !isCut)
    result.end = Completion::End::Token;
  if (listener.text)
    listener.text->update(ends.without(result.tokens), true);
  return result;
}

} // namespace

Steps &makeStepsOfPrompts(Generator &generator, int64_t positions,
                          std::string_view without, int64_t sequences) {
  if (generator.encoder())
    fail("this model reads a text with an encoder, and {}", without);
  return generator.makeSteps(positions, {}, sequences, /*keepsStates=*/true);
}

std::string whyFewer(const Steps &steps) {
  if (steps.capacity() == steps.wantedCapacity())
    return "";
  return fmt::format(
      "the system provides memory for {} tokens of {} possible ones; --context "
      "asks for fewer, and more memory (ulimit -v) allows more",
      steps.capacity(), steps.wantedCapacity());
}

Completion goOn(Generator &generator, Steps &steps, size_t sequence,
                const std::vector<int32_t> &prompt,
                const GenerationOptions &options, const Listener &listener) {
  if (options.beams > 1)
    return search(generator, steps, sequence, prompt, options, listener);
  Ends ends(generator.ends(options));
  std::vector<Generated> one;
  one.push_back({sequence, prompt, prompt.size(), {}, false});
  auto made = [&] {
    return std::span<const int32_t>(one[0].tokens).subspan(prompt.size());
  };
  bool isStopped = false, isCancelled = false;
  try {
    generator.run(one, options, [&](Generated &each) {
      if (listener.text)
        isStopped = !listener.text->update(ends.without(made()), false);
      if (listener.onToken)
        isCancelled = !listener.onToken(each.tokens.back());
      return !isStopped && !isCancelled;
    });
  } catch (const Cancelled &) {
    isCancelled = true;
  }
  // Shows the rest, such as the beginning of a stop text that did not become
  // complete.
  if (listener.text && !isStopped)
    listener.text->update(ends.without(made()), true);
  Completion result{{made().begin(), made().end()},
                    std::move(one[0].logProbabilities)};
  bool hasEnd = ends.areBehind(made()) && !one[0].isCut;
  result.end = isStopped     ? Completion::End::Text
               : hasEnd      ? Completion::End::Token
               : isCancelled ? Completion::End::Cancelled
                             : Completion::End::Length;
  return result;
}

Completion complete(Generator &generator, const Request &request,
                    const GenerationOptions &options,
                    const Listener &listener) {
  const Entry *encoder = generator.encoder();
  std::vector<int32_t> prompt =
      encoder ? generator.start(options) : request.ids;
  if (prompt.empty())
    fail("has no tokens to begin with");
  checkTokens(request.ids,
              encoder ? encoder->arguments.at(0).bound
                      : generator.knownTokens(),
              "the ids of the tokenizer");
  Steps &steps =
      generator.makeSteps(static_cast<int64_t>(prompt.size()) + options.most,
                          std::span(&request, 1));
  return goOn(generator, steps, generator.begin(request), prompt, options,
              listener);
}

} // namespace transfold::runtime::inline tasks
