// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model reads of a conversation: its template and its tokenizer.

#ifndef TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATPROMPTS_H
#define TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATPROMPTS_H

#include "runtime/chat/Render.h"
#include "runtime/steps/Cancellation.h"
#include "runtime/steps/Generator.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <vector>

namespace transfold::runtime {

/// For any number of threads.
class ChatPrompts {
public:
  /// Throws Error where the program cannot converse.
  explicit ChatPrompts(const LoadedProgram &program);

  const Tokenizer &tokens() const { return tokenizer; }
  /// As the function of that name. Throws Error.
  void checkVariables(const nlohmann::ordered_json &variables) const {
    chat::checkVariables(program, variables);
  }
  /// The text that the model reads. Throws Error, also where the template
  /// refuses the conversation, and Cancelled.
  chat::Text text(const chat::Conversation &conversation,
                  const IsCancelled &isCancelled = {}) const;
  /// Its tokens. A control token of the model, such as <|im_end|>, is one where
  /// the template wrote all of it; where a message did, it is plain text.
  /// Throws Error where the model, which reads `known` tokens, lacks one.
  std::vector<int32_t> ids(const chat::Text &prompt, int64_t known,
                           const TokenizerEffort &effort = {}) const;
  /// Adds the token that the template calls the end of a turn.
  void addEnd(std::vector<int32_t> &ends) const;

private:
  chat::TemplateProgram program;
  Tokenizer tokenizer;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_GENERATE_CHATPROMPTS_H
