// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Tokenizer.h"

#include "runtime/Error.h"
#include "runtime/TokenizerFile.h"

namespace transfold::runtime {

namespace {

using nlohmann::json;

/// The kind of one of the tokenizer's stages; empty where there is none.
std::string typeOf(const json &settings, const char *stage) {
  auto found = settings.find(stage);
  if (found == settings.end() || found->is_null())
    return "";
  return found->at("type").get<std::string>();
}

[[noreturn]] void unknownKind(const char *stage, const std::string &type,
                              const char *known) {
  fail("tokenizer.json: the {} '{}' is not supported (known: {}); `eval` takes "
       "ids instead of text",
       stage, type, known);
}

int32_t id(const json &value) {
  auto number = value.get<int64_t>();
  if (number < 0 || number > INT32_MAX)
    fail("tokenizer.json: {} is not an id", number);
  return static_cast<int32_t>(number);
}

} // namespace

Tokenizer::Tokenizer(std::string_view text) {
  TokenizerFile file = TokenizerFile::parse(text);
  const json &settings = file.settings;
  try {
    std::string kind = typeOf(settings, "model");
    if (kind != "WordPiece")
      unknownKind("model", kind, "WordPiece");
    model.emplace(settings.at("model"), std::move(file.vocabulary));

    kind = typeOf(settings, "normalizer");
    if (kind == "BertNormalizer")
      normalizer.emplace(settings.at("normalizer"));
    else if (!kind.empty())
      unknownKind("normalizer", kind, "BertNormalizer");

    kind = typeOf(settings, "pre_tokenizer");
    splitsAsBert = kind == "BertPreTokenizer";
    if (!splitsAsBert && !kind.empty())
      unknownKind("pre-tokenizer", kind, "BertPreTokenizer");

    if (settings.contains("added_tokens"))
      readAddedTokens(settings.at("added_tokens"));
    readPostProcessor(settings);
  } catch (const json::exception &error) {
    fail("tokenizer.json: is not as expected: {}", error.what());
  }
}

void Tokenizer::readAddedTokens(const json &list) {
  for (const json &entry : list) {
    auto flag = [&](const char *name) { return entry.value(name, false); };
    auto content = entry.at("content").get<std::string>();
    bool normalized = flag("normalized");
    Characters characters = decodeUtf8(content);
    if (normalized && normalizer)
      normalizer->apply(characters);
    AddedToken token{id(entry.at("id")),
                     {},
                     flag("single_word"),
                     flag("lstrip"),
                     flag("rstrip")};
    for (const Character &character : characters)
      token.content += character.code;
    (normalized ? normalizedTokens : rawTokens).add(std::move(token));
  }
}

void Tokenizer::readPostProcessor(const json &settings) {
  std::string kind = typeOf(settings, "post_processor");
  if (kind.empty()) {
    single = {{0, 0, {}}};
    pair = {{0, 0, {}}, {1, 1, {}}};
    return;
  }
  const json &processor = settings.at("post_processor");
  if (kind == "TemplateProcessing") {
    const json &specials = processor.at("special_tokens");
    single = readTemplate(processor.at("single"), specials);
    pair = readTemplate(processor.at("pair"), specials);
  } else if (kind == "BertProcessing") {
    // Each token is written as its text and its id.
    std::vector<int32_t> first{id(processor.at("cls").at(1))};
    std::vector<int32_t> last{id(processor.at("sep").at(1))};
    single = {{-1, 0, first}, {0, 0, {}}, {-1, 0, last}};
    pair = {
        {-1, 0, first}, {0, 0, {}}, {-1, 0, last}, {1, 1, {}}, {-1, 1, last}};
  } else {
    unknownKind("post-processor", kind, "TemplateProcessing, BertProcessing");
  }
}

std::vector<Tokenizer::Part>
Tokenizer::readTemplate(const json &list, const json &specials) const {
  std::vector<Part> parts;
  for (const json &entry : list) {
    Part part;
    const json &piece = entry.begin().value();
    part.type = id(piece.at("type_id"));
    auto name = piece.at("id").get<std::string>();
    if (entry.begin().key() == "Sequence")
      part.text = name == "B";
    else
      for (const json &special : specials.at(name).at("ids"))
        part.ids.push_back(id(special));
    parts.push_back(std::move(part));
  }
  return parts;
}

void Tokenizer::tokenizePiece(std::span<const Character> text,
                              std::vector<Token> &tokens) const {
  Characters normalized(text.begin(), text.end());
  if (normalizer)
    normalizer->apply(normalized);
  for (const auto &[added, piece] : normalizedTokens.split(normalized)) {
    if (added >= 0)
      tokens.push_back({added, piece.front().begin, piece.back().end});
    else if (!splitsAsBert)
      model->tokenize(piece, tokens);
    else
      for (std::span<const Character> word : bertWords(piece))
        model->tokenize(word, tokens);
  }
}

std::vector<Token> Tokenizer::tokenize(std::string_view text) const {
  std::vector<Token> tokens;
  Characters characters = decodeUtf8(text);
  for (const auto &[added, piece] : rawTokens.split(characters)) {
    if (added >= 0)
      tokens.push_back({added, piece.front().begin, piece.back().end});
    else
      tokenizePiece(piece, tokens);
  }
  return tokens;
}

Encoding Tokenizer::assemble(const std::vector<Part> &parts,
                             const std::vector<Token> *texts) {
  Encoding encoding;
  auto append = [&](Token token, int32_t type) {
    encoding.ids.push_back(token.id);
    encoding.types.push_back(type);
    encoding.tokens.push_back(token);
  };
  for (const Part &part : parts) {
    for (int32_t special : part.ids)
      append({special, 0, 0}, part.type);
    if (part.text >= 0)
      for (const Token &token : texts[part.text])
        append(token, part.type);
  }
  return encoding;
}

Encoding Tokenizer::encode(std::string_view text, size_t limit) const {
  std::vector<Token> tokens = tokenize(text);
  size_t specials = 0;
  for (const Part &part : single)
    specials += part.ids.size();
  size_t room = limit > specials ? limit - specials : 0;
  size_t cut = tokens.size() > room ? tokens.size() - room : 0;
  tokens.resize(tokens.size() - cut);
  Encoding encoding = assemble(single, &tokens);
  encoding.cut = cut;
  return encoding;
}

Encoding Tokenizer::encodePair(std::string_view first,
                               std::string_view second) const {
  std::vector<Token> texts[] = {tokenize(first), tokenize(second)};
  return assemble(pair, texts);
}

} // namespace transfold::runtime
