// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SentencePiece model as stored in its file, a ModelProto
// (sentencepiece_model.proto), reduced to what encoding and decoding need. The
// contents of the file are checked here.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transfold::checkpoint {

/// A SentencePiece model.
struct SentencePieceModel {
  /// Values as in `SentencePiece.Type`.
  enum class Type : uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
  };
  /// An entry of the vocabulary.
  struct Piece {
    std::string text; // U+2581 stands for a space
    float score = 0;  // finite
    Type type = Type::Normal;
  };
  /// Values as in `TrainerSpec.ModelType`, as far as they are supported.
  enum class Algorithm : uint8_t { Unigram = 1, Bpe = 2 };

  std::string place;         // the file's path, for messages
  std::vector<Piece> pieces; // by id; texts are distinct
  size_t unknown = 0;        // the id of the only unknown piece
  Algorithm algorithm = Algorithm::Unigram;
  /// Characters that are not pieces are split into the pieces of their bytes,
  /// all of which exist.
  bool byteFallback = false;
  /// Words end with a space instead of beginning with one.
  bool spaceIsSuffix = false;
  /// The text that the unknown piece is decoded to.
  std::string unknownSurface = " \u2047 ";

  // Processing of a text before it is split into pieces, and after decoding.
  std::string characterMap; // precompiled_charsmap; may be empty
  bool addDummyPrefix = true, removeExtraSpaces = true, escapeSpaces = true;
  std::string denormalizerMap;

  /// Reads and checks a file. Throws CheckpointError.
  static SentencePieceModel open(const std::string &path);
  /// The same for the bytes of a file.
  static SentencePieceModel read(std::string_view bytes,
                                 const std::string &place);
};

} // namespace transfold::checkpoint
