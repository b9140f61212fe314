// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts conversations to prompts: the model's template and its tokenizer.

#pragma once

#include "runtime/chat/CallSyntax.h"
#include "runtime/chat/Render.h"
#include "runtime/chat/ThoughtSyntax.h"
#include "runtime/steps/Cancellation.h"
#include "runtime/steps/Generator.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <memory>
#include <mutex>
#include <vector>

namespace transfold::runtime::inline tasks {

/// May be used by any number of threads.
class ChatPrompts {
public:
  /// Throws Error if the program cannot chat.
  explicit ChatPrompts(const LoadedProgram &program);

  const Tokenizer &tokens() const { return tokenizer; }
  /// Checks the variables of a template (chat::checkVariables). Throws Error.
  void checkVariables(const nlohmann::ordered_json &variables) const {
    chat::checkVariables(program, variables);
  }
  /// The prompt of a conversation as text. Throws Error, also if the template
  /// refuses the conversation, and Cancelled.
  chat::Text text(const chat::Conversation &conversation,
                  const IsCancelled &isCancelled = {}) const;
  /// The tokens of a prompt. A control token of the model, such as <|im_end|>,
  /// is recognized only where the template wrote all of it; in a message it is
  /// plain text. Throws Error if the model, which reads the ids below `known`,
  /// does not have a token.
  std::vector<int32_t> ids(const chat::Text &prompt, int64_t known,
                           const TokenizerEffort &effort = {}) const;
  /// Adds the token that ends a turn in the template.
  void addEnd(std::vector<int32_t> &ends) const;
  /// How the model writes calls of functions; found when it is first needed.
  /// Throws Error if the template does not say it (chat::findCallSyntax).
  std::shared_ptr<const chat::CallSyntax> callSyntax() const;
  /// How the model writes thoughts; null if it does not (chat::ThoughtSyntax).
  std::shared_ptr<const chat::ThoughtSyntax> thoughtSyntax() const;
  /// The special tokens in the marks of calls and thoughts.
  std::vector<int32_t> tokensOfCalls(const chat::CallSyntax &syntax) const;
  std::vector<int32_t>
  tokensOfThoughts(const chat::ThoughtSyntax &syntax) const;

private:
  /// The model's template in compiled form.
  chat::TemplateProgram program;
  Tokenizer tokenizer;
  // Guarded by the mutex: what was found, or why there is nothing to find.
  mutable std::mutex syntaxMutex;
  mutable std::shared_ptr<const chat::CallSyntax> syntax;
  mutable std::string whyNoSyntax;
  mutable std::shared_ptr<const chat::ThoughtSyntax> thoughts;
  mutable bool areThoughtsKnown = false;

  std::vector<int32_t> specialTokensIn(const std::string &text) const;
};

} // namespace transfold::runtime::inline tasks
