// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the pieces of a SentencePiece model as a tokenizer class of
// transformers does, and adds the tokens that this class adds.

#include "compiler/checkpoint/huggingface/HfSentencePiece.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/huggingface/SpecialTokens.h"
#include "compiler/checkpoint/huggingface/TokenCodes.h"
#include "compiler/checkpoint/huggingface/TokenIdMapping.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::checkpoint {

namespace {

using Numbers = TokenIdMapping::Numbers;
using Token = SentencePieceTokenizer::Token;

constexpr const char *vocabularyName = "vocab.json";
/// The ids of the tokens with which fairseq's vocabularies begin.
constexpr std::pair<const char *, int32_t> fairseqTokens[] = {
    {"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};

/// Reads the tokenizer of one directory, step by step, into `result`.
class SentencePieceReader {
public:
  SentencePieceReader(const Directory &directory, const TokenIdMapping &layout,
                      const TokenNumbers *vocabulary)
      : directory(directory), layout(layout), vocabulary(vocabulary),
        known(directory) {
    result.model = SentencePieceModel::open(directory.placeOf(layout.model));
    if (layout.writer)
      result.writer =
          SentencePieceModel::open(directory.placeOf(layout.writer));
    for (size_t i = 0; i < result.model.pieces.size(); ++i)
      numbers.emplace(result.model.pieces[i].text, static_cast<int32_t>(i));
  }

  SentencePieceTokenizer read() {
    readNumbers();
    addSpecials();
    addLanguages();
    result.unknown = needId("unk_token");
    result.single = partsOf(layout.single);
    result.pair = partsOf(layout.pair);
    // Before transformers #24565 ("legacy"), the prefix was also added after
    // special tokens.
    result.prefixesTextsOnly = !known.flag("legacy", true);
    return std::move(result);
  }

private:
  const Directory &directory;
  const TokenIdMapping &layout;
  const TokenNumbers *vocabulary;
  SpecialTokens known;
  SentencePieceTokenizer result;
  TokenNumbers numbers; // ids of pieces
  TokenNumbers addedIds;
  int32_t next = 0; // after all ids

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format,
                         Args &&...args) const {
    throw CheckpointError(
        fmt::format("{}: {}", directory.path(),
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  /// Reads vocab.json, which has the ids of all pieces by their texts.
  void readVocabulary() {
    if (known.flag("separate_vocabs", false))
      fail("separate_vocabs in tokenizer_config.json says that both languages "
           "have a vocabulary of their own, which is not supported; `eval` "
           "takes ids instead of text");
    const nlohmann::json *file = directory.json(vocabularyName);
    std::string place = directory.placeOf(vocabularyName);
    if (!file || !file->is_object())
      throw CheckpointError(fmt::format(
          "{}: is not an object of tokens and their ids; fetch it again",
          place));
    for (const auto &[text, id] : file->items())
      result.numbers.emplace(text, tokenNumber(id, text, place));
    if (result.numbers.empty())
      throw CheckpointError(
          fmt::format("{}: has no tokens; fetch it again", place));
  }

  /// Determines how ids follow from pieces, and the first id after all of them.
  void readNumbers() {
    if (vocabulary) {
      result.numbers = *vocabulary;
      return;
    }
    auto pieces = static_cast<int32_t>(result.model.pieces.size());
    switch (layout.numbers) {
    case Numbers::OfPieces:
      break;
    case Numbers::OfFairseq:
      result.offset = 1;
      break;
    case Numbers::OfPegasus:
      result.offset = static_cast<int32_t>(known.count("offset", 103));
      break;
    case Numbers::OfFile:
      readVocabulary();
      next = static_cast<int32_t>(result.numbers.size());
      return;
    }
    next = pieces + result.offset;
  }

  /// The id that the layout assigns to a token.
  std::optional<int32_t> layoutId(const std::string &text) const {
    if (!result.numbers.empty()) {
      auto found = result.numbers.find(text);
      return found == result.numbers.end() ? std::nullopt
                                           : std::optional(found->second);
    }
    if (layout.numbers == Numbers::OfFairseq)
      for (auto [token, id] : fairseqTokens)
        if (text == token)
          return id;
    auto found = numbers.find(text);
    return found == numbers.end()
               ? std::nullopt
               : std::optional(found->second + result.offset);
  }

  /// Adds a token. Its id is the one in the files, else `id` if given, else
  /// that of the layout, else the next free one.
  void add(const SpecialTokens::Token &token, std::optional<int32_t> id = {}) {
    if (token.text.empty() || addedIds.contains(token.text))
      return;
    std::optional<int32_t> number;
    if (vocabulary)
      number = layoutId(token.text);
    else
      for (std::optional<int32_t> each : {token.id, id, layoutId(token.text)})
        if (!number)
          number = each;
    if (!number && vocabulary)
      return;
    int32_t found = number ? *number : next++;
    addedIds.emplace(token.text, found);
    result.added.push_back({token.text, found, token.special, token.leftStrip,
                            token.rightStrip, token.singleWord});
  }

  /// The token of the files with that text, or one with the defaults of the
  /// layout.
  SpecialTokens::Token tokenOf(const std::string &text,
                               bool stripsLeft = false) const {
    if (const SpecialTokens::Token *token = known.find(text))
      return *token;
    return {.text = text, .id = {}, .leftStrip = stripsLeft};
  }

  /// Adds <extra_id_0>, …: the first of them has the last id.
  void addExtraIds() {
    if (!layout.extraIds)
      return;
    auto count =
        static_cast<int32_t>(known.count("extra_ids", layout.extraIds));
    for (int32_t i = 0; i < count; ++i) {
      SpecialTokens::Token token = tokenOf(fmt::format("<extra_id_{}>", i));
      token.leftStrip = token.rightStrip = true;
      add(token, next + count - 1 - i);
    }
    next += count;
  }

  /// Adds the tokens before the pieces, with which Pegasus was trained.
  void addPegasus() {
    if (layout.numbers != Numbers::OfPegasus)
      return;
    int32_t id = 0;
    for (const char *role :
         {"pad_token", "eos_token", "mask_token_sent", "mask_token"})
      add(tokenOf(textOf(role)), id++);
    for (int32_t i = 2; i < result.offset; ++i)
      if (id < result.offset)
        add(tokenOf(fmt::format("<unk_{}>", i)), id++);
  }

  /// The text of a role such as eos_token, from the files or else from the
  /// layout.
  std::string textOf(const std::string &role) const {
    for (const auto &[each, text] : layout.specials)
      if (role == each)
        return known.textOf(role, text);
    return known.textOf(role, "");
  }

  std::string languageToken(std::string_view code) const {
    return fmt::format(fmt::runtime(layout.languageToken), code);
  }

  /// Adds the layout's languages, unless the files list some.
  void addLanguageList() {
    bool isListed = std::ranges::any_of(known.all(), [&](const auto &token) {
      return codeIn(token.text, languageToken("*")).has_value();
    });
    if (layout.languageLists.empty() || isListed)
      return;
    std::string name = known.setting(
        "language_codes", std::string(layout.languageLists[0].first));
    for (auto [list, codes] : layout.languageLists)
      for (size_t begin = 0; list == name && begin < codes.size();) {
        size_t end = std::min(codes.find(' ', begin), codes.size());
        add(tokenOf(languageToken(codes.substr(begin, end - begin))));
        begin = end + 1;
      }
  }

  /// Adds all special tokens. Those without an id in the files follow the
  /// pieces; the mask is the last of them.
  void addSpecials() {
    addPegasus();
    addExtraIds();
    addLanguageList();
    std::string mask = textOf("mask_token");
    for (const auto &[role, text] : layout.specials)
      if (textOf(role) != mask)
        add(tokenOf(textOf(role)));
    for (const SpecialTokens::Token &token : known.all())
      if (token.text != mask)
        add(token);
    add(tokenOf(mask, true));
  }

  /// Adds Marian's language tokens, which begin texts.
  void addLanguages() {
    for (const auto &[text, id] : result.numbers)
      if (text.starts_with(">>") && text.ends_with("<<"))
        result.leading.push_back({.text = text, .id = id});
  }

  /// The id of the token with a role. Throws CheckpointError if there is none.
  int32_t needId(const std::string &role) const {
    std::string text = textOf(role);
    auto found = addedIds.find(text);
    if (found == addedIds.end())
      fail("no file says which token the {} is", role);
    return found->second;
  }

  /// The token of the language that texts are in by default.
  std::optional<int32_t> languageId() const {
    std::string name = known.setting("src_lang", layout.language);
    auto found = addedIds.find(languageToken(name));
    return found == addedIds.end() ? std::nullopt
                                   : std::optional(found->second);
  }

  /// The parts that the words of a layout's template stand for.
  std::vector<SentencePieceTokenizer::Part> partsOf(std::string words) const {
    if (layout.hasEndFlags)
      words = withEndFlags(words);
    if (layout.language && known.flag("legacy_behaviour", false))
      words = words.substr(words.find(' ') + 1) + " language";
    std::vector<SentencePieceTokenizer::Part> parts;
    for (size_t begin = 0; begin < words.size();) {
      size_t end = std::min(words.find(' ', begin), words.size());
      std::string word = words.substr(begin, end - begin);
      begin = end + 1;
      if (word == "A" || word == "B")
        parts.push_back({word == "A" ? 0 : 1, 0, {}});
      else if (word != "language")
        parts.push_back({-1, 0, {needId(word)}});
      else if (auto id = languageId())
        parts.push_back({-1, 0, {*id}});
    }
    return parts;
  }
  /// The template with the ends that "add_bos_token" and "add_eos_token"
  /// select; by default a text has a beginning and no end.
  std::string withEndFlags(const std::string &words) const {
    bool begins = known.flag("add_bos_token", true);
    bool ends = known.flag("add_eos_token", false);
    std::string result;
    for (char c : std::string_view(words)) // "bos_token A bos_token B"
      if (c == 'A' || c == 'B')
        result += fmt::format("{}{}{}{}", result.empty() ? "" : " ",
                              begins ? "bos_token " : "", c,
                              ends ? " eos_token" : "");
    return result;
  }
};

} // namespace

std::optional<SentencePieceTokenizer>
readHuggingFacePieces(const Directory &directory,
                      const TokenNumbers *vocabulary) {
  const TokenIdMapping *layout =
      pieceLayoutOf(directory, vocabulary != nullptr);
  if (!layout)
    return std::nullopt;
  return SentencePieceReader(directory, *layout, vocabulary).read();
}

} // namespace transfold::checkpoint
