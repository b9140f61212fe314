// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/BytePairs.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Settings.h"
#include "runtime/tokenizer/TokenizerFile.h"

#include <bit>
#include <queue>

namespace transfold::runtime {

namespace {

uint64_t pairOf(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 |
         static_cast<uint32_t>(right);
}

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump();
}

} // namespace

BytePairs::BytePairs(const nlohmann::json &settings, Vocabulary vocabulary,
                     const Merges &merges)
    : Model(std::move(vocabulary)),
      continuing(affixOr(settings, "continuing_subword_prefix", "")),
      wordEnd(affixOr(settings, "end_of_word_suffix", "")),
      fuseUnknown(flag(settings, "fuse_unk", false)),
      wholeWords(flag(settings, "ignore_merges", false)) {
  std::string unknownText = textOr(settings, "unk_token", "");
  if (!unknownText.empty()) {
    unknown = words.find(unknownText);
    if (!unknown)
      fail("tokenizer.json: the vocabulary lacks the unknown token '{}'",
           unknownText);
  }
  if (flag(settings, "byte_fallback", false))
    byteTokens.emplace(words);
  readMerges(merges);
}

void BytePairs::readMerges(const Merges &merges) {
  table.assign(std::bit_ceil(2 * merges.size() + 2), {0, 0, -1});
  std::string whole;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    auto [left, right] = merges[rank];
    auto idOfPart = [&](std::string_view part) {
      auto id = words.find(part);
      if (!id)
        fail("tokenizer.json: merge {} makes or needs {}, which is not in the "
             "vocabulary",
             rank + 1, quoted(part));
      return *id;
    };
    uint64_t pair = pairOf(idOfPart(left), idOfPart(right));
    if (right.size() < continuing.size())
      fail("tokenizer.json: merge {} lacks the prefix '{}'", rank + 1,
           continuing);
    whole = left;
    whole += right.substr(continuing.size());
    // Of two merges of one pair the later counts, as in tokenizers.
    table[placeOf(pair)] = {pair, static_cast<uint32_t>(rank), idOfPart(whole)};
  }
}

/// The place of a pair, or the empty one where it belongs.
size_t BytePairs::placeOf(uint64_t pair) const {
  uint64_t hash = pair * 0x9e3779b97f4a7c15;
  size_t mask = table.size() - 1;
  for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask)
    if (table[at].id < 0 || table[at].pair == pair)
      return at;
}

const BytePairs::Merge *BytePairs::merge(int32_t left, int32_t right) const {
  const Merge &found = table[placeOf(pairOf(left, right))];
  return found.id < 0 ? nullptr : &found;
}

std::vector<BytePairs::Symbol> BytePairs::symbols(std::string_view word) const {
  std::vector<Symbol> symbols;
  auto append = [&](int32_t id, size_t bytes) {
    auto at = static_cast<int32_t>(symbols.size());
    if (at > 0)
      symbols.back().after = at;
    symbols.push_back({id, static_cast<uint32_t>(bytes), at - 1, -1});
  };
  size_t unknownBytes = 0; // of an unknown token that may go on
  auto endUnknown = [&] {
    if (unknownBytes)
      append(*unknown, std::exchange(unknownBytes, 0));
  };
  std::string text;
  for (size_t begin = 0, end; begin < word.size(); begin = end) {
    end = begin + 1;
    while (end < word.size() && (word[end] & 0xc0) == 0x80)
      ++end;
    text = begin ? continuing : "";
    text += word.substr(begin, end - begin);
    if (end == word.size())
      text += wordEnd;
    if (auto id = words.find(text)) {
      endUnknown();
      append(*id, end - begin);
    } else if (byteTokens && byteTokens->cover(text)) {
      for (char byte : text)
        append((*byteTokens)[byte], 1);
    } else if (unknown) {
      if (!fuseUnknown)
        endUnknown();
      unknownBytes += end - begin;
    } // else the character is dropped, as in tokenizers
  }
  endUnknown();
  return symbols;
}

void BytePairs::join(std::vector<Symbol> &symbols) const {
  struct Candidate {
    uint32_t rank;
    int32_t at, id;
    bool operator>(const Candidate &other) const {
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  auto consider = [&](int32_t at) {
    if (at < 0 || symbols[static_cast<size_t>(at)].after < 0)
      return;
    const Symbol &left = symbols[static_cast<size_t>(at)];
    if (const Merge *found =
            merge(left.id, symbols[static_cast<size_t>(left.after)].id))
      queue.push({found->rank, at, found->id});
  };
  for (size_t i = 0; i < symbols.size(); ++i)
    consider(static_cast<int32_t>(i));
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    Symbol &left = symbols[static_cast<size_t>(best.at)];
    if (left.bytes == 0 || left.after < 0)
      continue;
    Symbol &right = symbols[static_cast<size_t>(left.after)];
    // The pair may have changed since.
    const Merge *current = merge(left.id, right.id);
    if (!current || current->id != best.id)
      continue;
    left.id = best.id;
    left.bytes += right.bytes;
    left.after = right.after;
    right.bytes = 0;
    if (left.after >= 0)
      symbols[static_cast<size_t>(left.after)].before = best.at;
    consider(left.before);
    consider(best.at);
  }
}

void BytePairs::tokenize(std::span<const Character> word,
                         std::vector<Token> &tokens) const {
  WordBytes bytes(word);
  std::string_view text = bytes.text();
  if (wholeWords)
    if (auto id = words.find(text)) {
      tokens.push_back(bytes.token(*id, 0, text.size()));
      return;
    }
  std::vector<Symbol> parts = symbols(text);
  join(parts);
  size_t begin = 0;
  for (const Symbol &symbol : parts) {
    if (!symbol.bytes)
      continue;
    size_t end = std::min(begin + symbol.bytes, text.size());
    tokens.push_back(bytes.token(symbol.id, std::min(begin, end - 1), end));
    begin = end;
  }
}

} // namespace transfold::runtime
