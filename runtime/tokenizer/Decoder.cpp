// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Decoder.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/ByteLevel.h"
#include "runtime/tokenizer/Growth.h"
#include "runtime/tokenizer/Pattern.h"
#include "runtime/tokenizer/Settings.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::runtime {

namespace {

using nlohmann::json;
using Tokens = std::vector<std::string>;

void replaceAll(std::string &text, std::string_view what,
                std::string_view with) {
  if (what.empty())
    return;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos;
       at += with.size())
    text.replace(at, what.size(), with);
}

void fuse(Tokens &tokens) {
  tokens = {fmt::format("{}", fmt::join(tokens, ""))};
}

void decodeByteLevel(Tokens &tokens) {
  std::string bytes;
  for (const std::string &token : tokens)
    bytes += bytesOfToken(token).value_or(token);
  tokens = {repairUtf8(bytes)};
}

/// The byte of "<0x0A>".
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

void decodeByteTokens(Tokens &tokens) {
  Tokens result;
  std::string bytes;
  auto endBytes = [&] {
    if (bytes.empty())
      return;
    if (repairUtf8(bytes) == bytes)
      result.push_back(bytes);
    else // no text: a sign for each byte
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

/// Takes up to `start` and `stop` characters `content` from a token's ends.
void strip(std::string &token, std::string_view content, size_t start,
           size_t stop) {
  std::string_view rest = token;
  for (; start > 0 && rest.starts_with(content); --start)
    rest.remove_prefix(content.size());
  for (; stop > 0 && rest.ends_with(content); --stop)
    rest.remove_suffix(content.size());
  token = std::string(rest);
}

/// English, as it was before it was cut into words.
void cleanUp(std::string &text) {
  constexpr std::pair<std::string_view, std::string_view> changes[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (auto [what, with] : changes)
    replaceAll(text, what, with);
}

void decodeWordPieces(Tokens &tokens, std::string_view prefix, bool clean) {
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

constexpr const char *decoderName = "the decoder";

void replaceMatches(std::string &token, const Pattern &pattern,
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

size_t bytesOf(const Tokens &tokens) {
  size_t bytes = 0;
  for (const std::string &token : tokens)
    bytes += token.size();
  return bytes;
}

/// A step that puts no more than a byte before each token.
template <typename Function> auto modest(Function change) {
  return [change](Tokens &tokens, size_t) { change(tokens); };
}

auto metaspace(const json &settings) {
  std::string mark;
  appendUtf8(mark, characterOf(settings.at("replacement")));
  bool prepended = textOr(settings, "prepend_scheme", "always") != "never" &&
                   flag(settings, "add_prefix_space", true);
  return modest([mark, prepended](Tokens &tokens) {
    for (size_t i = 0; i < tokens.size(); ++i)
      replaceAll(tokens[i], mark, i == 0 && prepended ? "" : " ");
  });
}

} // namespace

Decoder::Decoder(const json &settings) : exists(!settings.is_null()) {
  for (const json *each : stepsOf(settings, "decoders"))
    steps.push_back(read(*each));
}

std::string Decoder::decode(std::vector<std::string> tokens) const {
  if (!exists)
    return fmt::format("{}", fmt::join(tokens, " "));
  // A step may write a space for each token, also for an empty one.
  size_t most = mostCharacters(bytesOf(tokens) + tokens.size());
  for (const Step &step : steps) {
    step(tokens, most);
    checkGrowth(decoderName, bytesOf(tokens), most);
  }
  return fmt::format("{}", fmt::join(tokens, ""));
}

Decoder::Step Decoder::read(const json &settings) {
  std::string type = typeOf(settings);
  if (type == "ByteLevel")
    return modest(decodeByteLevel);
  if (type == "ByteFallback")
    return modest(decodeByteTokens);
  if (type == "Fuse")
    return modest(fuse);
  if (type == "Metaspace")
    return metaspace(settings);
  if (type == "Replace")
    return [pattern = Pattern::read(settings.at("pattern")),
            content = settings.at("content").get<std::string>()](Tokens &tokens,
                                                                 size_t most) {
      size_t bytes = 0;
      for (std::string &token : tokens) {
        replaceMatches(token, pattern, content, most);
        checkGrowth(decoderName, bytes += token.size(), most);
      }
    };
  if (type == "Strip") {
    std::string content;
    appendUtf8(content, characterOf(settings.at("content")));
    return modest(
        [content, start = countOf(settings.at("start"), "start"),
         stop = countOf(settings.at("stop"), "stop")](Tokens &tokens) {
          for (std::string &token : tokens)
            strip(token, content, start, stop);
        });
  }
  if (type == "WordPiece")
    return modest([prefix = textOr(settings, "prefix", "##"),
                   clean = flag(settings, "cleanup", true)](Tokens &tokens) {
      decodeWordPieces(tokens, prefix, clean);
    });
  if (type == "BPEDecoder")
    return modest(
        [suffix = textOr(settings, "suffix", "</w>")](Tokens &tokens) {
          for (size_t i = 0; i < tokens.size(); ++i)
            replaceAll(tokens[i], suffix, i + 1 < tokens.size() ? " " : "");
        });
  unknownKind("decoder", type,
              "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, "
              "Sequence, Strip, WordPiece");
}

} // namespace transfold::runtime
