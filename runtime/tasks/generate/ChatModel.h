// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chat model: its template, its tokenizer, and the caches of one sequence, so
// that a new turn computes only its own tokens.

#pragma once

#include "runtime/program/call/Session.h"
#include "runtime/steps/Generator.h"
#include "runtime/tasks/generate/ChatPrompts.h"
#include "runtime/tasks/generate/Completion.h"

#include <optional>

namespace transfold::runtime::inline tasks {

/// Generates answers, one at a time.
class ChatModel {
public:
  /// Reserves room for `context` tokens, by default the number that the model
  /// was trained for; for fewer if the system does not have enough memory.
  /// Throws Error if the program cannot chat.
  ChatModel(Session &session, std::optional<int64_t> context);

  /// The prompt of a conversation as text. Throws Error, also if the template
  /// refuses the conversation, and Cancelled.
  chat::Text prompt(const chat::Conversation &conversation,
                    const IsCancelled &isCancelled = {}) const {
    return prompts.text(conversation, isCancelled);
  }
  /// The tokens of a prompt (ChatPrompts.h).
  std::vector<int32_t> tokens(const chat::Text &prompt) const {
    return prompts.ids(prompt, generator.knownTokens());
  }

  /// The generator, for its options; sequences are begun by answer() alone.
  const Generator &makesTokens() const { return generator; }
  /// Maximum number of tokens of a conversation, its answer included.
  int64_t room() const { return steps.capacity(); }
  /// Why room() is smaller than requested (Completion.h).
  std::string whyFewer() const { return runtime::whyFewer(steps); }
  /// Default maximum number of tokens of an answer: some models never end
  /// theirs, and many have room for millions.
  static constexpr int64_t usualMost = 8192;

  /// An answer, with numbers of tokens and times.
  struct Answer {
    std::string text;
    Completion completion;
    size_t reused = 0, computed = 0, made = 0; // numbers of tokens
    double promptSeconds = 0, answerSeconds = 0;
  };
  /// Generates the answer to a prompt; `show` receives it piece by piece.
  /// Reuses the common prefix of the prompt and the previous tokens. If `most`
  /// is 0 in the options, the answer has at most `usualMost` tokens; it also
  /// ends if there is no more room. `onToken` as in Listener. Throws Error.
  Answer answer(const std::vector<int32_t> &prompt, GenerationOptions options,
                const std::vector<std::string> &stops,
                const TextStream::Show &show,
                const std::function<bool(int32_t)> &onToken = {});
  /// Why an answer was ended by its length, as a message.
  std::string whyCut(const Answer &answer) const;

private:
  Generator generator;
  ChatPrompts prompts;
  Steps &steps;
  size_t sequence;
  std::vector<int32_t> computed; // prefix: the tokens in the caches
  std::vector<int32_t> ends;     // tokens that end an answer

  size_t goBack(const std::vector<int32_t> &prompt);
};

} // namespace transfold::runtime::inline tasks
