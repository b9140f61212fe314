// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes a text through the stages: added tokens, normalizer, added tokens
// again, pre-tokenizer, model, post-processor. The order and the details are
// those of Hugging Face's library, whose ids must be reproduced exactly.

#include "runtime/tokenizer/Tokenizer.h"

#include "base/Error.h"
#include "runtime/tokenizer/characters/ByteLevel.h"
#include "runtime/tokenizer/tables/Patience.h"
#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::inline tokenizer {

namespace {

/// Whether each of the 256 bytes has a token.
bool coversAll(const ByteTokens &tokens) {
  return std::ranges::all_of(tokens.ids, [](int32_t id) { return id >= 0; });
}

/// The white space at the ends of a token, which may be written as bytes.
PostProcessor::Spaces spacesOf(std::span<const Character> text) {
  auto isText = [](const Character &c) {
    return c.code != byteLevelSpace && !isWhitespace(c.code);
  };
  auto first = std::ranges::find_if(text, isText);
  auto last = std::find_if(text.rbegin(), text.rend(), isText);
  return {static_cast<uint32_t>(first - text.begin()),
          static_cast<uint32_t>(last - text.rbegin())};
}

/// Thrown when there are more tokens than requested.
struct Enough {};

/// The bytes of UTF-8 whose printable characters are tokens (ByteLevel.h).
std::bitset<256> writtenBytes(const Vocabulary &vocabulary) {
  std::bitset<256> result;
  auto add = [&](char32_t code) {
    std::string bytes;
    appendUtf8(bytes, code);
    Characters written = {{code, 0, 1}};
    bytesAsCharacters(written);
    for (size_t i = 0; i < bytes.size(); ++i)
      result[static_cast<unsigned char>(bytes[i])] =
          vocabulary.find(encodeUtf8(std::span(&written[i], 1))).has_value();
  };
  for (char32_t code = 0; code < 0x800; ++code)
    add(code);
  for (char32_t code = 0x800; code <= 0x10ffff;
       code += code < 0x10000 ? 0x800 : 0x10000)
    add(code);
  return result;
}

/// Whether a model has a token for each byte of unknown characters, so that it
/// drops nothing and represents no long text by a single token.
bool hasAllBytes(const BytePairs &model) {
  return model.byteTokens && coversAll(*model.byteTokens);
}
bool hasAllBytes(const Unigram &model) {
  return model.byteTokens && coversAll(*model.byteTokens);
}
bool hasAllBytes(const ScoredPairs &model) {
  return coversAll(model.byteTokens);
}
bool hasAllBytes(const auto &) { return false; }

/// For each character of a text, whether it lies in one of the ranges; empty if
/// there are no ranges.
std::vector<bool> charactersIn(std::span<const TextRange> ranges,
                               std::string_view text) {
  std::vector<bool> in;
  if (ranges.empty())
    return in;
  std::vector<bool> bytes(text.size());
  for (const TextRange &range : ranges)
    for (size_t at = range.begin; at < std::min(range.end, text.size()); ++at)
      bytes[at] = true;
  for (size_t at = 0; at < text.size(); at += characterBytes(text, at))
    in.push_back(bytes[at]);
  return in;
}

} // namespace

Tokenizer::Tokenizer(std::string_view tables) {
  TableReader(tables).read(description);
  bool doSwallow = false; // they include any white space next to them
  longestToken = std::max<size_t>(description.vocabulary.longest, 1);
  for (const AddedTokens *added :
       {&description.rawTokens, &description.normalizedTokens,
        &description.leadingTokens}) {
    longestToken = std::max<size_t>(longestToken, added->contents.longest);
    for (const AddedTokens::Token &token : added->tokens)
      doSwallow |= token.leftStrip || token.rightStrip;
  }
  readBytes = bytesInTokens();
  for (size_t byte = 0; doSwallow && byte < readBytes.size(); ++byte)
    if (byte <= ' ' || byte >= 0x80)
      readBytes.reset(byte);
}

/// The bytes of a normalized text that certainly become part of a token that is
/// not longer than the longest token of the vocabulary.
std::bitset<256> Tokenizer::bytesInTokens() const {
  bool isInBytes = false;
  for (const PreTokenizer::Step &step : description.preTokenizer.steps) {
    isInBytes |= std::holds_alternative<CutIntoBytes>(step);
    const auto *atKind = std::get_if<CutAtKind>(&step);
    const auto *atMatches = std::get_if<CutAtMatches>(&step);
    if (std::holds_alternative<CutAsBert>(step) ||
        std::holds_alternative<CutIntoStretches>(step) ||
        (atKind && atKind->keep == Cuts::Removed) ||
        (atMatches && atMatches->keep == Cuts::Removed))
      return {};
  }
  if (std::visit([](const auto &model) { return hasAllBytes(model); },
                 description.model))
    return std::bitset<256>().set();
  const auto *pairs = std::get_if<BytePairs>(&description.model);
  if (!isInBytes || !pairs || !pairs->continuing.empty() ||
      !pairs->wordEnd.empty())
    return {};
  return writtenBytes(description.vocabulary);
}

void Tokenizer::refuseIfTooLong(std::string_view text,
                                const TokenizerEffort &effort) const {
  if (!effort.refuses || readBytes.none() ||
      text.size() / longestToken <= effort.most)
    return;
  size_t read = 0;
  for (char byte : text)
    read += readBytes[static_cast<unsigned char>(byte)];
  if (read / longestToken > effort.most)
    throw TooManyTokens(fmt::format("has more than {} tokens", effort.most));
}

void Tokenizer::appendAdded(const AddedTokens::Piece &piece,
                            std::vector<Token> &tokens) const {
  Token token{piece.id, piece.text.front().begin, piece.text.back().end};
  description.postProcessor.trim(token.begin, token.end, spacesOf(piece.text),
                                 tokens.empty());
  tokens.push_back(token);
}

void Tokenizer::appendWord(std::span<const Character> word,
                           std::vector<Token> &tokens) const {
  size_t first = tokens.size();
  const Vocabulary &vocabulary = description.vocabulary;
  std::visit(
      [&](const auto &model) { model.tokenize(vocabulary, word, tokens); },
      description.model);
  if (!description.postProcessor.trims())
    return;
  for (size_t i = first; i < tokens.size(); ++i)
    if (auto text = vocabulary.token(tokens[i].id))
      description.postProcessor.trim(tokens[i].begin, tokens[i].end,
                                     spacesOf(decodeUtf8(*text)), i == 0);
}

/// Converts words to tokens as they arrive, until there are enough.
class Tokenizer::Words final : public WordSink {
public:
  Words(const Tokenizer &tokenizer, const TokenizerEffort &effort,
        std::vector<Token> &tokens)
      : tokenizer(tokenizer), effort(effort), tokens(tokens) {}

  void take(Characters word) override {
    tokenizer.appendWord(word, tokens);
    if (tokens.size() > effort.most)
      throw Enough();
  }

private:
  const Tokenizer &tokenizer;
  const TokenizerEffort &effort;
  std::vector<Token> &tokens;
};

void Tokenizer::tokenizePiece(std::span<const Character> text,
                              const std::vector<bool> &typed,
                              const TokenizerEffort &effort,
                              std::vector<Token> &tokens) const {
  Characters normalized(text.begin(), text.end());
  description.normalizer.apply(normalized);
  if (!description.normalizer.steps.empty() && effort.refuses)
    refuseIfTooLong(encodeUtf8(normalized), effort);
  if (effort.look)
    effort.look();
  Words words(*this, effort, tokens);
  const auto pieces = description.normalizedTokens.split(normalized, typed);
  // Most texts are one piece: it is moved instead of being copied.
  if (pieces.size() == 1 && pieces[0].id < 0 &&
      pieces[0].text.size() == normalized.size())
    return description.preTokenizer.split(std::move(normalized), words);
  for (const AddedTokens::Piece &piece : pieces) {
    if (piece.id >= 0)
      appendAdded(piece, tokens);
    else
      description.preTokenizer.split(
          Characters(piece.text.begin(), piece.text.end()), words);
  }
}

std::vector<Token> Tokenizer::tokenize(std::string_view text,
                                       std::span<const TextRange> typed,
                                       const TokenizerEffort &effort) const {
  std::vector<Token> tokens;
  if (description.normalizer.steps.empty())
    refuseIfTooLong(text, effort);
  const Patience patience(effort.look);
  try {
    tokenizeAll(text, typed, effort, tokens);
  } catch (const Enough &) { // there are more tokens than requested
    tokens.resize(effort.most + 1);
  }
  if (effort.refuses && tokens.size() > effort.most)
    throw TooManyTokens(fmt::format("has more than {} tokens", effort.most));
  return tokens;
}

void Tokenizer::tokenizeAll(std::string_view text,
                            std::span<const TextRange> typed,
                            const TokenizerEffort &effort,
                            std::vector<Token> &tokens) const {
  Characters characters = decodeUtf8(text);
  std::vector<bool> typedCharacters = charactersIn(typed, text);
  std::span<const Character> rest = characters;
  if (auto leading = description.leadingTokens.first(rest, typedCharacters)) {
    appendAdded(*leading, tokens);
    rest = rest.subspan(leading->text.size());
  }
  for (const AddedTokens::Piece &piece :
       description.rawTokens.split(rest, typedCharacters)) {
    if (piece.id >= 0)
      appendAdded(piece, tokens);
    else
      tokenizePiece(piece.text, typedCharacters, effort, tokens);
    if (tokens.size() > effort.most)
      throw Enough();
  }
}

Encoding Tokenizer::assemble(const std::vector<PostProcessor::Part> &parts,
                             const std::vector<Token> *texts) {
  Encoding encoding;
  auto append = [&](Token token, int32_t type, int text) {
    encoding.ids.push_back(token.id);
    encoding.types.push_back(type);
    encoding.texts.push_back(static_cast<int8_t>(text));
    encoding.tokens.push_back(token);
  };
  for (const PostProcessor::Part &part : parts) {
    for (int32_t special : part.ids)
      append({special, 0, 0}, part.type, -1);
    if (part.text >= 0)
      for (const Token &token : texts[part.text])
        append(token, part.type, part.text);
  }
  return encoding;
}

/// The number of special tokens that are added around texts.
static size_t specialsOf(const std::vector<PostProcessor::Part> &parts) {
  size_t count = 0;
  for (const PostProcessor::Part &part : parts)
    count += part.ids.size();
  return count;
}

Encoding Tokenizer::encode(std::string_view text, size_t limit,
                           std::span<const TextRange> typed,
                           const TokenizerEffort &effort) const {
  const std::vector<PostProcessor::Part> &parts =
      description.postProcessor.single;
  std::vector<Token> texts[] = {tokenize(text, typed, effort), {}};
  std::vector<Token> &tokens = texts[0];
  const size_t specials = specialsOf(parts);
  size_t room = limit > specials ? limit - specials : 0;
  size_t cut = tokens.size() > room ? tokens.size() - room : 0;
  tokens.resize(tokens.size() - cut);
  Encoding encoding = assemble(parts, texts);
  encoding.cut = cut;
  return encoding;
}

bool Tokenizer::takesPairs() const {
  auto has = [&](int text) {
    return std::ranges::any_of(
        description.postProcessor.pair,
        [&](const PostProcessor::Part &part) { return part.text == text; });
  };
  return has(0) && has(1);
}

/// The numbers of tokens that remain of two texts if there is room for `room`:
/// those of the longer one are dropped first. This is the strategy
/// "longest_first" of Hugging Face's tokenizers.
static std::pair<size_t, size_t> shortened(size_t first, size_t second,
                                           size_t room) {
  if (first + second <= room)
    return {first, second};
  size_t less = std::min(first, second);
  size_t more = less > room ? less : std::max(less, room - less);
  if (less + more > room) {
    less = room / 2;
    more = less + room % 2;
  }
  return first > second ? std::pair(more, less) : std::pair(less, more);
}

Encoding Tokenizer::encodePair(std::string_view first, std::string_view second,
                               size_t limit,
                               const TokenizerEffort &effort) const {
  const std::vector<PostProcessor::Part> &parts =
      description.postProcessor.pair;
  std::vector<Token> texts[] = {tokenize(first, {}, effort),
                                tokenize(second, {}, effort)};
  const size_t specials = specialsOf(parts),
               room = limit > specials ? limit - specials : 0,
               given = texts[0].size() + texts[1].size();
  auto [ofFirst, ofSecond] = shortened(texts[0].size(), texts[1].size(), room);
  if (effort.refuses && given > room)
    throw TooManyTokens(
        fmt::format("has more than {} tokens together with the other", limit));
  texts[0].resize(std::min(texts[0].size(), ofFirst));
  texts[1].resize(std::min(texts[1].size(), ofSecond));
  Encoding encoding = assemble(parts, texts);
  encoding.cut = given - texts[0].size() - texts[1].size();
  return encoding;
}

std::optional<std::string> Tokenizer::token(int32_t id) const {
  if (auto added = description.added.find(id))
    return std::string(added->text);
  if (auto text = description.vocabulary.token(id))
    return std::string(*text);
  return std::nullopt;
}

bool Tokenizer::isSpecial(int32_t id) const {
  auto added = description.added.find(id);
  return added && added->special;
}

std::optional<std::string> Tokenizer::partOfCharacter(int32_t id) const {
  auto text = description.vocabulary.token(id);
  if (!text || !description.decoder || description.added.find(id))
    return std::nullopt;
  auto bytes = description.decoder->writtenBytes(*text);
  return bytes && repairUtf8(*bytes) != *bytes ? bytes : std::nullopt;
}

std::optional<int32_t> Tokenizer::findAdded(std::string_view token) const {
  return description.added.idOf(token);
}

std::string Tokenizer::decode(std::span<const int32_t> ids,
                              bool withSpecial) const {
  if (!description.decoder)
    throw Error(description.decoderProblem);
  if (description.addedAreText)
    return decodeBesideText(ids, withSpecial);
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    auto added = description.added.find(id);
    if (added && added->special && !withSpecial)
      continue;
    if (auto text = token(id))
      tokens.push_back(std::move(*text));
  }
  return description.decoder->decode(std::move(tokens));
}

/// Decoding if added tokens are literal text: the decoder gets the tokens
/// between them.
std::string Tokenizer::decodeBesideText(std::span<const int32_t> ids,
                                        bool withSpecial) const {
  std::string text;
  std::vector<std::string> between;
  bool first = true; // no text was decoded yet
  auto decodeBetween = [&] {
    if (between.empty())
      return;
    std::string decoded =
        description.decoder->decode(std::exchange(between, {}));
    bool drops = first && description.dropsFirstSpace;
    text += drops && decoded.starts_with(' ') ? decoded.substr(1) : decoded;
    first = false;
  };
  for (int32_t id : ids) {
    if (auto added = description.added.find(id)) {
      if (added->special && !withSpecial)
        continue;
      decodeBetween();
      text += added->text;
      first = false;
    } else if (auto token = description.vocabulary.token(id)) {
      between.emplace_back(*token);
    }
  }
  decodeBetween();
  return text;
}

} // namespace transfold::runtime::inline tokenizer
