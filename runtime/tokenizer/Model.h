// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes tokens of a word: WordPiece, byte pairs, a unigram model.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H

#include "runtime/tokenizer/Unicode.h"
#include "runtime/tokenizer/Vocabulary.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace transfold::runtime {

struct TokenizerFile;

/// A token of a text: its id, and the code points [begin, end) it stands for.
struct Token {
  int32_t id;
  uint32_t begin, end;
};

class Model {
public:
  explicit Model(Vocabulary vocabulary) : words(std::move(vocabulary)) {}
  virtual ~Model() = default;

  /// Appends the tokens of one word; no word is empty.
  virtual void tokenize(std::span<const Character> word,
                        std::vector<Token> &tokens) const = 0;

  const Vocabulary &vocabulary() const { return words; }

  /// The model of a file, which loses its tables to it. Throws Error.
  static std::unique_ptr<Model> make(TokenizerFile &file);

protected:
  Vocabulary words;

  /// For models that try every beginning of a word. Throws Error where there
  /// is a token so long that this would take minutes.
  void checkTokenLengths() const;
};

/// A word as UTF-8, and which of its characters each byte belongs to.
class WordBytes {
public:
  explicit WordBytes(std::span<const Character> word);

  std::string_view text() const { return bytes; }
  /// The token of the bytes [begin, end).
  Token token(int32_t id, size_t begin, size_t end) const {
    return {id, word[characters[begin]].begin, word[characters[end - 1]].end};
  }

private:
  std::span<const Character> word;
  std::string bytes;
  std::vector<uint32_t> characters;
};

/// The tokens of bytes, "<0x00>" to "<0xFF>", for characters that have none.
class ByteTokens {
public:
  explicit ByteTokens(const Vocabulary &vocabulary);
  /// Whether each of the bytes has one.
  bool cover(std::string_view bytes) const;
  int32_t operator[](char byte) const {
    return ids[static_cast<unsigned char>(byte)];
  }

private:
  std::array<int32_t, 256> ids; // -1: none
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H
