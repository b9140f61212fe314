// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/KeptStates.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::inline steps {

std::vector<KeptStates::Rows> KeptStates::rowsOf(const CacheLayout &layout,
                                                 int64_t length) {
  std::vector<Rows> all;
  for (size_t cache = 0; cache < layout.places().size(); ++cache) {
    const CacheLayout::Place &place = layout.places()[cache];
    if (!place.isKept())
      continue;
    const bool isState = place.rows == CacheLayout::Place::Rows::State;
    const int64_t first =
        isState ? 0 : std::max<int64_t>(length - place.window + 1, 0);
    const int64_t count = isState ? 1 : length - first;
    for (int64_t member = 0; member < place.members && count > 0; ++member)
      all.push_back({cache, member, first, count});
  }
  return all;
}

int64_t KeptStates::bytesOf(const CacheLayout &layout) {
  int64_t bytes = 0;
  // All windows are full after as many tokens.
  for (const Rows &rows : rowsOf(layout, CacheLayout::Place::mostKeptWindow))
    bytes += rows.count * layout.places()[rows.cache].rowBytes;
  return bytes;
}

void KeptStates::grow(int64_t before, int64_t length,
                      const std::function<Bytes()> &copy) {
  const bool isPrompt = length > before + 1; // the step had several tokens
  if (isPrompt)
    endAnswer();
  if (length % spacing != 0)
    return;
  if (Bytes bytes = copy())
    keep(length, isPrompt, std::move(bytes));
}

void KeptStates::keep(int64_t length, bool isPrompt, Bytes bytes) {
  if (isPrompt) {
    ofPrompt.push_back({length, std::move(bytes)});
    thinPrompt();
    return;
  }
  ofAnswer.push_back({length, std::move(bytes)});
  if (ofAnswer.size() > mostOfAnswer)
    ofAnswer.erase(ofAnswer.begin());
}

/// Before the copies of a prompt that follows an answer.
void KeptStates::endAnswer() {
  if (ofAnswer.empty())
    return;
  ofPrompt.push_back(ofAnswer.back());
  ofAnswer.clear();
  thinPrompt();
}

/// Drops the copy whose neighbors are closest to each other, compared with its
/// distance from the end.
void KeptStates::thinPrompt() {
  if (ofPrompt.size() <= mostOfPrompt)
    return;
  const auto end = static_cast<double>(ofPrompt.back().length + spacing);
  auto cost = [&](size_t k) {
    const int64_t before = k == 0 ? 0 : ofPrompt[k - 1].length;
    return static_cast<double>(ofPrompt[k + 1].length - before) /
           (end - static_cast<double>(ofPrompt[k].length));
  };
  size_t least = 0;
  for (size_t k = 1; k + 1 < ofPrompt.size(); ++k)
    if (cost(k) < cost(least))
      least = k;
  ofPrompt.erase(ofPrompt.begin() + static_cast<ptrdiff_t>(least));
}

int64_t KeptStates::before(int64_t length) const {
  int64_t found = 0;
  for (const auto *copies : {&ofPrompt, &ofAnswer})
    for (const Copy &copy : *copies)
      if (copy.length <= length)
        found = copy.length;
  return found;
}

const void *KeptStates::goBackTo(int64_t length) {
  for (auto *copies : {&ofPrompt, &ofAnswer})
    std::erase_if(*copies,
                  [&](const Copy &copy) { return copy.length > length; });
  return (ofAnswer.empty() ? ofPrompt : ofAnswer).back().bytes.get();
}

void KeptStates::clear() {
  ofPrompt.clear();
  ofAnswer.clear();
}

} // namespace transfold::runtime::inline steps
