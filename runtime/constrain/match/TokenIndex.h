// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vocabulary, prepared for constraints: made once for a program, and used by
// all requests.

#pragma once

#include "runtime/constrain/grammar/TextSlice.h"
#include "runtime/constrain/match/TokenTrie.h"

#include <string>

namespace transfold::runtime::inline constrain {

/// One bit for each token.
using TokenBits = std::vector<uint64_t>;

/// The tokens of a vocabulary by their bytes.
class TokenIndex {
public:
  /// The most characters of a slice at the beginning of a token for which there
  /// are tables.
  static constexpr size_t mostLead = 32;

  /// The bytes that each token adds to a text; tokens without bytes (special
  /// ones) are never allowed. `dropsSpace`: a space at the beginning of the
  /// whole text is not part of it.
  explicit TokenIndex(std::vector<std::string> tokens, bool dropsSpace = false);
  TokenIndex(const TokenIndex &) = delete; // tries refer to the texts
  TokenIndex &operator=(const TokenIndex &) = delete;

  size_t size() const { return texts.size(); }
  /// Number of words of a set of tokens.
  size_t words() const { return (size() + 63) / 64; }
  std::string_view text(uint32_t token) const { return texts[token]; }
  bool dropsSpace() const { return dropsFirstSpace; }
  const TokenTrie &trie() const { return all; }
  size_t longest() const { return all.deepest(); }

  /// Tokens by what follows their first characters that are in a slice.
  struct Slice {
    /// Tokens of at most n characters of the slice and nothing else.
    std::vector<TokenBits> upTo;
    /// The rests of other tokens; their lead is the number of characters before
    /// the rest, at most mostLead.
    TokenTrie rests;
    /// Tokens that begin with more characters of the slice.
    std::vector<uint32_t> longTokens;
  };
  const Slice &slice(size_t i) const { return slices[i]; }

private:
  std::vector<std::string> texts;
  bool dropsFirstSpace;
  TokenTrie all;
  std::array<Slice, sliceCount> slices;

  void fill(Slice &slice, const Dfa &character) const;
};

} // namespace transfold::runtime::inline constrain
