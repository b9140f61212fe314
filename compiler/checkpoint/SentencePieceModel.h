// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of SentencePiece as its file has it: a ModelProto
// (sentencepiece_model.proto), of which this is what encoding and decoding
// need. What such a file must hold is checked here.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEPIECEMODEL_H
#define TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEPIECEMODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace transfold::checkpoint {

struct SentencePieceModel {
  /// The numbers of `SentencePiece.Type`.
  enum class Type : uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
  };
  struct Piece {
    std::string text; // in which U+2581 is a space
    float score = 0;  // finite
    Type type = Type::Normal;
  };
  /// The numbers of `TrainerSpec.ModelType`, as far as they are read.
  enum class Algorithm : uint8_t { Unigram = 1, Bpe = 2 };

  std::string place;         // the file's path, for messages
  std::vector<Piece> pieces; // by number; no two texts are alike
  size_t unknown = 0;        // the number of the one unknown piece
  Algorithm algorithm = Algorithm::Unigram;
  /// Characters that are no piece are the pieces of their bytes, all of which
  /// are there.
  bool byteFallback = false;
  /// Words end with a space instead of beginning with one.
  bool spaceIsSuffix = false;
  /// What the unknown piece becomes in a text.
  std::string unknownSurface = " \u2047 ";

  // What is done to a text before it is cut into pieces, and behind that.
  std::string characterMap; // precompiled_charsmap; may be empty
  bool addDummyPrefix = true, removeExtraSpaces = true, escapeSpaces = true;
  std::string denormalizerMap;

  /// Reads a file. Throws CheckpointError.
  static SentencePieceModel open(const std::string &path);
  /// The same of its bytes.
  static SentencePieceModel read(std::string_view bytes,
                                 const std::string &place);
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_SENTENCEPIECEMODEL_H
