// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a ModelProto. The numbers in the switches are those of the fields in
// sentencepiece_model.proto; fields that are not listed do not affect encoding
// or decoding.

#include "compiler/checkpoint/sentencepiece/SentencePieceModel.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"
#include "compiler/checkpoint/sentencepiece/ProtoMessage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace transfold::checkpoint {

namespace {

using Model = SentencePieceModel;

/// The largest model in use has 256000 pieces; ids have 32 bits.
constexpr size_t mostPieces = size_t{1} << 24;

/// Reads a SentencePiece message.
Model::Piece readPiece(ProtoMessage message) {
  Model::Piece piece;
  while (message.next())
    switch (message.number()) {
    case 1:
      piece.text = message.text("the text of a piece");
      break;
    case 2:
      piece.score = message.real("the score of a piece");
      if (!std::isfinite(piece.score))
        message.fail("the score of a piece is infinite or NaN; the file is "
                     "damaged, fetch it again");
      break;
    case 3: {
      uint64_t type = message.integer("the type of a piece");
      if (type < 1 || type > 6)
        message.fail(
            fmt::format("a piece has the type {}, which is unknown", type));
      piece.type = static_cast<Model::Type>(type);
      break;
    }
    }
  return piece;
}

/// Reads TrainerSpec.model_type. WORD and CHAR are refused.
Model::Algorithm readAlgorithm(const ProtoMessage &field) {
  uint64_t type = field.integer("the kind of the model");
  if (type != 1 && type != 2)
    field.fail(fmt::format(
        "the model is of kind {}, and only UNIGRAM and BPE are supported; "
        "`eval` takes ids instead of text",
        type == 3   ? "WORD"
        : type == 4 ? "CHAR"
                    : std::to_string(type)));
  return static_cast<Model::Algorithm>(type);
}

/// Reads a TrainerSpec.
void readTrainer(ProtoMessage message, Model &model) {
  while (message.next())
    switch (message.number()) {
    case 3:
      model.algorithm = readAlgorithm(message);
      break;
    case 24:
      model.spaceIsSuffix = message.flag("treat_whitespace_as_suffix");
      break;
    case 35:
      model.byteFallback = message.flag("byte_fallback");
      break;
    case 44:
      model.unknownSurface = message.text("unk_surface");
      break;
    }
}

/// Reads the NormalizerSpec that applies before encoding.
void readNormalizer(ProtoMessage message, Model &model) {
  while (message.next())
    switch (message.number()) {
    case 2:
      model.characterMap = message.data("precompiled_charsmap");
      break;
    case 3:
      model.addDummyPrefix = message.flag("add_dummy_prefix");
      break;
    case 4:
      model.removeExtraSpaces = message.flag("remove_extra_whitespaces");
      break;
    case 5:
      model.escapeSpaces = message.flag("escape_whitespaces");
      break;
    }
}

/// Reads the NormalizerSpec that applies after decoding, of which only the map
/// of characters is used.
void readDenormalizer(ProtoMessage message, Model &model) {
  while (message.next())
    if (message.number() == 2)
      model.denormalizerMap = message.data("precompiled_charsmap");
}

/// Checks what SentencePiece also requires of a model.
void check(Model &model) {
  auto fail = [&](const std::string &why) {
    throw CheckpointError(
        fmt::format("{}: {}; the file is damaged, or not a SentencePiece model",
                    model.place, why));
  };
  std::unordered_set<std::string_view> texts;
  size_t unknowns = 0, bytes = 0;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const Model::Piece &piece = model.pieces[i];
    if (piece.text.empty())
      fail(fmt::format("piece {} has no text", i));
    if (!texts.insert(piece.text).second)
      fail(fmt::format("piece {}, '{}', occurs twice", i, piece.text));
    bytes += piece.type == Model::Type::Byte;
    if (piece.type == Model::Type::Unknown) {
      model.unknown = i;
      ++unknowns;
    }
  }
  if (model.pieces.empty())
    fail("has no pieces");
  if (unknowns != 1)
    fail(
        fmt::format("has {} pieces for unknown text, but needs one", unknowns));
  if (bytes != (model.byteFallback ? 256 : 0))
    fail(fmt::format("has {} pieces for bytes, but needs {}", bytes,
                     model.byteFallback ? 256 : 0));
  for (int byte = 0; model.byteFallback && byte < 256; ++byte)
    if (!texts.contains(fmt::format("<0x{:02X}>", byte)))
      fail(fmt::format("has no piece <0x{:02X}>", byte));
}

} // namespace

Model SentencePieceModel::read(std::string_view bytes,
                               const std::string &place) {
  Model model;
  model.place = place;
  ProtoMessage message(bytes, place);
  while (message.next())
    switch (message.number()) {
    case 1:
      if (model.pieces.size() == mostPieces)
        message.fail(fmt::format("there are more than {} pieces", mostPieces));
      model.pieces.push_back(readPiece(message.message("a piece")));
      break;
    case 2:
      readTrainer(message.message("trainer_spec"), model);
      break;
    case 3:
      readNormalizer(message.message("normalizer_spec"), model);
      break;
    case 5:
      readDenormalizer(message.message("denormalizer_spec"), model);
      break;
    }
  check(model);
  return model;
}

Model SentencePieceModel::open(const std::string &path) {
  auto file = MappedFile::open(path);
  return read(file->text(), path);
}

} // namespace transfold::checkpoint
