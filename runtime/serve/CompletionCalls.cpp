// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of functions and thoughts add to a completion: the form of the
// messages, the grammar of the answer, and what reads the answer.

#include "base/Error.h"
#include "runtime/serve/Completions.h"
#include "runtime/serve/api/CallMessages.h"
#include "runtime/serve/calls/CallGrammar.h"

#include <algorithm>

namespace transfold::runtime::serve {

/// How the model writes calls, if the request has functions. Throws ApiError.
static std::shared_ptr<const chat::CallSyntax>
prepareCalls(const ChatPrompts &chat, CompletionRequest &request) {
  auto &messages = request.conversation.messages;
  const bool hasCalls = std::ranges::any_of(messages, [](const auto &message) {
    return message.contains("tool_calls");
  });
  if (!request.tools.areGiven() && !hasCalls)
    return nullptr;
  try {
    auto syntax = chat.callSyntax();
    if (syntax->argumentsAreText)
      writeArgumentsAsText(messages);
    return request.tools.areGiven() ? syntax : nullptr;
  } catch (const Error &error) {
    // Messages may have calls in a form that answers cannot have.
    if (!request.tools.areGiven())
      return nullptr;
    throw badRequest(fmt::format("'tools': {}.", error.what()), "tools");
  }
}

Completions::Forms Completions::prepareForms(CompletionRequest &request) const {
  using Choice = AskedTools::Choice;
  Forms forms;
  if (!request.isChat)
    return forms;
  forms.calls = prepareCalls(*chat, request);
  const Choice choice = request.tools.choice;
  if (choice != Choice::None)
    forms.read.calls = forms.calls;
  // What follows a constraint, or consists of calls, has no thoughts; log
  // probabilities are those of the whole text.
  const bool isOnlyCalls =
      forms.calls && choice == Choice::Required && !forms.calls->followsText;
  if (!request.constraint && !request.isScored && !isOnlyCalls)
    forms.read.thoughts = chat->thoughtSyntax();
  return forms;
}

void Completions::constrain(const CompletionRequest &request,
                            const Forms &forms, CompletionJob &job) {
  const auto count = static_cast<size_t>(generator.vocabulary());
  auto follow = [&](std::shared_ptr<const Grammar> grammar,
                    std::shared_ptr<const TokenIndex> index) {
    job.sampling.constraint = std::make_shared<const TextConstraint>(
        TextConstraint{std::move(grammar), std::move(index), job.ends});
  };
  if (request.constraint)
    return follow(request.constraint, tokenIndex.get(tokenizer, count));
  if (forms.read.thoughts)
    job.shown = chat->tokensOfThoughts(*forms.read.thoughts);
  if (!forms.calls)
    return;
  const bool canCall = forms.read.calls != nullptr;
  if (!canCall && request.ignoreEnd) // a text with a constraint can end
    return;
  std::shared_ptr<const Grammar> grammar;
  try {
    grammar = callGrammar(*forms.calls, request.tools);
  } catch (const Error &error) {
    throw badRequest(fmt::format("'tools': {}.", error.what()), "tools");
  }
  // The same tokens for all requests.
  std::vector<int32_t> special = chat->tokensOfCalls(*forms.calls);
  if (auto thoughts = chat->thoughtSyntax())
    for (int32_t token : chat->tokensOfThoughts(*thoughts))
      if (std::ranges::find(special, token) == special.end())
        special.push_back(token);
  job.shown = special;
  follow(std::move(grammar),
         special.empty() ? tokenIndex.get(tokenizer, count)
                         : callTokenIndex.get(tokenizer, count, special));
}

std::vector<AnswerReader>
Completions::readersOf(const Forms &forms,
                       std::span<const CompletionJob> jobs) {
  std::vector<AnswerReader> readers;
  if (forms.read.areEmpty())
    return readers;
  const bool areShort = forms.calls && forms.calls->hasShortIds;
  for (const CompletionJob &job : jobs)
    readers.emplace_back(
        forms.read, CallIds(seedOfIds(job.sampling.seed, job.prompt), areShort),
        job.isThinking);
  return readers;
}

} // namespace transfold::runtime::serve
