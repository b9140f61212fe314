// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the models of SentencePiece from pieces and their scores.

#include "compiler/tokenizer/sentencepiece/PieceModel.h"

#include "base/Error.h"
#include "compiler/tokenizer/CheckModel.h"
#include "compiler/tokenizer/VocabularyBuilder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace transfold::tokenizer {

using checkpoint::SentencePieceModel;
using Type = SentencePieceModel::Type;
using NumberOf = std::function<int32_t(size_t)>;

bool isWord(const SentencePieceModel &model, size_t number) {
  Type type = model.pieces[number].type;
  // Byte pairs are also merged to unused pieces, which are split again.
  return type == Type::Normal || type == Type::UserDefined ||
         (type == Type::Unused &&
          model.algorithm == SentencePieceModel::Algorithm::Bpe);
}

/// The pieces "<0x00>" to "<0xFF>", by their type; -1 for absent ones.
static runtime::ByteTokens bytesOf(const SentencePieceModel &source,
                                   const NumberOf &numberOf) {
  runtime::ByteTokens bytes;
  bytes.ids.fill(-1);
  for (size_t i = 0; i < source.pieces.size(); ++i)
    if (source.pieces[i].type == Type::Byte)
      for (size_t byte = 0; byte < bytes.ids.size(); ++byte)
        if (source.pieces[i].text == fmt::format("<0x{:02X}>", byte))
          bytes.ids[byte] = numberOf(i);
  return bytes;
}

/// Scores have 32 bits, and SentencePiece computes in that precision.
static runtime::Unigram unigramOf(const SentencePieceModel &source,
                                  const NumberOf &numberOf, int32_t last,
                                  Storage &storage) {
  constexpr float unknownPenalty = 10;
  float least = std::numeric_limits<float>::max();
  // SentencePiece starts from the smallest positive number, so that the maximum
  // is never below zero.
  float most = std::numeric_limits<float>::min();
  bool hasNormal = false;
  for (const SentencePieceModel::Piece &piece : source.pieces)
    if (piece.type == Type::Normal) {
      hasNormal = true;
      least = std::min(least, piece.score);
      most = std::max(most, piece.score);
    }
  if (!hasNormal)
    fail("the unigram model has no ordinary pieces");
  std::vector<double> scores(static_cast<size_t>(last) + 1);
  for (size_t i = 0; i < source.pieces.size(); ++i) {
    const SentencePieceModel::Piece &piece = source.pieces[i];
    double score = piece.score;
    // A user-defined piece is more likely than all pieces that it could be
    // split into.
    if (piece.type == Type::UserDefined)
      score = static_cast<float>(piece.text.size()) * most - 0.1;
    if (isWord(source, i))
      scores[static_cast<size_t>(numberOf(i))] = score;
  }
  runtime::Unigram model;
  model.scores = storage.keep(std::move(scores));
  model.unknown = numberOf(source.unknown);
  model.unknownScore = least - unknownPenalty;
  model.singlePrecision = true;
  if (source.byteFallback)
    model.byteTokens = bytesOf(source, numberOf);
  return model;
}

/// Scores by id; pieces that are not words are never merged to, and keep the
/// score 0.
static runtime::ScoredPairs pairsOf(const SentencePieceModel &source,
                                    const NumberOf &numberOf, int32_t last,
                                    Storage &storage) {
  std::vector<float> scores(static_cast<size_t>(last) + 1);
  std::vector<int32_t> unused;
  for (size_t i = 0; i < source.pieces.size(); ++i) {
    if (isWord(source, i))
      scores[static_cast<size_t>(numberOf(i))] = source.pieces[i].score;
    if (source.pieces[i].type == Type::Unused)
      unused.push_back(numberOf(i));
  }
  std::ranges::sort(unused);
  runtime::ScoredPairs model;
  model.scores = storage.keep(std::move(scores));
  model.unused = storage.keep(std::move(unused));
  model.unknown = numberOf(source.unknown);
  model.byteTokens = bytesOf(source, numberOf);
  model.joinsUnknown = true;
  return model;
}

PieceModel pieceModelOf(const SentencePieceModel &source,
                        const NumberOf &numberOf, int32_t last,
                        Storage &storage) {
  VocabularyBuilder words;
  for (size_t i = 0; i < source.pieces.size(); ++i)
    if (isWord(source, i))
      words.insert(source.pieces[i].text, numberOf(i));
  PieceModel result;
  result.pieces = words.finish(storage);
  if (source.algorithm == SentencePieceModel::Algorithm::Unigram) {
    checkTokenLengths(result.pieces);
    result.model = unigramOf(source, numberOf, last, storage);
  } else {
    result.model = pairsOf(source, numberOf, last, storage);
  }
  return result;
}

} // namespace transfold::tokenizer
