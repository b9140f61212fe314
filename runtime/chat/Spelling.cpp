// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as texts: str, repr and json.dumps of Python.

#include "runtime/Error.h"
#include "runtime/chat/Value.h"
#include "runtime/tokenizer/Unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace transfold::runtime::chat {

std::string spelled(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[64];
  auto [end, problem] = std::to_chars(std::begin(buffer), std::end(buffer),
                                      number, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t mark = text.find('e');
  int exponent = 0;
  std::string_view power = text.substr(mark + 1);
  if (power.starts_with('+'))
    power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (exponent < -4 || exponent >= 16)
    return std::string(text);
  std::string sign = text.starts_with('-') ? "-" : "", digits;
  for (char c : text.substr(0, mark))
    if (c >= '0' && c <= '9')
      digits += c;
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') +
           digits;
  auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole)
    return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

namespace {

bool isPrinted(char32_t code) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  case UTF8PROC_CATEGORY_ZS:
    return code == ' ';
  default:
    return true;
  }
}

/// A string as Python's source has it.
std::string pythonString(std::string_view text) {
  char quote =
      text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string result(1, quote);
  for (size_t at = 0; at < text.size();) {
    char32_t code = nextCodePoint(text, at);
    if (code == static_cast<char32_t>(quote) || code == '\\')
      (result += '\\') += static_cast<char>(code);
    else if (code == '\n')
      result += "\\n";
    else if (code == '\r')
      result += "\\r";
    else if (code == '\t')
      result += "\\t";
    else if (isPrinted(code))
      appendUtf8(result, code);
    else
      result += code < 0x100     ? fmt::format("\\x{:02x}", uint32_t{code})
                : code < 0x10000 ? fmt::format("\\u{:04x}", uint32_t{code})
                                 : fmt::format("\\U{:08x}", uint32_t{code});
  }
  return result + quote;
}

/// Texts that are put together, and count as a message's where one part is.
class Spelling {
public:
  explicit Spelling(Budget &budget) : budget(budget) {}

  void literal(const Value &value) {
    budget.step();
    if (const Text *text = value.text())
      return put(pythonString(text->bytes), text->origin());
    if (const List *list = value.list()) {
      put(list->isTuple ? "(" : "[");
      for (size_t i = 0; i < list->items.size(); ++i) {
        put(i ? ", " : "");
        literal(list->items[i]);
      }
      if (list->isTuple && list->items.size() == 1)
        put(",");
      return put(list->isTuple ? ")" : "]");
    }
    if (const Dict *dict = value.dict()) {
      put("{");
      for (const auto &[key, item] : dict->entries) {
        put(&key == &dict->entries.front().first ? "" : ", ");
        literal(key);
        put(": ");
        literal(item);
      }
      return put("}");
    }
    put(simple(value));
  }

  void put(std::string_view text, Origin origin = Origin::Template) {
    budget.make(text.size());
    result.append(Text(text, origin));
  }
  Text result;

private:
  Budget &budget;

  static std::string simple(const Value &value) {
    if (value.isUndefined())
      return "Undefined";
    if (value.isNone())
      return "None";
    if (const bool *known = value.boolean())
      return *known ? "True" : "False";
    if (auto number = value.integer())
      return std::to_string(*number);
    if (const double *number = value.real())
      return spelled(*number);
    fail("{} has no text that could be printed", typeName(value));
  }
};

class JsonSpelling {
public:
  JsonSpelling(const JsonStyle &style, Budget &budget)
      : style(style), budget(budget) {}

  Text result;

  void value(const Value &value, unsigned level = 0) {
    budget.step();
    if (const Text *text = value.text())
      return put(jsonString(text->bytes), text->origin());
    if (const List *list = value.list())
      return items('[', ']', list->items.size(), level,
                   [&](size_t i) { this->value(list->items[i], level + 1); });
    if (const Dict *dict = value.dict())
      return entries(*dict, level);
    put(simple(value));
  }

private:
  const JsonStyle &style;
  Budget &budget;

  void put(std::string_view text, Origin origin = Origin::Template) {
    budget.make(text.size());
    result.append(Text(text, origin));
  }

  std::string jsonString(std::string_view text) const {
    nlohmann::json json = std::string(text);
    return json.dump(-1, ' ', style.onlyAscii);
  }

  void newLine(unsigned level) {
    if (!style.indent)
      return;
    std::string line = "\n";
    for (unsigned i = 0; i < level; ++i)
      line += *style.indent;
    put(line);
  }

  template <typename Item>
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

  void entries(const Dict &dict, unsigned level) {
    std::vector<const std::pair<Value, Value> *> order;
    auto comesBefore = [&](const auto *a, const auto *b) {
      return isLess(a->first, b->first, budget);
    };
    for (const auto &entry : dict.entries)
      order.insert(style.sortKeys
                       ? std::ranges::upper_bound(order, &entry, comesBefore)
                       : order.end(),
                   &entry);
    items('{', '}', order.size(), level, [&](size_t i) {
      const auto &[key, item] = *order[i];
      if (const Text *text = key.text())
        put(jsonString(text->bytes), text->origin());
      else if (key.isNone() || key.isNumber())
        put(jsonString(simple(key)));
      else
        fail("a key of JSON is a string, not {}", typeName(key));
      put(style.colon);
      value(item, level + 1);
    });
  }

  static std::string simple(const Value &value) {
    if (value.isNone())
      return "null";
    if (const bool *known = value.boolean())
      return *known ? "true" : "false";
    if (auto number = value.integer())
      return std::to_string(*number);
    if (const double *number = value.real())
      return std::isnan(*number)   ? "NaN"
             : std::isinf(*number) ? *number < 0 ? "-Infinity" : "Infinity"
                                   : spelled(*number);
    fail("tojson: {} is nothing that JSON has", typeName(value));
  }
};

} // namespace

Text asLiteral(const Value &value, Budget &budget) {
  Spelling spelling(budget);
  spelling.literal(value);
  return std::move(spelling.result);
}

Text asText(const Value &value, Budget &budget) {
  if (const Text *text = value.text())
    return *text;
  if (value.isUndefined())
    return {};
  return asLiteral(value, budget);
}

Text asJson(const Value &value, const JsonStyle &style, Budget &budget) {
  JsonSpelling spelling(style, budget);
  spelling.value(value);
  return std::move(spelling.result);
}

} // namespace transfold::runtime::chat
