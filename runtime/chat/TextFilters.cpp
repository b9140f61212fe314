// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that make texts.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// What filters of texts make of their value first.
Text subject(Machine &machine, const Bound &given) {
  return asText(given[0], machine.budget);
}

Value upper(Machine &machine, const Bound &given) {
  return inCase(subject(machine, given), Case::Upper);
}
Value lower(Machine &machine, const Bound &given) {
  return inCase(subject(machine, given), Case::Lower);
}
Value capitalize(Machine &machine, const Bound &given) {
  return inCase(subject(machine, given), Case::Capital);
}

/// Words begin behind white space and - ( { [ <.
Value title(Machine &machine, const Bound &given) {
  Text text = subject(machine, given), result;
  size_t begin = 0;
  bool wasBorder = false;
  auto flush = [&](size_t end) {
    result.append(inCase(text.substr(begin, end - begin), Case::Capital));
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

Value trim(Machine &machine, const Bound &given) {
  return stripped(subject(machine, given), given.has(1) ? &given[1] : nullptr,
                  true, true);
}

Value replace(Machine &machine, const Bound &given) {
  return replaced(subject(machine, given), asText(given[1], machine.budget),
                  asText(given[2], machine.budget), given.integer(3, -1),
                  machine.budget);
}

Value toString(Machine &machine, const Bound &given) {
  return subject(machine, given);
}

Value escape(Machine &machine, const Bound &given) {
  Text text = subject(machine, given), result;
  for (size_t i = 0; i < text.size(); ++i) {
    Text part = text.substr(i, 1);
    std::string_view entity = part.bytes == "&"    ? "&amp;"
                              : part.bytes == "<"  ? "&lt;"
                              : part.bytes == ">"  ? "&gt;"
                              : part.bytes == "\"" ? "&#34;"
                              : part.bytes == "'"  ? "&#39;"
                                                   : "";
    result.append(entity.empty() ? part : Text(entity, part.origin()));
  }
  machine.budget.make(result.size());
  return result;
}

/// Lines, each with its end; as splitlines() counts them, but for ends that
/// are rare.
std::vector<Text> linesOf(const Text &text) {
  std::vector<Text> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.bytes.find('\n', begin);
    end = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

Value indent(Machine &machine, const Bound &given) {
  Text by = given.has(1) && given[1].text()
                ? *given[1].text()
                : Text(std::string(static_cast<size_t>(std::clamp<int64_t>(
                                       given.integer(1, 4), 0, 1000)),
                                   ' '));
  bool first = given.isTrue(2, false), blank = given.isTrue(3, false);
  Text result;
  bool isFirst = true;
  for (const Text &line : linesOf(subject(machine, given))) {
    bool isBlank = line.bytes == "\n";
    if (isFirst ? first : blank || !isBlank)
      result.append(by);
    result.append(line);
    isFirst = false;
  }
  machine.budget.make(result.size());
  return result;
}

Value tojson(Machine &machine, const Bound &given) {
  JsonStyle style;
  style.onlyAscii = given.isTrue(1, false);
  if (given.has(2) && !given[2].isNone()) {
    const Text *text = given[2].text();
    style.indent = text ? text->bytes
                        : std::string(static_cast<size_t>(std::clamp<int64_t>(
                                          given.integer(2, 0), 0, 100)),
                                      ' ');
    style.comma = ",";
  }
  if (given.has(3) && !given[3].isNone()) {
    const List *pair = given[3].list();
    if (!pair || pair->items.size() != 2)
      fail("'separators' are two strings");
    style.comma = needText(pair->items[0], "'separators'").bytes;
    style.colon = needText(pair->items[1], "'separators'").bytes;
  }
  style.sortKeys = given.isTrue(4, false);
  return asJson(given[0], style, machine.budget);
}

Value format(Machine &machine, const Bound &given) {
  return formatted(subject(machine, given), given.rest.positional,
                   machine.budget);
}

Value wordcount(Machine &machine, const Bound &given) {
  Text text = subject(machine, given);
  int64_t words = 0;
  bool inWord = false;
  for (size_t at = 0; at < text.size();) {
    bool isSpace = isPythonSpace(nextCodePoint(text.bytes, at));
    words += !isSpace && !inWord;
    inWord = !isSpace;
  }
  return words;
}

constexpr Builtin table[] = {
    {"capitalize", "value", capitalize},
    {"e", "value", escape},
    {"escape", "value", escape},
    {"format", "value *", format},
    {"indent", "value width? first? blank?", indent},
    {"lower", "value", lower},
    {"replace", "value old new count?", replace},
    {"safe", "value", toString},
    {"string", "value", toString},
    {"title", "value", title},
    {"tojson", "value ensure_ascii? indent? separators? sort_keys?", tojson},
    {"trim", "value chars?", trim},
    {"upper", "value", upper},
    {"wordcount", "value", wordcount},
};

} // namespace

constinit const std::span<const Builtin> textFilters = table;

} // namespace transfold::runtime::chat
