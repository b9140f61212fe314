// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares renderings of probes.

#include "runtime/chat/CallSyntax.h"

#include "base/Error.h"
#include "runtime/chat/CallProbes.h"
#include "runtime/chat/JsonExtent.h"

#include <algorithm>
#include <optional>

namespace transfold::runtime::chat {

namespace {

/// The value of the JSON at the beginning of a text, if it is a list or an
/// object. A template may write members in any order, and only nlohmann::json
/// compares objects regardless of it, unlike the runtime's ordered_json.
std::optional<nlohmann::json> valueAt(std::string_view text) {
  const size_t length = JsonExtent::lengthOf(text);
  auto value =
      nlohmann::json::parse(text.substr(0, length), nullptr, false, false);
  return length == 0 || value.is_discarded() ? std::nullopt
                                             : std::optional(std::move(value));
}

/// Removes the id of a call, as a member of an object after the arguments: the
/// server makes the ids, and a model need not.
std::string withoutId(std::string text, std::string_view id) {
  const size_t at = text.find(id);
  if (at == text.npos)
    return text;
  const size_t comma = text.find_first_not_of(spaceAroundCalls),
               end = at + id.size() + 1; // after the quote
  std::optional<nlohmann::json> member;
  if (text[comma] == ',' && end <= text.size())
    member = valueAt("{" + text.substr(comma + 1, end - comma - 1) + "}");
  if (!member || member->size() != 1)
    fail("it writes the id of a call, and not as a member of an object after "
         "the arguments");
  return text.substr(0, comma) + text.substr(end);
}

/// A call that was found in a rendering.
struct Place {
  size_t name, nameEnd, arguments, argumentsEnd;
};

/// Finds a call at or after `from`. Throws Error.
Place findCall(std::string_view text, const CallProbe &probe, size_t from) {
  Place place{};
  place.name = text.find(probe.name, from);
  if (place.name == text.npos)
    fail("it does not write the name of a function that is called");
  place.nameEnd = place.name + std::string_view(probe.name).size();
  const nlohmann::json wanted = probe.arguments;
  for (size_t at = text.find('{', place.nameEnd); at != text.npos;
       at = text.find('{', at + 1))
    if (valueAt(text.substr(at)) == wanted) {
      place.arguments = at;
      place.argumentsEnd = at + JsonExtent::lengthOf(text.substr(at));
      return place;
    }
  fail("it does not write the arguments of a call as JSON after its name");
}

/// Compares the renderings for one form of arguments and ids.
class Comparison {
public:
  /// Throws Error if the template does not write one call in a form that is
  /// supported.
  Comparison(const CallRenderer &render, const std::string &prompt)
      : render(render), prompt(prompt), one(render.withCalls(1)),
        plain(render.withText()), start(startOfAnswer()) {
    const CallProbe &probe = callProbes()[0];
    call = findCall(one, probe, start);
    if (one.find(probe.name, call.nameEnd) != one.npos)
      fail("it writes the name of a function twice in a call");
    begin = std::string_view(one).substr(start, call.name - start);
    middle = std::string_view(one).substr(call.nameEnd,
                                          call.arguments - call.nameEnd);
    if ((begin + middle).find(render.idOf(probe)) != one.npos)
      fail("it writes the id of a call before the arguments");
    if (withoutLeadingSpace(begin).empty() || middle.empty() ||
        isOfFunctionName(middle[0]))
      fail("it writes nothing that separates the name from what is around it");
    end = endOf(one, call.argumentsEnd, probe);
  }

  CallSyntax syntax() {
    CallSyntax result;
    result.argumentsAreText = render.argumentsAreText;
    result.hasShortIds = render.hasShortIds;
    result.before = withoutLeadingSpace(begin);
    const size_t text = begin.size() - result.before.size();
    result.space = begin.substr(0, text);
    result.middle = middle;
    result.after = end;
    result.mark = markOf(start + text);
    result.followsText = !one.starts_with(prompt);
    if (result.followsText && result.mark == 0)
      fail("its prompts begin a thought, and nothing marks where calls begin");
    findSeveral(result);
    return result;
  }

private:
  const CallRenderer &render;
  const std::string &prompt;
  const std::string one, plain; // answers with a call, and with a text
  const size_t start;           // of the answer in `one`
  Place call{};
  std::string begin, middle, end;

  /// Where the answer begins that a model generates: after the prompt, and
  /// after what a text has in common with a call, such as an empty thought.
  size_t startOfAnswer() const {
    const size_t common = commonBeginning(one, plain);
    if (one.starts_with(prompt)) {
      const bool isSpace =
          common > prompt.size() &&
          withoutLeadingSpace(std::string_view(one).substr(
                                  prompt.size(), common - prompt.size()))
              .empty();
      return isSpace ? prompt.size() : std::max(common, prompt.size());
    }
    if (!prompt.starts_with(std::string_view(one).substr(0, common)))
      fail("an answer that it renders does not begin where the prompt ends");
    return common;
  }

  /// The text after the arguments of the last call, without the end of the
  /// turn, which is also that of a text.
  std::string endOf(std::string_view text, size_t from,
                    const CallProbe &probe) const {
    std::string rest =
        withoutId(std::string(text.substr(from)), render.idOf(probe));
    const size_t answer = plain.rfind(plainAnswer);
    if (answer == plain.npos)
      fail("it does not write the text of an answer");
    std::string_view turnEnd = plain;
    turnEnd.remove_prefix(answer + plainAnswer.size());
    if (!rest.ends_with(turnEnd)) // as "text </s>" beside "call</s>"
      turnEnd = withoutLeadingSpace(turnEnd);
    if (rest.ends_with(turnEnd))
      rest.resize(rest.size() - turnEnd.size());
    return rest;
  }

  /// The size of the text in front of the JSON of the first call, which begins
  /// at `from`; 0 if the call is nothing but JSON.
  size_t markOf(size_t from) const {
    constexpr size_t leastMark = 3;
    size_t json = from;
    for (; json < call.name; ++json)
      if (json + JsonExtent::lengthOf(std::string_view(one).substr(json)) >=
              call.argumentsEnd &&
          valueAt(std::string_view(one).substr(json)))
        break;
    const std::string_view mark =
        withoutSpaceAround(std::string_view(one).substr(from, json - from));
    return mark.size() < leastMark ? 0 : mark.size();
  }

  /// Finds what is between two calls, if an answer may have two.
  void findSeveral(CallSyntax &syntax) const {
    try {
      const std::string two = render.withCalls(2);
      const std::string_view text = two;
      const CallProbe &first = callProbes()[0], &other = callProbes()[1];
      const Place a = findCall(text, first, start);
      const Place b = findCall(text, other, a.argumentsEnd);
      const std::string between = withoutId(
          std::string(text.substr(a.argumentsEnd, b.name - a.argumentsEnd)),
          render.idOf(first));
      auto middleOf = [&](const Place &place) {
        return text.substr(place.nameEnd, place.arguments - place.nameEnd);
      };
      syntax.hasSeveral = text.substr(start, a.name - start) == begin &&
                          middleOf(a) == middle && middleOf(b) == middle &&
                          !between.empty() &&
                          between.find(render.idOf(other)) == between.npos &&
                          endOf(text, b.argumentsEnd, other) == end;
      if (syntax.hasSeveral)
        syntax.between = between;
    } catch (const Error &) { // the template refuses two calls
      syntax.hasSeveral = false;
    }
  }
};

} // namespace

std::string_view withoutLeadingSpace(std::string_view text) {
  return text.substr(
      std::min(text.find_first_not_of(spaceAroundCalls), text.size()));
}

std::string_view withoutTrailingSpace(std::string_view text) {
  // npos + 1 is 0.
  return text.substr(0, text.find_last_not_of(spaceAroundCalls) + 1);
}

std::string_view withoutSpaceAround(std::string_view text) {
  return withoutTrailingSpace(withoutLeadingSpace(text));
}

bool isOfFunctionName(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

CallSyntax findCallSyntax(const TemplateProgram &program, std::tm time) {
  CallRenderer render{program, time};
  const std::string prompt = render.prompt();
  if (prompt.find(callProbes()[0].name) == prompt.npos)
    fail("the chat template of this model does not show functions to the "
         "model");
  std::string why;
  for (const bool argumentsAreText : {false, true})
    for (const bool hasShortIds : {false, true})
      try {
        render.argumentsAreText = argumentsAreText;
        render.hasShortIds = hasShortIds;
        return Comparison(render, prompt).syntax();
      } catch (const Error &error) {
        if (why.empty())
          why = error.what();
      }
  fail("calls of functions are not supported with the chat template of this "
       "model: {}",
       why);
}

} // namespace transfold::runtime::chat
