// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sequence serves a whole conversation. Templates may write earlier turns
// differently later, for example without their reasoning: therefore prompts are
// compared token by token with the sequence, and only a common prefix is
// reused.

#include "runtime/tasks/generate/ChatModel.h"

#include "base/Error.h"
#include "runtime/steps/Prefix.h"

#include <algorithm>
#include <chrono>

namespace transfold::runtime::inline tasks {

namespace {

/// Seconds by a clock that is never set back.
double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace

ChatModel::ChatModel(Session &session, std::optional<int64_t> context)
    : generator(session), prompts(session.program()),
      steps(makeStepsOfPrompts(generator,
                               context.value_or(generator.usualPositions()),
                               "does not chat")),
      sequence(generator.begin({})), ends(generator.ends({})) {
  prompts.addEnd(ends);
}

/// Resets the sequence to the prefix that it shares with the prompt; at least
/// the prompt's last token is run again, whose logits are needed. Returns the
/// number of tokens kept.
size_t ChatModel::goBack(const std::vector<int32_t> &prompt) {
  // The token generated last has not been run, and an answer that was cancelled
  // or failed has computed only a part of its prompt, or tokens after it that
  // are not known here.
  const auto length = static_cast<size_t>(steps.length(sequence));
  computed.resize(std::min(computed.size(), length));
  size_t same = reusableTokens(computed, prompt);
  return static_cast<size_t>(
      steps.goBack(sequence, static_cast<int64_t>(same)));
}

ChatModel::Answer
ChatModel::answer(const std::vector<int32_t> &prompt, GenerationOptions options,
                  const std::vector<std::string> &stops,
                  const TextStream::Show &show,
                  const std::function<bool(int32_t)> &onToken) {
  if (prompt.empty())
    fail("the chat template makes an empty text of this conversation");
  Answer answer;
  answer.reused = goBack(prompt);
  computed = prompt; // also if it fails, as far as it was run
  answer.computed = prompt.size() - answer.reused;
  int64_t left = room() - static_cast<int64_t>(prompt.size());
  options.most = std::min(options.most ? options.most : usualMost, left);
  if (options.ends.empty())
    options.ends = ends;
  TextStream stream(
      [&](std::span<const int32_t> ids) {
        return prompts.tokens().decode(ids);
      },
      stops,
      [&](std::string_view text) {
        answer.text += text;
        show(text);
      });
  auto start = std::chrono::steady_clock::now();
  auto told = [&](int32_t token) {
    if (answer.made++ == 0) {
      answer.promptSeconds = secondsSince(start);
      start = std::chrono::steady_clock::now();
    }
    return !onToken || onToken(token);
  };
  answer.completion =
      goOn(generator, steps, sequence, prompt, options, {&stream, told});
  answer.answerSeconds = secondsSince(start);
  computed.insert(computed.end(), answer.completion.tokens.begin(),
                  answer.completion.tokens.end());
  return answer;
}

std::string ChatModel::whyCut(const Answer &answer) const {
  auto tokens =
      static_cast<int64_t>(answer.reused + answer.computed + answer.made);
  if (tokens >= room())
    return fmt::format("cut: the conversation and its answer have filled the "
                       "context of {} tokens",
                       room());
  return fmt::format("cut: the answer has reached its limit of {} tokens; "
                     "--max-tokens allows more",
                     answer.made);
}

} // namespace transfold::runtime::inline tasks
