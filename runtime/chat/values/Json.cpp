// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as JSON: Python's json.dumps.

#include "runtime/chat/text/Sort.h"
#include "runtime/chat/values/Value.h"

#include <cmath>

namespace transfold::runtime::chat {

namespace {

/// Appends a character that must be escaped in JSON; as a surrogate pair if it
/// is beyond 16 bits.
void addEscaped(CountedString &to, char32_t code) {
  constexpr std::string_view named = "\b\f\n\r\t\"\\", names = "bfnrt\"\\";
  auto number = static_cast<uint32_t>(code);
  if (size_t known =
          code < 0x80 ? named.find(static_cast<char>(code)) : named.npos;
      known != named.npos)
    (to += '\\') += names[known];
  else if (code < 0x10000)
    to += fmt::format("\\u{:04x}", number);
  else
    to += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (number >> 10),
                      0xdc00 + (number & 0x3ff));
}

/// Writes one value. Texts keep their origin, so that strings from messages
/// stay recognizable in the prompt.
class Writer {
public:
  explicit Writer(const JsonStyle &style) : style(style) {}

  Text result;

  void value(const Value &value, unsigned level = 0) {
    step();
    if (const Text *text = value.text())
      return string(*text);
    if (const List *list = value.list();
        list && (list->isTuple() || list->kind == ListKind::List))
      return items('[', ']', list->items.size(), level,
                   [&](size_t i) { this->value(list->items[i], level + 1); });
    if (const Dict *dict = value.dict())
      return entries(*dict, level);
    put(simple(value));
  }

private:
  const JsonStyle &style;

  void put(std::string_view text) { result.append(text, Origin::Template); }

  void string(const Text &text) {
    work(text.size(), priceOfCharacters);
    CountedString written(1, '"');
    for (size_t at = 0, begin; (begin = at) < text.size();) {
      char32_t code = nextCodePoint(text.bytes, at);
      if (code < 0x20 || code == '"' || code == '\\' ||
          (style.onlyAscii && code >= 0x7f))
        addEscaped(written, code);
      else
        written += text.view().substr(begin, at - begin);
    }
    result.append(written += '"', text.origin());
  }

  /// Begins a line at a level, if there is an indentation.
  void newLine(unsigned level) {
    if (!style.indent)
      return;
    put("\n");
    for (unsigned i = 0; i < level; ++i)
      put(*style.indent);
  }

  template <typename Item>
  /// Writes `count` items in brackets, each by item(index).
  void items(char open, char close, size_t count, unsigned level,
             const Item &item) {
    put(std::string_view(&open, 1));
    for (size_t i = 0; i < count; ++i) {
      put(i ? style.comma : "");
      newLine(level + 1);
      item(i);
    }
    if (count)
      newLine(level);
    put(std::string_view(&close, 1));
  }

  /// Writes a dict. Keys that are not strings are written as strings, as in
  /// Python.
  void entries(const Dict &dict, unsigned level) {
    CountedVector<const Dict::Entry *> order;
    for (const auto &entry : dict.entries)
      order.push_back(&entry);
    if (style.sortKeys)
      sortStably(order, [](const auto *a, const auto *b) {
        return isLess(a->first, b->first);
      });
    items('{', '}', order.size(), level, [&](size_t i) {
      const auto &[key, item] = *order[i];
      if (const Text *text = key.text())
        string(*text);
      else if (key.isNone() || key.isNumber())
        put('"' + simple(key) + '"');
      else
        fail("a key of JSON is a string, not {}", typeName(key));
      put(style.colon);
      value(item, level + 1);
    });
  }

  /// A value that is neither a text nor a container. Throws Error if JSON has
  /// no form for it.
  static std::string simple(const Value &value) {
    if (value.isNone())
      return "null";
    if (const bool *known = value.boolean())
      return *known ? "true" : "false";
    if (auto number = value.integer())
      return toString(*number);
    if (const double *number = value.real())
      return std::isnan(*number)   ? "NaN"
             : std::isinf(*number) ? *number < 0 ? "-Infinity" : "Infinity"
                                   : spelled(*number);
    if (value.isUndefined())
      fail("{} is undefined, and cannot be written as JSON",
           value.undefinedName());
    fail("tojson: {} cannot be written as JSON", typeName(value));
  }
};

} // namespace

Text asJson(const Value &value, const JsonStyle &style) {
  Writer writer(style);
  writer.value(value);
  return std::move(writer.result);
}

} // namespace transfold::runtime::chat
