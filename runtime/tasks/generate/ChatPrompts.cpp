// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renders a conversation and tokenizes the result. The template marks which
// bytes come from messages, so that their text cannot imitate control tokens.

#include "runtime/tasks/generate/ChatPrompts.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/tasks/text/TextCall.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::inline tasks {

namespace {

/// The compiled chat template. Throws Error if the program has none, or no
/// tokenizer.
std::string_view templateOf(const LoadedProgram &program) {
  checkTokenizer(program, "`generate --ids` takes ids");
  if (!program.chatTemplate().empty()) {
    program.weights(); // the system reads them while the tokenizer is created
    return program.chatTemplate();
  }
  const std::string &why = program.metadata().noChat;
  fail("this program does not chat: {}; compile the model with --chat-template "
       "FILE, or use `generate`",
       why.empty() ? "it has no chat template" : why);
}

/// The parts of a prompt that come from messages.
std::vector<TextRange> typedRanges(const chat::Text &text) {
  std::vector<TextRange> ranges;
  for (auto [begin, end] : text.partsFrom(chat::Origin::Message))
    ranges.push_back({begin, end});
  return ranges;
}

} // namespace

ChatPrompts::ChatPrompts(const LoadedProgram &program)
    : program(chat::TemplateProgram::read(templateOf(program))),
      tokenizer(program.tokenizerTables()) {}

chat::Text ChatPrompts::text(const chat::Conversation &conversation,
                             const IsCancelled &isCancelled) const {
  chat::Limits limits;
  limits.look = [&] { throwIfCancelled(isCancelled); };
  return chat::render(program, conversation, chat::localTime(), limits);
}

std::vector<int32_t> ChatPrompts::ids(const chat::Text &prompt, int64_t known,
                                      const TokenizerEffort &effort) const {
  std::vector<int32_t> ids;
  for (const Token &token :
       tokenizer.tokenize(prompt.bytes, typedRanges(prompt), effort))
    ids.push_back(token.id);
  checkTokens(ids, known, "the ids of the tokenizer");
  return ids;
}

void ChatPrompts::addEnd(std::vector<int32_t> &ends) const {
  // Names and texts alternate.
  for (size_t i = 0; i + 1 < program.tokens.size(); i += 2)
    if (program.tokens[i] == "eos_token")
      if (auto id = tokenizer.findAdded(program.tokens[i + 1]);
          id && std::ranges::find(ends, *id) == ends.end())
        ends.push_back(*id);
}

std::shared_ptr<const chat::CallSyntax> ChatPrompts::callSyntax() const {
  std::lock_guard lock(syntaxMutex);
  if (!syntax && whyNoSyntax.empty())
    try {
      syntax = std::make_shared<const chat::CallSyntax>(
          chat::findCallSyntax(program, chat::localTime()));
    } catch (const Error &error) {
      whyNoSyntax = error.what();
    }
  if (!syntax)
    throw Error(whyNoSyntax);
  return syntax;
}

std::shared_ptr<const chat::ThoughtSyntax> ChatPrompts::thoughtSyntax() const {
  std::lock_guard lock(syntaxMutex);
  if (!std::exchange(areThoughtsKnown, true))
    if (auto found = chat::findThoughtSyntax(program, chat::localTime()))
      thoughts = std::make_shared<const chat::ThoughtSyntax>(std::move(*found));
  return thoughts;
}

std::vector<int32_t>
ChatPrompts::tokensOfCalls(const chat::CallSyntax &syntax) const {
  return specialTokensIn(syntax.before + "f" + syntax.middle + "{}" +
                         syntax.between + "f" + syntax.middle + "{}" +
                         syntax.after);
}

std::vector<int32_t>
ChatPrompts::tokensOfThoughts(const chat::ThoughtSyntax &syntax) const {
  return specialTokensIn(syntax.before + "f" + syntax.after);
}

std::vector<int32_t>
ChatPrompts::specialTokensIn(const std::string &text) const {
  std::vector<int32_t> ids;
  for (const Token &token : tokenizer.tokenize(text))
    if (tokenizer.isSpecial(token.id) &&
        std::ranges::find(ids, token.id) == ids.end())
      ids.push_back(token.id);
  return ids;
}

} // namespace transfold::runtime::inline tasks
