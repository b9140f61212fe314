// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a SentencePiece model together with the numbering of its container. If
// ids are not the positions of pieces, the model works on positions, and a
// table maps them to ids afterwards.

#include "compiler/tokenizer/sentencepiece/ReadSentencePiece.h"

#include "base/Error.h"
#include "compiler/tokenizer/AddedTokensBuilder.h"
#include "compiler/tokenizer/ReadCharacterMap.h"
#include "compiler/tokenizer/VocabularyBuilder.h"
#include "compiler/tokenizer/sentencepiece/PieceModel.h"

#include <unordered_map>

namespace transfold::tokenizer {

using checkpoint::SentencePieceModel;
using checkpoint::SentencePieceTokenizer;
using runtime::Description;
using Type = SentencePieceModel::Type;

namespace {

/// Fills the description of one tokenizer.
class Reader {
public:
  Reader(const SentencePieceTokenizer &source, Storage &storage)
      : source(source), own(source.model), storage(storage) {
    for (const SentencePieceTokenizer::Token &token : source.added)
      addedIds.emplace(token.text, token.id);
  }

  Description read() {
    readModel();
    readAdded();
    readFixedPieces();
    description.normalizer.steps = {normalizer()};
    description.decoder.emplace();
    description.decoder->steps = {decoder()};
    description.postProcessor.single = partsOf(source.single);
    description.postProcessor.pair = partsOf(source.pair);
    return std::move(description);
  }

private:
  const SentencePieceTokenizer &source;
  const SentencePieceModel &own;
  Storage &storage;
  Description description;
  std::unordered_map<std::string_view, int32_t> addedIds;

  /// The id of a piece in the vocabulary of the model.
  int32_t idOf(size_t number) const {
    const std::string &text = own.pieces[number].text;
    if (auto added = addedIds.find(text); added != addedIds.end())
      return added->second;
    if (source.numbers.empty())
      return static_cast<int32_t>(number) + source.offset;
    auto named = source.numbers.find(text);
    return named == source.numbers.end() ? source.unknown : named->second;
  }

  /// Whether ids are the positions of the pieces, up to a constant offset, so
  /// that pieces can be identified by their ids.
  bool areIdsNumbers() const {
    if (!source.numbers.empty())
      return false;
    for (size_t i = 0; i < own.pieces.size(); ++i)
      if (isWord(own, i) && addedIds.contains(own.pieces[i].text))
        return false;
    return idOf(own.unknown) <= lastId();
  }
  /// The largest id of a piece, if ids are positions plus the offset.
  int32_t lastId() const {
    return static_cast<int32_t>(own.pieces.size()) - 1 + source.offset;
  }

  /// Builds the model over ids, or over positions with a table of ids.
  void readModel() {
    auto idOfPiece = [&](size_t number) { return idOf(number); };
    if (areIdsNumbers()) {
      PieceModel model = pieceModelOf(own, idOfPiece, lastId(), storage);
      description.vocabulary = model.pieces;
      std::visit([&](auto &each) { description.model = each; }, model.model);
      return;
    }
    auto last = static_cast<int32_t>(own.pieces.size()) - 1;
    PieceModel model = pieceModelOf(
        own, [](size_t number) { return static_cast<int32_t>(number); }, last,
        storage);
    runtime::NamedPieces named;
    named.pieces = model.pieces;
    named.model = model.model;
    std::vector<int32_t> ids;
    for (size_t i = 0; i < own.pieces.size(); ++i)
      ids.push_back(idOf(i));
    named.ids = storage.keep(std::move(ids));
    named.unknownPiece = static_cast<int32_t>(own.unknown);
    description.model = named;
    VocabularyBuilder words;
    for (const auto &[text, id] : source.numbers)
      words.insert(text, id);
    for (size_t i = 0; source.numbers.empty() && i < own.pieces.size(); ++i)
      words.insert(own.pieces[i].text, idOf(i));
    description.vocabulary = words.finish(storage);
  }

  static runtime::AddedTokens::Token
  tokenOf(const SentencePieceTokenizer::Token &token) {
    return {token.id, token.special, token.singleWord, token.leftStrip,
            token.rightStrip};
  }

  /// Tokens that are matched verbatim in texts.
  void readAdded() {
    AddedTokensBuilder raw, leading;
    for (const SentencePieceTokenizer::Token &token : source.added)
      raw.add(decodeUtf8(token.text), tokenOf(token));
    for (const SentencePieceTokenizer::Token &token : source.leading)
      leading.add(decodeUtf8(token.text), tokenOf(token));
    description.rawTokens = raw.finish(storage);
    description.leadingTokens = leading.finish(storage);
  }

  /// Pieces that the model never splits a text into, and user-defined pieces.
  void readFixedPieces() {
    const std::string &unknown = own.pieces[own.unknown].text;
    AddedTextsBuilder texts;
    AddedTokensBuilder inNormalized;
    for (size_t i = 0; i < own.pieces.size(); ++i) {
      const auto &[text, score, type] = own.pieces[i];
      bool isNamed = source.numbers.empty() || source.numbers.contains(text);
      if (!isWord(own, i) && isNamed)
        texts.add(idOf(i), text, type == Type::Control);
      // A unigram model selects them by their scores.
      if (type == Type::UserDefined &&
          own.algorithm == SentencePieceModel::Algorithm::Bpe)
        inNormalized.add(decodeUtf8(text), {idOf(i), 0, 0, 0, 0});
    }
    // The unknown token stays visible in texts.
    for (const std::vector<SentencePieceTokenizer::Token> *list :
         {&source.added, &source.leading})
      for (const SentencePieceTokenizer::Token &token : *list)
        texts.add(token.id, token.text, token.special && token.text != unknown);
    description.normalizedTokens = inNormalized.finish(storage);
    description.added = texts.finish(storage);
  }

  /// The normalization before encoding. User-defined pieces are kept as they
  /// are.
  runtime::PieceNormalizer normalizer() {
    runtime::PieceNormalizer step;
    step.map = readCharacterMap(own.characterMap, storage);
    step.map.longest = true;
    VocabularyBuilder kept;
    for (const SentencePieceModel::Piece &piece : own.pieces)
      if (piece.type == Type::UserDefined)
        kept.insert(piece.text, 0);
    step.kept = kept.finish(storage);
    step.prefix = !own.addDummyPrefix        ? runtime::PieceNormalizer::Never
                  : source.prefixesTextsOnly ? runtime::PieceNormalizer::First
                                             : runtime::PieceNormalizer::Always;
    step.removeExtra = own.removeExtraSpaces;
    step.escape = own.escapeSpaces;
    step.spaceIsSuffix = own.spaceIsSuffix;
    return step;
  }

  /// The rules for joining pieces, which may be those of another model
  /// (`writer`).
  runtime::JoinPieces decoder() {
    const SentencePieceModel &writer =
        source.writer ? *source.writer : source.model;
    runtime::JoinPieces step;
    step.dropsSpace = writer.addDummyPrefix || writer.removeExtraSpaces;
    step.dropsSpaces = writer.removeExtraSpaces;
    step.unknown = writer.pieces[writer.unknown].text;
    step.surface = writer.unknownSurface;
    step.denormalizer = readCharacterMap(writer.denormalizerMap, storage);
    step.denormalizer.longest = true;
    return step;
  }

  static std::vector<runtime::PostProcessor::Part>
  partsOf(const std::vector<SentencePieceTokenizer::Part> &parts) {
    std::vector<runtime::PostProcessor::Part> result;
    for (const auto &[text, type, ids] : parts)
      result.push_back({text, type, ids});
    return result;
  }
};

} // namespace

Description readSentencePiece(const SentencePieceTokenizer &source,
                              Storage &storage) {
  return Reader(source, storage).read();
}

} // namespace transfold::tokenizer
