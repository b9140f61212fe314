// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/CodeSet.h"

#include "base/text/Unicode.h"

#include <algorithm>
#include <string>

namespace transfold::runtime::inline constrain {

namespace {

constexpr char32_t firstSurrogate = 0xD800, lastSurrogate = 0xDFFF,
                   lastCode = 0x10FFFF;

} // namespace

CodeSet::CodeSet(std::initializer_list<CodeRange> ranges) {
  for (auto [low, high] : ranges)
    add(low, high);
}

CodeSet CodeSet::all() { return {{0, lastCode}}; }

void CodeSet::add(char32_t low, char32_t high) {
  high = std::min(high, lastCode);
  if (low > high)
    return;
  if (low <= lastSurrogate && high >= firstSurrogate) {
    if (low < firstSurrogate)
      add(low, firstSurrogate - 1);
    if (high > lastSurrogate)
      add(lastSurrogate + 1, high);
    return;
  }
  stored.push_back({low, high});
  isSorted = false;
}

void CodeSet::add(const CodeSet &other) {
  for (auto [low, high] : other.ranges())
    add(low, high);
}

std::span<const CodeRange> CodeSet::ranges() const {
  if (isSorted)
    return stored;
  std::ranges::sort(stored, {}, &CodeRange::low);
  size_t kept = 0;
  for (CodeRange range : stored) {
    if (kept > 0 && range.low <= stored[kept - 1].high + 1)
      stored[kept - 1].high = std::max(stored[kept - 1].high, range.high);
    else
      stored[kept++] = range;
  }
  stored.resize(kept);
  isSorted = true;
  return stored;
}

CodeSet CodeSet::complement() const {
  CodeSet result;
  char32_t next = 0;
  for (auto [low, high] : ranges()) {
    if (low > next)
      result.add(next, low - 1);
    next = high + 1;
  }
  result.add(next, lastCode);
  return result;
}

CodeSet CodeSet::intersect(const CodeSet &other) const {
  CodeSet result;
  auto mine = ranges(), others = other.ranges();
  for (size_t i = 0, j = 0; i < mine.size() && j < others.size();) {
    char32_t low = std::max(mine[i].low, others[j].low),
             high = std::min(mine[i].high, others[j].high);
    if (low <= high)
      result.add(low, high);
    if (mine[i].high < others[j].high)
      ++i;
    else
      ++j;
  }
  return result;
}

bool CodeSet::has(char32_t code) const {
  auto all = ranges();
  auto after = std::ranges::upper_bound(all, code, {}, &CodeRange::low);
  return after != all.begin() && std::prev(after)->high >= code;
}

/// Splits a range until all its code points have sequences of the same ranges:
/// where the length changes, and where a continuation byte does not run through
/// all its values.
void appendUtf8Sequences(CodeRange range, std::vector<ByteSequence> &to) {
  auto [low, high] = range;
  auto split = [&](char32_t end) {
    appendUtf8Sequences({low, end}, to);
    appendUtf8Sequences({end + 1, high}, to);
  };
  for (char32_t bound : {0x7F, 0x7FF, 0xFFFF})
    if (low <= bound && high > bound)
      return split(bound);
  const int continuations = low <= 0x7F     ? 0
                            : low <= 0x7FF  ? 1
                            : low <= 0xFFFF ? 2
                                            : 3;
  for (int i = 1; i <= continuations; ++i) {
    const char32_t mask = (char32_t{1} << (6 * i)) - 1;
    if ((low & ~mask) == (high & ~mask))
      continue;
    if ((low & mask) != 0)
      return split(low | mask);
    if ((high & mask) != mask)
      return split((high & ~mask) - 1);
  }
  std::string first, last;
  appendUtf8(first, low);
  appendUtf8(last, high);
  ByteSequence sequence{.bytes = {}, .size = first.size()};
  for (size_t i = 0; i < first.size(); ++i)
    sequence.bytes[i] = {static_cast<uint8_t>(first[i]),
                         static_cast<uint8_t>(last[i])};
  to.push_back(sequence);
}

} // namespace transfold::runtime::inline constrain
