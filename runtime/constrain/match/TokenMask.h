// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens that may come next.
//
// A walk over all tokens of a vocabulary takes a millisecond. Most of it is
// avoided, without a change of the result:
//
// - Where a state treats all characters of a slice alike, the tokens of such
//   characters are a table, and only the different rests of the other tokens
//   are walked, each once for all tokens that end with it.
// - Where a state differs from such a state only on a few paths, as at the
//   beginning of a key that must not be one of some names, these paths are
//   walked, and the rest is that state's.

#pragma once

#include "runtime/constrain/match/MatchStates.h"
#include "runtime/constrain/match/TokenIndex.h"

namespace transfold::runtime::inline constrain {

/// Computes sets of tokens.
class TokenMask {
public:
  TokenMask(const TokenIndex &index, MatchStates &states);

  /// The tokens that can follow in a state. `isBegin`: before the whole text.
  void compute(uint32_t state, bool isBegin, TokenBits &bits);
  /// The state after the bytes of a token; dead if they cannot follow.
  uint32_t after(uint32_t state, std::string_view text);

private:
  const TokenIndex &index;
  MatchStates &states;
  /// States by depth, of a walk.
  std::vector<uint32_t> path, otherPath;

  bool isAlike(uint32_t state, size_t slice) const {
    return states.alike(state) >> slice & 1;
  }
  bool isSettled(const MatchItem &item) const;
  bool differOnlyInCounts(uint32_t one, uint32_t other) const;
  bool computeText(uint32_t state, size_t slice, TokenBits &bits);
  void addRests(const TokenTrie &rests, uint32_t state, uint32_t lead,
                bool isLast, TokenBits &bits);
  void walk(uint32_t state, TokenBits &bits);
  void walkBeside(uint32_t state, uint32_t other, TokenBits &bits);
  void readFirstSpace(uint32_t state, TokenBits &bits);
};

} // namespace transfold::runtime::inline constrain
