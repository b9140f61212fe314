// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/JsonString.h"

#include <fmt/format.h>

namespace transfold::runtime::inline constrain {

const CodeSet &escapedInJson() {
  static const CodeSet set = {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}};
  return set;
}

std::string jsonEscape(char32_t code) {
  switch (code) {
  case '"':
    return "\\\"";
  case '\\':
    return "\\\\";
  case '\b':
    return "\\b";
  case '\f':
    return "\\f";
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    return fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  }
}

std::string jsonText(std::string_view text) {
  std::string result;
  for (char byte : text) {
    auto code = static_cast<unsigned char>(byte);
    if (escapedInJson().has(code))
      result += jsonEscape(code);
    else
      result += byte;
  }
  return result;
}

// Surrogates outside of a pair are not characters: a parser may refuse them.
const std::string_view anyJsonCharacter =
    R"re([^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]{3})re"
    R"re(|[dD](?:[0-7][0-9a-fA-F]{2})re"
    R"re(|[89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))))re";

} // namespace transfold::runtime::inline constrain
