// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/TokenMask.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

constexpr uint32_t dead = MatchStates::dead;

void setToken(TokenBits &bits, uint32_t token) {
  bits[token / 64] |= uint64_t{1} << token % 64;
}

void clearToken(TokenBits &bits, uint32_t token) {
  bits[token / 64] &= ~(uint64_t{1} << token % 64);
}

} // namespace

TokenMask::TokenMask(const TokenIndex &index, MatchStates &states)
    : index(index), states(states), path(index.longest() + 1),
      otherPath(index.longest() + 1) {}

uint32_t TokenMask::after(uint32_t state, std::string_view text) {
  for (char byte : text) {
    if (state == dead)
      break;
    state = states.next(state, static_cast<uint8_t>(byte));
  }
  return state;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// Adds the tokens that can follow in a state.
void TokenMask::walk(uint32_t state, TokenBits &bits) {
  const TokenTrie &trie = index.trie();
  auto nodes = trie.nodes();
  path[0] = state;
  for (size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node node = nodes[i];
    const uint32_t next = states.next(path[node.depth], node.byte);
    if (next == dead) {
      i = node.end;
      continue;
    }
    path[node.depth + 1] = next;
    for (const TokenTrie::Entry &entry : trie.entries(i))
      setToken(bits, entry.token);
    ++i;
  }
}

/// Changes the tokens that can follow in the state `other` to those that can
/// follow in `state`: only where the bytes so far lead to different states.
void TokenMask::walkBeside(uint32_t state, uint32_t other, TokenBits &bits) {
  const TokenTrie &trie = index.trie();
  auto nodes = trie.nodes();
  path[0] = state;
  otherPath[0] = other;
  for (size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node node = nodes[i];
    const uint32_t next = states.next(path[node.depth], node.byte),
                   otherNext = states.next(otherPath[node.depth], node.byte);
    if (next == otherNext) {
      i = node.end;
      continue;
    }
    path[node.depth + 1] = next;
    otherPath[node.depth + 1] = otherNext;
    for (const TokenTrie::Entry &entry : trie.entries(i))
      next != dead ? setToken(bits, entry.token)
                   : clearToken(bits, entry.token);
    ++i;
  }
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Whether no token is long enough that the number of words read so far
/// matters.
bool TokenMask::isSettled(const MatchItem &item) const {
  const GrammarNode &node = states.grammar().node(item.node);
  return item.count >= node.least && (node.most == Grammar::unlimited ||
                                      node.most - item.count > index.longest());
}

/// Whether two states have the same items, but for numbers that do not matter.
bool TokenMask::differOnlyInCounts(uint32_t one, uint32_t other) const {
  // The end of the text reads nothing, so that it does not matter either.
  auto read = [&](uint32_t state) {
    auto items = states.items(state);
    if (!items.empty() && items.back().node == MatchItem::endOfText)
      items = items.first(items.size() - 1);
    return items;
  };
  return std::ranges::equal(
      read(one), read(other), [&](const MatchItem &a, const MatchItem &b) {
        return a.node == b.node && a.place == b.place && a.after == b.after &&
               (a.count == b.count || (isSettled(a) && isSettled(b)));
      });
}

/// Adds the tokens that have `lead` characters of the slice (`isLast`: or more)
/// before a rest that can follow in a state.
void TokenMask::addRests(const TokenTrie &rests, uint32_t state, uint32_t lead,
                         bool isLast, TokenBits &bits) {
  auto nodes = rests.nodes();
  path[0] = state;
  for (size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node node = nodes[i];
    const uint32_t next = states.next(path[node.depth], node.byte);
    if (next == dead) {
      i = node.end;
      continue;
    }
    path[node.depth + 1] = next;
    auto entries = rests.entries(i);
    auto from = lead == 0 ? entries.begin()
                          : std::ranges::lower_bound(entries, lead, {},
                                                     &TokenTrie::Entry::lead);
    for (; from != entries.end() && (isLast || from->lead == lead); ++from)
      setToken(bits, from->token);
    ++i;
  }
}

/// The tokens in a state that treats the characters of a slice alike. Returns
/// false, with no change, if a state after some of them does not.
bool TokenMask::computeText(uint32_t state, size_t slice, TokenBits &bits) {
  constexpr size_t most = TokenIndex::mostLead;
  const uint8_t example = textSlices()[slice].example;
  const TokenIndex::Slice &tokens = index.slice(slice);
  // The states after 0, 1, … characters, until they repeat or there are none.
  std::vector<uint32_t> chain = {state};
  bool isEndless = false;
  while (chain.size() <= most + 1) {
    if (!isAlike(chain.back(), slice))
      return false;
    const uint32_t next = states.next(chain.back(), example);
    if (next == dead)
      break;
    if (next == chain.back() || differOnlyInCounts(next, chain.back())) {
      isEndless = true;
      break;
    }
    chain.push_back(next);
  }
  bits = tokens.upTo[isEndless ? most : std::min(chain.size() - 1, most)];
  const size_t leads = std::min(chain.size(), most + 1);
  for (size_t lead = 0; lead < leads; ++lead)
    addRests(tokens.rests, chain[lead], static_cast<uint32_t>(lead),
             isEndless && lead + 1 == chain.size(), bits);
  if (isEndless || chain.size() > most)
    for (uint32_t token : tokens.longTokens)
      if (after(state, index.text(token)) != dead)
        setToken(bits, token);
  return true;
}

void TokenMask::compute(uint32_t state, bool isBegin, TokenBits &bits) {
  auto computeAny = [&] {
    for (size_t slice = 0; slice < sliceCount; ++slice)
      if (isAlike(state, slice) &&
          states.next(state, textSlices()[slice].example) != dead &&
          computeText(state, slice, bits))
        return;
    // The state after a character of a slice, if it treats others alike.
    for (size_t slice = 0; slice < sliceCount; ++slice) {
      const uint32_t other = states.next(state, textSlices()[slice].example);
      if (other == dead || !isAlike(other, slice) ||
          !computeText(other, slice, bits))
        continue;
      return walkBeside(state, other, bits);
    }
    bits.assign(index.words(), 0);
    walk(state, bits);
  };
  computeAny();
  if (isBegin && index.dropsSpace())
    readFirstSpace(state, bits);
}

/// At the beginning of a text, a space before it counts as nothing.
void TokenMask::readFirstSpace(uint32_t state, TokenBits &bits) {
  const TokenTrie &trie = index.trie();
  auto nodes = trie.nodes();
  size_t space = 0;
  while (space < nodes.size() && nodes[space].byte != ' ')
    space = nodes[space].end;
  if (space == nodes.size())
    return;
  bool isAllowed = true;
  path[1] = state;
  for (size_t i = space; i < nodes[space].end; ++i) {
    const TokenTrie::Node node = nodes[i];
    if (i > space)
      path[node.depth + 1] = path[node.depth] == dead
                                 ? dead
                                 : states.next(path[node.depth], node.byte);
    isAllowed = path[node.depth + 1] != dead;
    for (const TokenTrie::Entry &entry : trie.entries(i))
      isAllowed ? setToken(bits, entry.token) : clearToken(bits, entry.token);
  }
}

} // namespace transfold::runtime::inline constrain
