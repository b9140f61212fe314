// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of functions add to a completion: the form of the messages, the
// grammar of the answer, and what reads the answer.

#include "base/Error.h"
#include "runtime/serve/Completions.h"
#include "runtime/serve/api/CallMessages.h"
#include "runtime/serve/calls/CallGrammar.h"

#include <algorithm>

namespace transfold::runtime::serve {

Completions::CallSyntaxPointer
Completions::prepareCalls(CompletionRequest &request) const {
  if (!request.isChat)
    return nullptr;
  auto &messages = request.conversation.messages;
  const bool hasCalls = std::ranges::any_of(messages, [](const auto &message) {
    return message.contains("tool_calls");
  });
  if (!request.tools.areGiven() && !hasCalls)
    return nullptr;
  try {
    CallSyntaxPointer syntax = chat->callSyntax();
    if (syntax->argumentsAreText)
      writeArgumentsAsText(messages);
    return syntax;
  } catch (const Error &error) {
    // Messages may have calls in a form that answers cannot have.
    if (!request.tools.areGiven())
      return nullptr;
    throw badRequest(fmt::format("'tools': {}.", error.what()), "tools");
  }
}

void Completions::constrain(const CompletionRequest &request,
                            const chat::CallSyntax *syntax,
                            CompletionJob &job) {
  const auto count = static_cast<size_t>(generator.vocabulary());
  auto follow = [&](std::shared_ptr<const Grammar> grammar,
                    std::shared_ptr<const TokenIndex> index) {
    job.sampling.constraint = std::make_shared<const TextConstraint>(
        TextConstraint{std::move(grammar), std::move(index), job.ends});
  };
  if (request.constraint)
    return follow(request.constraint, tokenIndex.get(tokenizer, count));
  if (!request.tools.areGiven() || !syntax)
    return;
  const bool canCall = request.tools.choice != AskedTools::Choice::None;
  if (!canCall && request.ignoreEnd) // a text with a constraint can end
    return;
  if (canCall)
    job.shown = chat->tokensOfCalls(*syntax);
  std::shared_ptr<const Grammar> grammar;
  try {
    grammar = callGrammar(*syntax, request.tools);
  } catch (const Error &error) {
    throw badRequest(fmt::format("'tools': {}.", error.what()), "tools");
  }
  follow(std::move(grammar),
         job.shown.empty() ? tokenIndex.get(tokenizer, count)
                           : callTokenIndex.get(tokenizer, count, job.shown));
}

std::vector<CallReader>
Completions::readersOf(const CompletionRequest &request,
                       const CallSyntaxPointer &syntax,
                       std::span<const CompletionJob> jobs) {
  std::vector<CallReader> readers;
  if (!syntax || !request.tools.areGiven() ||
      request.tools.choice == AskedTools::Choice::None)
    return readers;
  for (const CompletionJob &job : jobs)
    readers.emplace_back(
        syntax,
        CallIds(seedOfIds(job.sampling.seed, job.prompt), syntax->hasShortIds));
  return readers;
}

} // namespace transfold::runtime::serve
