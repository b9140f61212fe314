// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that return texts.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Builtin.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// Filters of texts first convert their value to text.
Text subject(const Bound &given) { return asText(given[0]); }

template <Case form> Value cased(Machine &, const Bound &given) {
  return inCase(subject(given), form);
}

/// Words begin after white space and - ( { [ <.
Value title(Machine &, const Bound &given) {
  Text text = subject(given), result;
  work(text.size(), priceOfCharacters);
  size_t begin = 0;
  bool wasBorder = false;
  auto flush = [&](size_t end) {
    if (begin == end)
      return;
    size_t first = begin;
    nextCodePoint(text.bytes, first);
    result.append(inCase(text.substr(begin, first - begin), Case::Upper));
    result.append(inCase(text.substr(first, end - first), Case::Lower));
    begin = end;
  };
  for (size_t at = 0; at < text.size();) {
    size_t next = at;
    char32_t code = nextCodePoint(text.bytes, next);
    bool isBorder = isPythonSpace(code) || code == '-' || code == '(' ||
                    code == '{' || code == '[' || code == '<';
    if (isBorder != wasBorder)
      flush(at);
    wasBorder = isBorder;
    at = next;
  }
  flush(text.size());
  return result;
}

Value trim(Machine &, const Bound &given) {
  return stripped(subject(given), given.has(1) ? &given[1] : nullptr, true,
                  true);
}

Value replace(Machine &, const Bound &given) {
  return replaced(subject(given), asText(given[1]), asText(given[2]),
                  given.integer(3, -1));
}

Value toString(Machine &, const Bound &given) { return subject(given); }

/// Escapes text for HTML with the entities of MarkupSafe, which jinja2 uses.
Value escape(Machine &, const Bound &given) {
  Text text = subject(given), result;
  work(text.size(), priceOfCharacters);
  size_t begin = 0;
  for (size_t at = 0;
       (at = text.view().find_first_of("&<>\"'", begin)) != std::string::npos;
       begin = at + 1) {
    result.append(text, begin, at);
    char sign = text.bytes[at];
    result.append(sign == '&'   ? "&amp;"
                  : sign == '<' ? "&lt;"
                  : sign == '>' ? "&gt;"
                  : sign == '"' ? "&#34;"
                                : "&#39;",
                  text.originAt(at));
  }
  result.append(text, begin, text.size());
  return result;
}

/// That number of spaces, none if it is negative. Throws Error if there are too
/// many.
std::string spaces(int64_t count) {
  constexpr int64_t most = 100'000;
  if (count > most)
    fail("an indentation has more than {} spaces", most);
  return std::string(static_cast<size_t>(std::max<int64_t>(count, 0)), ' ');
}

/// All line breaks become \n.
Value indent(Machine &, const Bound &given) {
  Text text = needText(given[0], "'indent'");
  Text by = given.has(1) && given[1].text() ? *given[1].text()
                                            : Text(spaces(given.integer(1, 4)));
  bool first = given.isTrue(2, false), blank = given.isTrue(3, false);
  // Otherwise a line break at the end would be lost.
  text.append("\n", Origin::Template);
  Text result;
  bool isFirst = true;
  for (const Value &line : linesOf(text, false)) {
    if (!isFirst)
      result.append("\n", Origin::Template);
    if (isFirst ? first : blank || !line.text()->empty())
      result.append(by);
    result.append(*line.text());
    isFirst = false;
  }
  return result;
}

/// The filter as transformers defines it: json.dumps with its parameters,
/// without escaping for HTML.
Value tojson(Machine &, const Bound &given) {
  JsonStyle style;
  style.onlyAscii = given.isTrue(1, false);
  if (given.has(2) && !given[2].isNone()) {
    const Text *text = given[2].text();
    style.indent =
        text ? std::string(text->view()) : spaces(given.integer(2, 0));
    style.comma = ",";
  }
  if (given.has(3) && !given[3].isNone()) {
    const List *pair = given[3].list();
    if (!pair || pair->items.size() != 2)
      fail("'separators' must be two strings");
    style.comma = needText(pair->items[0], "'separators'").view();
    style.colon = needText(pair->items[1], "'separators'").view();
  }
  style.sortKeys = given.isTrue(4, false);
  return asJson(given[0], style);
}

/// The operator % with the positional or the named arguments.
Value format(Machine &, const Bound &given) {
  const Given &rest = given.rest;
  if (!rest.named.empty() && !rest.positional.empty())
    fail("'format' takes values or names, not both");
  if (rest.named.empty())
    return formatted(subject(given), Value::tuple(rest.positional));
  Dict names;
  for (const auto &[name, value] : rest.named)
    names.set(Value::text(name), value);
  return formatted(subject(given), Value::dict(std::move(names)));
}

/// Counts runs of letters, numbers and underscores.
Value wordcount(Machine &, const Bound &given) {
  Text text = subject(given);
  work(text.size(), priceOfCharacters);
  int64_t words = 0;
  bool wasInWord = false;
  for (size_t at = 0; at < text.size();) {
    char32_t code = nextCodePoint(text.bytes, at);
    bool isInWord = isLetterOrNumber(code) || code == '_';
    words += isInWord && !wasInWord;
    wasInWord = isInWord;
  }
  return words;
}

Value center(Machine &, const Bound &given) {
  Text text = subject(given);
  int64_t width = given.integer(1, 80),
          both =
              std::max<int64_t>(width - static_cast<int64_t>(text.length()), 0),
          before = both / 2 + (both & width & 1);
  Text result{spaces(before)};
  result.append(text);
  result.append(spaces(both - before), Origin::Template);
  return result;
}

/// Texts longer than `length` + `leeway` are truncated at a word boundary and
/// end with `end`.
Value truncate(Machine &, const Bound &given) {
  int64_t length = given.integer(1, 255), leeway = given.integer(4, 5);
  Text end = given.has(3) ? asText(given[3]) : Text("...");
  auto endLength = static_cast<int64_t>(end.length());
  if (length < endLength || leeway < 0)
    fail("'truncate' needs a length that its end fits in, and a leeway");
  auto has = static_cast<int64_t>(lengthOf(given[0]));
  if (has <= length || has - length <= leeway)
    return given[0];
  const Text &text = needText(given[0], "'truncate'");
  Text kept =
      text.substr(0, text.placeOf(static_cast<size_t>(length - endLength)));
  if (!given.isTrue(2, false))
    if (size_t space = kept.bytes.rfind(' '); space != std::string::npos)
      kept = kept.substr(0, space);
  kept.append(end);
  return kept;
}

constexpr Builtin table[] = {
    {"capitalize", "value", cased<Case::Capital>},
    {"center", "value width?", center},
    {"e", "value", escape},
    {"escape", "value", escape},
    {"forceescape", "value", escape},
    {"format", "value *", format},
    {"indent", "s width? first? blank?", indent},
    {"lower", "s", cased<Case::Lower>},
    {"replace", "s old new count?", replace},
    {"safe", "value", toString},
    {"string", "object", toString},
    {"title", "s", title},
    {"tojson", "x ensure_ascii? indent? separators? sort_keys?", tojson},
    {"trim", "value chars?", trim},
    {"truncate", "s length? killwords? end? leeway?", truncate},
    {"upper", "s", cased<Case::Upper>},
    {"wordcount", "s", wordcount},
};

} // namespace

constinit const std::span<const Builtin> textFilters = table;

} // namespace transfold::runtime::chat
