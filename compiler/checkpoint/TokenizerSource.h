// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's tokenizer as stored in its container. Nothing is checked here: the
// compiler of tokenizers (compiler/tokenizer) decides what it supports.

#pragma once

#include "compiler/checkpoint/sentencepiece/SentencePieceModel.h"

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

/// The values of the keys `tokenizer.ggml.…` of GGUF files; fields are named
/// after their keys. Strings may be any bytes. An absent key is an empty
/// vector, an empty string or nullopt, and has the meaning that llama.cpp gives
/// it for this `model`.
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
  /// normalizer.lowercase and normalizer.strip_accents, for "bert".
  std::optional<bool> lowercase, stripAccents;
};

/// The values of `token_type`.
enum class GgufTokenType : int32_t {
  Undefined = 0,
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6,
};

/// A SentencePiece model, with the data of the files beside it: how its pieces
/// are numbered, and which other tokens there are.
struct SentencePieceTokenizer {
  /// The model that splits texts into pieces. Another one, `writer`, may join
  /// pieces again; only its settings for that are used.
  SentencePieceModel model;
  std::optional<SentencePieceModel> writer;

  /// The id of a piece is its own number plus this.
  int32_t offset = 0;
  /// If this is not empty, the id is instead that of the piece's text here, or
  /// `unknown` if the text is absent.
  std::map<std::string, int32_t, std::less<>> numbers;
  int32_t unknown = 0;

  /// A token that is not a piece, or that replaces the piece with its text. It
  /// is matched verbatim in texts.
  struct Token {
    std::string text;
    int32_t id = 0;
    bool special = true; // decoding omits it by default
    bool leftStrip = false, rightStrip = false, singleWord = false;
  };
  std::vector<Token> added;
  /// Matched only at the beginning of a text: ">>de<<".
  std::vector<Token> leading;

  /// What the model reads for one text, and for two: `ids`, or the pieces of
  /// text 0 or 1.
  struct Part {
    int text = -1;
    int32_t type = 0;
    std::vector<int32_t> ids;
  };
  std::vector<Part> single{{0, 0, {}}}, pair{{0, 0, {}}, {1, 0, {}}};
  /// The dummy prefix is only added before texts; otherwise also after added
  /// tokens.
  bool prefixesTextsOnly = false;
};

/// Empty (monostate) if a model has no tokenizer.
using TokenizerSource = std::variant<std::monostate, TokenizerJson,
                                     GgufTokenizer, SentencePieceTokenizer>;

} // namespace transfold::checkpoint
