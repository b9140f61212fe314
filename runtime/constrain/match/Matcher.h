// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that follows a grammar, token by token.

#pragma once

#include "runtime/constrain/match/TokenMask.h"

#include <optional>
#include <unordered_map>

namespace transfold::runtime::inline constrain {

class Matcher;

/// What the matchers of one text share: states, and sets of tokens. For use by
/// one thread at a time.
class MatchCache {
public:
  MatchCache(std::shared_ptr<const Grammar> grammar,
             std::shared_ptr<const TokenIndex> index);

private:
  friend Matcher;
  std::shared_ptr<const TokenIndex> index;
  MatchStates states;
  TokenMask mask;
  /// The last sets of tokens, by state; the oldest is replaced.
  std::vector<TokenBits> sets;
  std::vector<uint64_t> keys;
  size_t oldest = 0;
  std::unordered_map<uint64_t, size_t> found;
  std::vector<Matcher *> users;
  size_t shrinkAt; // bytes of states

  const TokenBits &tokensAt(uint32_t state, bool isBegin);
  void shrink();
};

/// The place of one text in a grammar. Copies share what was computed, and go
/// on independently: for beams and drafts.
class Matcher {
public:
  Matcher(std::shared_ptr<const Grammar> grammar,
          std::shared_ptr<const TokenIndex> index);
  Matcher(const Matcher &other);
  Matcher &operator=(const Matcher &other);
  ~Matcher();

  /// Appends a token; returns false, without a change, if it cannot follow.
  bool append(uint32_t token);
  /// Appends bytes, in the same way.
  bool appendText(std::string_view text);
  /// Whether the text may end here.
  bool isComplete() const { return cache->states.isComplete(state); }

  /// One bit for each token that may follow, without those that end a text;
  /// valid until the next call of a function of a matcher of this text. No
  /// bits: the text must end, or the vocabulary cannot continue it.
  const TokenBits &tokens();
  /// The bytes that must follow, as far as there is only one way, at most
  /// `most` of them.
  std::string forcedText(size_t most = 256);
  /// The only token that may follow, if there is one and the text may not end.
  std::optional<uint32_t> forcedToken();

private:
  friend MatchCache;
  std::shared_ptr<MatchCache> cache;
  uint32_t state;
  bool isBegin = true; // nothing was appended yet
};

} // namespace transfold::runtime::inline constrain
