// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/ThoughtSyntax.h"

#include "base/Error.h"
#include "runtime/chat/CallProbes.h"
#include "runtime/chat/CallSyntax.h"

#include <algorithm>

namespace transfold::runtime::chat {

using nlohmann::ordered_json;

// It does not occur in a template by chance.
static constexpr std::string_view thoughtProbe = "ZQX thought";

bool ThoughtSyntax::isBegunBy(std::string_view prompt) const {
  return withoutSpaceAround(prompt).ends_with(before);
}

std::optional<ThoughtSyntax> findThoughtSyntax(const TemplateProgram &program,
                                               std::tm time) try {
  const ordered_json plain = {{"role", "assistant"}, {"content", plainAnswer}};
  ordered_json thinking = plain;
  thinking["reasoning_content"] = thoughtProbe;
  const std::string prompt = renderedProbe(program, time, nullptr),
                    text = renderedProbe(program, time, thinking);
  // The turn's beginning is what the prompt has in common with both answers:
  // the prompt may begin a thought, too.
  const size_t turn =
      std::min(commonBeginning(text, prompt),
               commonBeginning(renderedProbe(program, time, plain), prompt));
  const std::string_view view = text;
  const size_t thought = view.find(thoughtProbe, turn);
  if (thought == view.npos)
    return std::nullopt;
  const size_t end = thought + thoughtProbe.size(),
               answer = view.find(plainAnswer, end);
  if (answer == view.npos)
    return std::nullopt;
  ThoughtSyntax result{
      std::string(withoutSpaceAround(view.substr(turn, thought - turn))),
      std::string(withoutSpaceAround(view.substr(end, answer - end)))};
  return result.before.empty() || result.after.empty()
             ? std::nullopt
             : std::optional(std::move(result));
} catch (const Error &) { // the template refuses such conversations
  return std::nullopt;
}

} // namespace transfold::runtime::chat
