// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/KeptStates.h"

#include <algorithm>
#include <cstring>

namespace transfold::runtime::inline steps {

/// Calls `visit` with the offset and size of each range of bytes that belongs
/// to the states of `length` tokens.
template <typename Visit>
static void forEachRange(const CacheLayout &layout, int64_t length,
                         Visit visit) {
  for (const CacheLayout::Place &place : layout.places()) {
    if (!place.isKept())
      continue;
    const bool isState = place.rows == CacheLayout::Place::Rows::State;
    const int64_t first =
        isState ? 0 : std::max<int64_t>(length - place.window + 1, 0);
    const int64_t rows = isState ? 1 : length - first;
    for (int64_t member = 0; member < place.members && rows > 0; ++member)
      visit(place.placeOf(member, first),
            static_cast<size_t>(rows * place.rowBytes));
  }
}

int64_t KeptStates::bytesOf(const CacheLayout &layout) {
  int64_t bytes = 0;
  // All windows are full after as many tokens.
  forEachRange(layout, CacheLayout::Place::mostKeptWindow,
               [&](int64_t, size_t size) { bytes += int64_t(size); });
  return bytes;
}

void KeptStates::keep(const CacheLayout &layout, const uint8_t *data,
                      int64_t length, bool isPrompt) {
  auto bytes = std::make_shared<std::vector<uint8_t>>();
  bytes->reserve(static_cast<size_t>(bytesOf(layout)));
  forEachRange(layout, length, [&](int64_t offset, size_t size) {
    bytes->insert(bytes->end(), data + offset, data + offset + size);
  });
  if (isPrompt) {
    ofPrompt.push_back({length, std::move(bytes)});
    thinPrompt();
    return;
  }
  ofAnswer.push_back({length, std::move(bytes)});
  if (ofAnswer.size() > mostOfAnswer)
    ofAnswer.erase(ofAnswer.begin());
}

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

void KeptStates::restore(const CacheLayout &layout, uint8_t *data,
                         int64_t length) {
  for (auto *copies : {&ofPrompt, &ofAnswer})
    std::erase_if(*copies,
                  [&](const Copy &copy) { return copy.length > length; });
  const Copy &copy = ofAnswer.empty() ? ofPrompt.back() : ofAnswer.back();
  const uint8_t *next = copy.bytes->data();
  forEachRange(layout, length, [&](int64_t offset, size_t size) {
    std::memcpy(data + offset, next, size);
    next += size;
  });
}

void KeptStates::clear() {
  ofPrompt.clear();
  ofAnswer.clear();
}

} // namespace transfold::runtime::inline steps
