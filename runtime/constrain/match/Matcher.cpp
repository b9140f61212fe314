// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/Matcher.h"

#include <algorithm>
#include <bit>

namespace transfold::runtime::inline constrain {

namespace {

/// Memory for sets of tokens, in bytes, and their largest number.
constexpr size_t bytesForSets = 2 << 20, mostSets = 256;
/// States are forgotten when they need more memory than this.
constexpr size_t usualStateBytes = 4 << 20;
/// A text is read in pieces of this many bytes, between which states may be
/// forgotten.
constexpr size_t pieceBytes = 16;

} // namespace

MatchCache::MatchCache(std::shared_ptr<const Grammar> grammar,
                       std::shared_ptr<const TokenIndex> index)
    : index(std::move(index)), states(std::move(grammar)),
      mask(*this->index, states) {
  const size_t bytes = std::max<size_t>(1, this->index->words() * 8);
  shrinkAt = usualStateBytes;
  sets.resize(std::clamp<size_t>(bytesForSets / bytes, 4, mostSets));
  keys.assign(sets.size(), UINT64_MAX);
}

const TokenBits &MatchCache::tokensAt(uint32_t state, bool isBegin) {
  const uint64_t key = uint64_t{state} << 1 | isBegin;
  auto [place, isNew] = found.try_emplace(key, oldest);
  if (!isNew)
    return sets[place->second];
  found.erase(keys[oldest]);
  keys[oldest] = UINT64_MAX;
  found.erase(key);
  TokenBits &bits = sets[oldest];
  mask.compute(state, isBegin, bits);
  found[key] = oldest;
  keys[oldest] = key;
  oldest = (oldest + 1) % sets.size();
  return bits;
}

void MatchCache::shrink() {
  if (states.bytes() <= shrinkAt)
    return;
  std::vector<uint32_t *> used;
  for (Matcher *user : users)
    used.push_back(&user->state);
  states.keepOnly(used);
  found.clear();
  std::ranges::fill(keys, UINT64_MAX);
  // A deep text needs much in any case.
  shrinkAt = std::max(usualStateBytes, 2 * states.bytes());
}

Matcher::Matcher(std::shared_ptr<const Grammar> grammar,
                 std::shared_ptr<const TokenIndex> index)
    : cache(std::make_shared<MatchCache>(std::move(grammar), std::move(index))),
      state(cache->states.initial()) {
  cache->users.push_back(this);
}

Matcher::Matcher(const Matcher &other)
    : cache(other.cache), state(other.state), isBegin(other.isBegin) {
  cache->users.push_back(this);
}

Matcher &Matcher::operator=(const Matcher &other) {
  if (this == &other)
    return *this;
  std::erase(cache->users, this);
  cache = other.cache;
  state = other.state;
  isBegin = other.isBegin;
  cache->users.push_back(this);
  return *this;
}

Matcher::~Matcher() { std::erase(cache->users, this); }

bool Matcher::appendText(std::string_view text) {
  if (text.size() > pieceBytes) {
    Matcher ahead(*this); // this one stays where it is if a piece is refused
    for (size_t at = 0; at < text.size(); at += pieceBytes)
      if (!ahead.appendText(text.substr(at, pieceBytes)))
        return false;
    *this = ahead;
    return true;
  }
  cache->shrink();
  const uint32_t after = cache->mask.after(state, text);
  if (after == MatchStates::dead)
    return false;
  isBegin &= text.empty();
  state = after;
  return true;
}

bool Matcher::append(uint32_t token) {
  if (token >= cache->index->size() || cache->index->text(token).empty())
    return false;
  std::string_view text = cache->index->text(token);
  if (!isBegin || !cache->index->dropsSpace() || !text.starts_with(' '))
    return appendText(text);
  if (!appendText(text.substr(1)))
    return false;
  isBegin = false;
  return true;
}

const TokenBits &Matcher::tokens() {
  cache->shrink();
  return cache->tokensAt(state, isBegin);
}

std::string Matcher::forcedText(size_t most) {
  cache->shrink();
  MatchStates &states = cache->states;
  std::string text;
  uint32_t at = state;
  while (text.size() < most && !states.isComplete(at)) {
    int only = -1;
    for (int byte = 0; byte < 256; ++byte) {
      if (states.next(at, static_cast<uint8_t>(byte)) == MatchStates::dead)
        continue;
      if (only >= 0)
        return text;
      only = byte;
    }
    if (only < 0)
      break;
    text += static_cast<char>(only);
    at = states.next(at, static_cast<uint8_t>(only));
  }
  return text;
}

std::optional<uint32_t> Matcher::forcedToken() {
  if (isComplete())
    return std::nullopt;
  std::optional<uint32_t> only;
  const TokenBits &bits = tokens();
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] == 0)
      continue;
    if (only || !std::has_single_bit(bits[i]))
      return std::nullopt;
    only = static_cast<uint32_t>(64 * i) +
           static_cast<uint32_t>(std::countr_zero(bits[i]));
  }
  return only;
}

} // namespace transfold::runtime::inline constrain
