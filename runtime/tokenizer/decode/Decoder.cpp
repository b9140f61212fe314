// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of decoding, each as the library does it whose tokenizer the model
// uses (Hugging Face's tokenizers or SentencePiece), invalid bytes included.

#include "runtime/tokenizer/decode/Decoder.h"

#include "runtime/tokenizer/characters/ByteLevel.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace transfold::runtime::inline tokenizer {

namespace {

constexpr const char *decoderName = "decoder";

/// Replaces every occurrence of `what`; the replacements are not searched
/// again.
void replaceAll(std::string &text, std::string_view what,
                std::string_view with) {
  if (what.empty())
    return;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos;
       at += with.size())
    text.replace(at, what.size(), with);
}

/// The byte for "<0x0A>".
std::optional<char> byteOf(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>'))
    return std::nullopt;
  int value = 0;
  for (char c : token.substr(3, 2)) {
    char lower = static_cast<char>(c | 0x20);
    int digit = c >= '0' && c <= '9'           ? c - '0'
                : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                               : -1;
    if (digit < 0)
      return std::nullopt;
    value = 16 * value + digit;
  }
  return static_cast<char>(value);
}

/// Removes spaces that splitting English text into words has added.
void cleanUp(std::string &text) {
  constexpr std::pair<std::string_view, std::string_view> changes[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (auto [what, with] : changes)
    replaceAll(text, what, with);
}

/// Decodes bytes as SentencePiece does: U+FFFD for each byte that does not
/// belong to a valid character.
std::string textOfBytes(std::string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    auto first = static_cast<unsigned char>(bytes[at]);
    size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::string_view character = bytes.substr(at, size);
    bool isText = repairUtf8(character) == character;
    text += isText ? character : "\uFFFD";
    at += isText ? character.size() : 1;
  }
  return text;
}

/// All tokens as one text, with `between` between them.
std::string joined(const TokenTexts &tokens, const char *between = "") {
  return fmt::format("{}", fmt::join(tokens, between));
}

/// Total length of the tokens.
size_t bytesOf(const TokenTexts &tokens) {
  size_t bytes = 0;
  for (const std::string &token : tokens)
    bytes += token.size();
  return bytes;
}

} // namespace

void ReadBytes::apply(TokenTexts &tokens) const {
  std::string bytes;
  for (const std::string &token : tokens)
    bytes += bytesOfToken(token).value_or(token);
  tokens = {repairUtf8(bytes)};
}

void ReadByteTokens::apply(TokenTexts &tokens) const {
  TokenTexts result;
  std::string bytes;
  auto endBytes = [&] {
    if (bytes.empty())
      return;
    if (repairUtf8(bytes) == bytes)
      result.push_back(bytes);
    else // not UTF-8: U+FFFD for each byte
      result.insert(result.end(), bytes.size(), "\uFFFD");
    bytes.clear();
  };
  for (std::string &token : tokens) {
    if (auto byte = byteOf(token)) {
      bytes += *byte;
    } else {
      endBytes();
      result.push_back(std::move(token));
    }
  }
  endBytes();
  tokens = std::move(result);
}

void JoinTokens::apply(TokenTexts &tokens) const { tokens = {joined(tokens)}; }

void UnmarkSpaces::apply(TokenTexts &tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i)
    replaceAll(tokens[i], mark, i == 0 && prepended ? "" : " ");
}

/// Replaces each match in one token. Throws Error if it becomes too long.
static void replaceMatches(std::string &token, const Pattern &pattern,
                           const std::string &content, size_t most) {
  Characters text = decodeUtf8(token);
  std::vector<Pattern::Match> matches = pattern.matches(text);
  checkGrowth(decoderName, matches.size() * content.size(), most);
  std::string result;
  size_t done = 0;
  for (auto [begin, end] : matches) {
    result += encodeUtf8(std::span(text).subspan(done, begin - done));
    result += content;
    done = end;
  }
  token = result + encodeUtf8(std::span(text).subspan(done));
}

void ReplaceInTokens::apply(TokenTexts &tokens, size_t most) const {
  size_t bytes = 0;
  for (std::string &token : tokens) {
    replaceMatches(token, pattern, content, most);
    checkGrowth(decoderName, bytes += token.size(), most);
  }
}

void StripTokens::apply(TokenTexts &tokens) const {
  if (content.empty())
    return;
  for (std::string &token : tokens) {
    std::string_view rest = token;
    for (uint64_t left = start; left > 0 && rest.starts_with(content); --left)
      rest.remove_prefix(content.size());
    for (uint64_t left = stop; left > 0 && rest.ends_with(content); --left)
      rest.remove_suffix(content.size());
    token = std::string(rest);
  }
}

void JoinWordPieces::apply(TokenTexts &tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string &token = tokens[i];
    if (i > 0) {
      if (token.starts_with(prefix))
        token.erase(0, prefix.size());
      else
        token.insert(0, " ");
    }
    if (clean)
      cleanUp(token);
  }
}

void EndWords::apply(TokenTexts &tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i)
    replaceAll(tokens[i], suffix, i + 1 < tokens.size() ? " " : "");
}

void JoinPieces::apply(TokenTexts &tokens, size_t most) const {
  const std::string mark = encodeUtf8(std::array{Character{spaceMark, 0, 0}});
  std::string text, bytes;
  bool isBeginning = true, hasDropped = false;
  for (std::string &token : tokens) {
    if (auto byte = byteOf(token)) {
      bytes += *byte;
      continue;
    }
    text += textOfBytes(std::exchange(bytes, {}));
    if (hasDropped || !text.empty())
      isBeginning = false;
    hasDropped = false;
    if (token == unknown) {
      text += surface;
    } else {
      if (isBeginning && dropsSpace && token.starts_with(mark)) {
        token.erase(0, mark.size());
        hasDropped = !dropsSpaces;
      }
      replaceAll(token, mark, " ");
      text += token;
    }
    checkGrowth(decoderName, text.size(), most);
  }
  text += textOfBytes(bytes);
  if (!denormalizer.trie.empty()) {
    Characters characters = decodeUtf8(text);
    denormalizer.apply(characters, mostCharacters(characters.size()));
    text = encodeUtf8(characters);
  }
  tokens = {std::move(text)};
}

std::optional<std::string> Decoder::writtenBytes(std::string_view token) const {
  for (const Step &step : steps) {
    if (std::holds_alternative<ReadBytes>(step))
      return bytesOfToken(token);
    if (std::holds_alternative<ReadByteTokens>(step) ||
        std::holds_alternative<JoinPieces>(step))
      if (auto byte = byteOf(token))
        return std::string(1, *byte);
  }
  return std::nullopt;
}

std::string Decoder::decode(TokenTexts tokens) const {
  if (spaced)
    return joined(tokens, " ");
  // A step may add a space for each token, even for an empty one.
  size_t most = mostCharacters(bytesOf(tokens) + tokens.size());
  for (const Step &each : steps) {
    applyStep(each, tokens, most);
    checkGrowth(decoderName, bytesOf(tokens), most);
  }
  return joined(tokens);
}

} // namespace transfold::runtime::inline tokenizer
