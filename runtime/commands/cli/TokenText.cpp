// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions and texts of tokens for people and for other programs.

#include "runtime/commands/cli/TokenText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace transfold::runtime::inline commands {

std::string placeOf(const Token &token) {
  return fmt::format("{}:{}", token.begin, token.end);
}

std::string TextPieces::at(const Token &token) const {
  size_t end = std::min<size_t>(token.end, characters.size());
  size_t begin = std::min<size_t>(token.begin, end);
  return encodeUtf8(std::span(characters).subspan(begin, end - begin));
}

std::string inOneLine(std::string_view text) {
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

std::string jsonOf(const Tokenizer &tokenizer, int32_t id) {
  auto text = tokenizer.token(id);
  return text ? nlohmann::ordered_json(repairUtf8(*text)).dump() : "null";
}

} // namespace transfold::runtime::inline commands
