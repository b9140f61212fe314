// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's tokenizer as its container has it. Nothing is checked here: the
// compiler of tokenizers (compiler/tokenizer) says what it can make of it.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_TOKENIZERSOURCE_H
#define TRANSFOLD_COMPILER_CHECKPOINT_TOKENIZERSOURCE_H

#include "compiler/checkpoint/SentencePieceModel.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::checkpoint {

/// The text of Hugging Face's tokenizer.json.
struct TokenizerJson {
  std::string place; // the path of the file, for messages
  std::string text;
};

/// What GGUF files say in the keys `tokenizer.ggml.…`: a field has the name of
/// its key. Strings may be any bytes. A key that is not in the file is an empty
/// vector, an empty string or nothing, and means what llama.cpp takes it to
/// mean for this `model`.
struct GgufTokenizer {
  std::string place; // the path of the file, for messages

  std::string model; // "llama", "gpt2", "bert", "t5"
  std::string pre;   // the named pre-tokenizer of "gpt2"

  std::vector<std::string> tokens; // by id
  std::vector<float> scores;       // of each id
  std::vector<int32_t> tokenTypes; // of each id: token_type; enum GgufTokenType
  std::vector<std::string> merges; // "LEFT RIGHT", best first

  std::optional<uint32_t> bos, eos, eot, unknown, separator, padding, cls, mask;
  std::optional<bool> addBos, addEos, addSep;
  std::optional<bool> addSpacePrefix, removeExtraWhitespaces;
  std::string precompiledCharsmap; // its bytes
  /// normalizer.lowercase and normalizer.strip_accents, of "bert".
  std::optional<bool> lowercase, stripAccents;
};

/// The numbers of `token_type`.
enum class GgufTokenType : int32_t {
  Undefined = 0,
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6,
};

/// A model of SentencePiece, and what the files beside it say: how its pieces
/// are numbered, and which tokens there are beside them.
struct SentencePieceTokenizer {
  /// What cuts texts into pieces. What joins them again may be another one, of
  /// which only that is read.
  SentencePieceModel model;
  std::optional<SentencePieceModel> writer;

  /// The number of a piece is its own plus this.
  int32_t offset = 0;
  /// But where this is not empty, it is the number of the text here, and
  /// `unknown` where there is none.
  std::map<std::string, int32_t, std::less<>> numbers;
  int32_t unknown = 0;

  /// A token beside the pieces, or in the place of the piece with its text. It
  /// is found in texts as it stands.
  struct Token {
    std::string text;
    int32_t id = 0;
    bool special = true; // decoding leaves it out unless it is asked for
    bool leftStrip = false, rightStrip = false, singleWord = false;
  };
  std::vector<Token> added;
  /// Found at the beginning of a text only: ">>de<<".
  std::vector<Token> leading;

  /// What the model reads of one text, and of two: `ids`, or the pieces of
  /// text 0 or 1.
  struct Part {
    int text = -1;
    int32_t type = 0;
    std::vector<int32_t> ids;
  };
  std::vector<Part> single{{0, 0, {}}}, pair{{0, 0, {}}, {1, 0, {}}};
  /// The dummy prefix comes before texts only; else also behind added tokens.
  bool prefixesTextsOnly = false;
};

/// Nothing where a model has no tokenizer.
using TokenizerSource = std::variant<std::monostate, TokenizerJson,
                                     GgufTokenizer, SentencePieceTokenizer>;

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_TOKENIZERSOURCE_H
