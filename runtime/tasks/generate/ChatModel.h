// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model that answers: its template, its tokenizer, and the caches of one
// sequence, so that a new turn computes only its own tokens.

#ifndef TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATMODEL_H
#define TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATMODEL_H

#include "runtime/program/call/Session.h"
#include "runtime/steps/Generator.h"
#include "runtime/tasks/generate/ChatPrompts.h"
#include "runtime/tasks/generate/Completion.h"

#include <optional>

namespace transfold::runtime {

class ChatModel {
public:
  /// With room for `context` tokens, or, without, as many as the model was made
  /// for; for fewer where the system has no memory for that. Throws Error where
  /// the program cannot converse.
  ChatModel(Session &session, std::optional<int64_t> context);

  /// The text that the model reads. Throws Error, also where the template
  /// refuses the conversation, and Cancelled.
  chat::Text prompt(const chat::Conversation &conversation,
                    const IsCancelled &isCancelled = {}) const {
    return prompts.text(conversation, isCancelled);
  }
  /// Its tokens (ChatPrompts.h).
  std::vector<int32_t> tokens(const chat::Text &prompt) const {
    return prompts.ids(prompt, generator.knownTokens());
  }

  const Generator &makesTokens() const { return generator; }
  /// How many tokens a conversation can have, with its answer.
  int64_t room() const { return steps.capacity(); }
  /// As the function of that name.
  std::string whyFewer() const { return runtime::whyFewer(steps); }
  /// Tokens of an answer that nobody bounds: some models never end theirs, and
  /// many have room for millions.
  static constexpr int64_t usualMost = 8192;

  struct Answer {
    std::string text;
    Completion completion;
    size_t reused = 0, computed = 0, made = 0; // tokens
    double promptSeconds = 0, answerSeconds = 0;
  };
  /// What the model says to a prompt; `show` gets it piece by piece. Begins
  /// where the prompt and what was computed before differ. With `most` 0 in the
  /// options, the answer has `usualMost` tokens at most; it also ends where
  /// there is no more room. `onToken` as for a Listener. Throws Error.
  Answer answer(const std::vector<int32_t> &prompt, GenerationOptions options,
                const std::vector<std::string> &stops,
                const TextStream::Show &show,
                const std::function<bool(int32_t)> &onToken = {});
  /// Why an answer ended that no token and no text did.
  std::string whyCut(const Answer &answer) const;

private:
  Generator generator;
  ChatPrompts prompts;
  Steps &steps;
  size_t sequence;
  std::vector<int32_t> computed; // those in the caches come first
  std::vector<int32_t> ends;     // tokens that end an answer

  size_t goBack(const std::vector<int32_t> &prompt);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATMODEL_H
