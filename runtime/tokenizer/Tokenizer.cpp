// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Tokenizer.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/ByteLevel.h"
#include "runtime/tokenizer/Settings.h"
#include "runtime/tokenizer/TokenizerFile.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

using nlohmann::json;

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

/// Which characters of a text lie in ranges of its bytes.
std::vector<bool> charactersIn(std::span<const TextRange> ranges,
                               std::string_view text) {
  std::vector<bool> result;
  if (ranges.empty())
    return result;
  std::vector<bool> bytes(text.size());
  for (TextRange range : ranges)
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(range.begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(range.end), true);
  for (size_t i = 0; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80)
      result.push_back(bytes[i]);
  return result;
}

} // namespace

Tokenizer::Tokenizer(std::string_view text) {
  TokenizerFile file = TokenizerFile::parse(text);
  try {
    read(file);
  } catch (const json::exception &error) {
    fail("tokenizer.json: is not as expected: {}", error.what());
  }
}

void Tokenizer::read(TokenizerFile &file) {
  const json &settings = file.settings;
  model = Model::make(file);
  normalizer.emplace(stage(settings, "normalizer"));
  preTokenizer.emplace(stage(settings, "pre_tokenizer"));
  postProcessor.emplace(stage(settings, "post_processor"));
  readAddedTokens(stage(settings, "added_tokens"));
  // Many programs never decode; what is wrong here is said when one does.
  try {
    decoder.emplace(stage(settings, "decoder"));
  } catch (const Error &error) {
    decoderProblem = error.what();
  }
}

void Tokenizer::readAddedTokens(const json &list) {
  for (const json &entry : list) {
    auto content = entry.at("content").get<std::string>();
    int32_t id = idOf(entry.at("id"));
    bool normalized = flag(entry, "normalized", false);
    Characters characters = decodeUtf8(content);
    if (normalized)
      normalizer->apply(characters);
    AddedToken token{id,
                     {},
                     flag(entry, "single_word", false),
                     flag(entry, "lstrip", false),
                     flag(entry, "rstrip", false),
                     flag(entry, "special", false)};
    for (const Character &character : characters)
      token.content += character.code;
    (normalized ? normalizedTokens : rawTokens).add(std::move(token));
    added.insert_or_assign(
        id, Added{std::move(content), flag(entry, "special", false)});
  }
}

void Tokenizer::appendAdded(const AddedTokens::Piece &piece,
                            std::vector<Token> &tokens) const {
  Token token{piece.id, piece.text.front().begin, piece.text.back().end};
  postProcessor->trim(token.begin, token.end, spacesOf(piece.text),
                      tokens.empty());
  tokens.push_back(token);
}

void Tokenizer::appendWord(std::span<const Character> word,
                           std::vector<Token> &tokens) const {
  size_t first = tokens.size();
  model->tokenize(word, tokens);
  if (!postProcessor->trims())
    return;
  for (size_t i = first; i < tokens.size(); ++i)
    if (auto text = model->vocabulary().token(tokens[i].id))
      postProcessor->trim(tokens[i].begin, tokens[i].end,
                          spacesOf(decodeUtf8(*text)), i == 0);
}

void Tokenizer::tokenizePiece(std::span<const Character> text,
                              const std::vector<bool> &typed,
                              std::vector<Token> &tokens) const {
  Characters normalized(text.begin(), text.end());
  normalizer->apply(normalized);
  for (const AddedTokens::Piece &piece :
       normalizedTokens.split(normalized, typed)) {
    if (piece.id >= 0) {
      appendAdded(piece, tokens);
      continue;
    }
    Characters characters(piece.text.begin(), piece.text.end());
    for (const Characters &word : preTokenizer->split(std::move(characters)))
      appendWord(word, tokens);
  }
}

std::vector<Token> Tokenizer::tokenize(std::string_view text,
                                       std::span<const TextRange> typed) const {
  std::vector<Token> tokens;
  Characters characters = decodeUtf8(text);
  std::vector<bool> isTyped = charactersIn(typed, text);
  for (const AddedTokens::Piece &piece : rawTokens.split(characters, isTyped)) {
    if (piece.id >= 0)
      appendAdded(piece, tokens);
    else
      tokenizePiece(piece.text, isTyped, tokens);
  }
  return tokens;
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

Encoding Tokenizer::encode(std::string_view text, size_t limit) const {
  std::vector<Token> texts[] = {tokenize(text), {}};
  std::vector<Token> &tokens = texts[0];
  size_t specials = 0;
  for (const PostProcessor::Part &part : postProcessor->single())
    specials += part.ids.size();
  size_t room = limit > specials ? limit - specials : 0;
  size_t cut = tokens.size() > room ? tokens.size() - room : 0;
  tokens.resize(tokens.size() - cut);
  Encoding encoding = assemble(postProcessor->single(), texts);
  encoding.cut = cut;
  return encoding;
}

bool Tokenizer::takesPairs() const {
  auto has = [&](int text) {
    return std::ranges::any_of(postProcessor->pair(), [&](const auto &part) {
      return part.text == text;
    });
  };
  return has(0) && has(1);
}

Encoding Tokenizer::encodePair(std::string_view first,
                               std::string_view second) const {
  std::vector<Token> texts[] = {tokenize(first), tokenize(second)};
  return assemble(postProcessor->pair(), texts);
}

std::optional<std::string> Tokenizer::token(int32_t id) const {
  if (auto found = added.find(id); found != added.end())
    return found->second.content;
  if (auto text = model->vocabulary().token(id))
    return std::string(*text);
  return std::nullopt;
}

std::optional<int32_t> Tokenizer::findAdded(std::string_view token) const {
  for (const auto &[id, each] : added)
    if (each.content == token)
      return id;
  return std::nullopt;
}

std::string Tokenizer::decode(std::span<const int32_t> ids,
                              bool withSpecial) const {
  if (!decoder)
    throw Error(decoderProblem);
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    auto found = added.find(id);
    if (found != added.end() && found->second.special && !withSpecial)
      continue;
    if (auto text = token(id))
      tokens.push_back(std::move(*text));
  }
  return decoder->decode(std::move(tokens));
}

} // namespace transfold::runtime
