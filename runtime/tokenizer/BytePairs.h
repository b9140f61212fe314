// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte pair encoding (Sennrich et al. 2016): the characters of a word, joined
// in pairs in the order in which the merges were learnt.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_BYTEPAIRS_H
#define TRANSFOLD_RUNTIME_TOKENIZER_BYTEPAIRS_H

#include "runtime/tokenizer/Model.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime {

class Merges;

class BytePairs : public Model {
public:
  /// Reads a tokenizer's "model" of type BPE. Throws Error.
  BytePairs(const nlohmann::json &settings, Vocabulary vocabulary,
            const Merges &merges);

  void tokenize(std::span<const Character> word,
                std::vector<Token> &tokens) const override;

private:
  /// What a pair of tokens becomes, and how early it was learnt.
  struct Merge {
    uint64_t pair;
    uint32_t rank;
    int32_t id; // -1: an empty place of the table
  };
  /// A part of the word; parts are linked, since most disappear.
  struct Symbol {
    int32_t id;
    uint32_t bytes; // 0: joined to the one before
    int32_t before, after;
  };

  std::vector<Merge> table; // open-addressed; a power of two, half full at most
  std::string continuing, wordEnd; // added to characters inside, at the end
  std::optional<int32_t> unknown;
  bool fuseUnknown, wholeWords;
  std::optional<ByteTokens> byteTokens;

  void readMerges(const Merges &merges);
  size_t placeOf(uint64_t pair) const;
  const Merge *merge(int32_t left, int32_t right) const;
  std::vector<Symbol> symbols(std::string_view word) const;
  void join(std::vector<Symbol> &symbols) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_BYTEPAIRS_H
