// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as texts: Python's str and repr.

#include "base/text/Unicode.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Callable.h"

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

/// A character as an escape of a Python literal.
std::string escaped(char32_t code) {
  auto number = static_cast<uint32_t>(code);
  return code < 0x100     ? fmt::format("\\x{:02x}", number)
         : code < 0x10000 ? fmt::format("\\u{:04x}", number)
                          : fmt::format("\\U{:08x}", number);
}

/// A string as a Python literal.
CountedString pythonString(std::string_view text, bool onlyAscii) {
  work(text.size(), priceOfCharacters);
  char quote =
      text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  CountedString result(1, quote);
  for (size_t at = 0, begin; (begin = at) < text.size();) {
    char32_t code = nextCodePoint(text, at);
    if (code == static_cast<char32_t>(quote) || code == '\\')
      (result += '\\') += static_cast<char>(code);
    else if (code == '\n')
      result += "\\n";
    else if (code == '\r')
      result += "\\r";
    else if (code == '\t')
      result += "\\t";
    else if (isPrinted(code) && (code < 0x80 || !onlyAscii))
      result += text.substr(begin, at - begin);
    else
      result += escaped(code);
  }
  return result += quote;
}

/// Joins texts; the result has the origin Message if one part has.
class Spelling {
public:
  explicit Spelling(bool onlyAscii) : onlyAscii(onlyAscii) {}
  Text result;

  /// Appends repr(value).
  void literal(const Value &value) {
    step();
    if (const Text *text = value.text())
      return result.append(pythonString(text->bytes, onlyAscii),
                           text->origin());
    if (const List *known = value.list())
      return list(*known);
    if (const Dict *dict = value.dict())
      return entries(dict->entries);
    if (const Namespace *space = value.space())
      return attributes(*space);
    put(simple(value));
  }

private:
  bool onlyAscii;
  unsigned depth = 0; // of namespaces, which may contain themselves

  void put(std::string_view text) { result.append(text, Origin::Template); }

  void list(const List &list) {
    switch (list.kind) {
    case ListKind::Range:
      return put(list.by == 1
                     ? fmt::format("range({}, {})", list.first, list.end)
                     : fmt::format("range({}, {}, {})", list.first, list.end,
                                   list.by));
    case ListKind::Iterator:
      fail("the result of map, select, reverse and the like can be iterated "
           "only once, and has no text; make a list of it first, with | list");
    case ListKind::List:
      return items(list, "[", "]");
    case ListKind::Tuple:
      return items(list, "(", list.items.size() == 1 ? ",)" : ")");
    case ListKind::Keys:
      return items(list, "dict_keys([", "])");
    case ListKind::Values:
      return items(list, "dict_values([", "])");
    case ListKind::Items:
      return items(list, "dict_items([", "])");
    }
  }
  void items(const List &list, std::string_view open, std::string_view close) {
    put(open);
    for (size_t i = 0; i < list.items.size(); ++i) {
      put(i ? ", " : "");
      literal(list.items[i]);
    }
    put(close);
  }
  void entries(const CountedVector<Dict::Entry> &entries) {
    put("{");
    for (const auto &[key, item] : entries) {
      put(&key == &entries.front().first ? "" : ", ");
      literal(key);
      put(": ");
      literal(item);
    }
    put("}");
  }
  void attributes(const Namespace &space) {
    if (++depth > mostNested)
      fail("namespaces are nested deeper than {} levels", mostNested);
    put("<Namespace {");
    for (const auto &[name, value] : space.attributes) {
      put(&name == &space.attributes.front().first ? "" : ", ");
      literal(Value::text(name));
      put(": ");
      literal(value);
    }
    put("}>");
    --depth;
  }

  /// A value that is neither a text nor a container. Throws Error if it has no
  /// form.
  static std::string simple(const Value &value) {
    if (value.isUndefined())
      return "Undefined";
    if (value.isNone())
      return "None";
    if (const bool *known = value.boolean())
      return *known ? "True" : "False";
    if (auto number = value.integer())
      return toString(*number);
    if (const double *number = value.real())
      return spelled(*number);
    if (const Loop *loop = value.loop())
      return fmt::format("<LoopContext {}/{}>", loop->index + 1,
                         loop->items().size());
    fail("a {} has no text that could be printed", typeName(value));
  }
};

} // namespace

Text asLiteral(const Value &value, bool onlyAscii) {
  Spelling spelling(onlyAscii);
  spelling.literal(value);
  return std::move(spelling.result);
}

Text asText(const Value &value) {
  if (const Text *text = value.text())
    return *text;
  if (value.isUndefined())
    return {};
  return asLiteral(value);
}

} // namespace transfold::runtime::chat
