// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/ThoughtSyntax.h"

#include "base/Error.h"
#include "runtime/chat/CallSyntax.h"
#include "runtime/chat/Render.h"

#include <algorithm>

namespace transfold::runtime::chat {

using nlohmann::ordered_json;

namespace {

// Neither occurs in a template by chance.
constexpr std::string_view thoughtProbe = "ZQX thought",
                           answerProbe = "ZQX answer";

std::string renderedAnswer(const TemplateProgram &program, std::tm time,
                           const ordered_json &answer) {
  Conversation conversation;
  conversation.messages.push_back({{"role", "user"}, {"content", "zqx"}});
  if (!answer.is_null())
    conversation.messages.push_back(answer);
  conversation.addGenerationPrompt = answer.is_null();
  return std::string(render(program, conversation, time).view());
}

size_t commonSize(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(
      std::min(text.find_first_not_of(spaceAroundCalls), text.size()));
  return text.substr(0, text.find_last_not_of(spaceAroundCalls) + 1);
}

} // namespace

bool ThoughtSyntax::isBegunBy(std::string_view prompt) const {
  return trimmed(prompt).ends_with(before);
}

std::optional<ThoughtSyntax> findThoughtSyntax(const TemplateProgram &program,
                                               std::tm time) try {
  const ordered_json plain = {{"role", "assistant"}, {"content", answerProbe}};
  ordered_json thinking = plain;
  thinking["reasoning_content"] = thoughtProbe;
  const std::string prompt = renderedAnswer(program, time, nullptr),
                    text = renderedAnswer(program, time, thinking);
  // The turn's beginning is what the prompt has in common with both answers:
  // the prompt may begin a thought, too.
  const size_t turn =
      std::min(commonSize(text, prompt),
               commonSize(renderedAnswer(program, time, plain), prompt));
  const std::string_view view = text;
  const size_t thought = view.find(thoughtProbe, turn);
  if (thought == view.npos)
    return std::nullopt;
  const size_t end = thought + thoughtProbe.size(),
               answer = view.find(answerProbe, end);
  if (answer == view.npos)
    return std::nullopt;
  ThoughtSyntax result{std::string(trimmed(view.substr(turn, thought - turn))),
                       std::string(trimmed(view.substr(end, answer - end)))};
  return result.before.empty() || result.after.empty()
             ? std::nullopt
             : std::optional(std::move(result));
} catch (const Error &) { // the template refuses such conversations
  return std::nullopt;
}

} // namespace transfold::runtime::chat
