// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits as SplitDelimiterBehavior of Hugging Face's library does. An empty
// match still separates what is before it from what follows.

#include "runtime/tokenizer/split/Cuts.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

std::optional<Cuts::Keep> Cuts::keepNamed(std::string_view name) {
  constexpr std::pair<std::string_view, Keep> names[] = {
      {"Removed", Removed},
      {"Isolated", Isolated},
      {"MergedWithPrevious", MergedWithPrevious},
      {"MergedWithNext", MergedWithNext},
      {"Contiguous", Contiguous}};
  for (auto [known, keep] : names)
    if (known == name)
      return keep;
  return std::nullopt;
}

Cuts &Cuts::atMatches(const std::vector<Pattern::Match> &matches,
                      bool inverted) {
  size_t done = 0;
  for (auto [begin, end] : matches) {
    if (begin > done)
      parts.push_back({done, begin, inverted});
    parts.push_back({begin, end, !inverted});
    done = end;
  }
  if (text.size() > done)
    parts.push_back({done, text.size(), inverted});
  return *this;
}

std::vector<Cuts::Part> Cuts::merged(Keep keep) const {
  std::vector<Part> result;
  bool previous = false; // whether the last part was a delimiter
  auto mergeOnce = [&](const Part &part, auto &&join) {
    bool joins = keep == Contiguous ? part.delimiter == previous
                                    : part.delimiter && !previous;
    if (joins && !result.empty())
      join(result.back());
    else
      result.push_back(part);
    previous = part.delimiter;
  };
  // Backwards this is MergedWithPrevious.
  if (keep == MergedWithNext) {
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      mergeOnce(*part, [&](Part &last) { last.begin = part->begin; });
    std::ranges::reverse(result);
  } else {
    for (const Part &part : parts)
      mergeOnce(part, [&](Part &last) { last.end = part.end; });
  }
  return result;
}

void Cuts::words(Keep keep, WordSink &words) const {
  auto append = [&](const Part &part) {
    auto begin = text.begin();
    if (part.end > part.begin)
      words.take({begin + static_cast<std::ptrdiff_t>(part.begin),
                  begin + static_cast<std::ptrdiff_t>(part.end)});
  };
  if (keep == Removed || keep == Isolated) {
    for (const Part &part : parts)
      if (!part.delimiter || keep == Isolated)
        append(part);
    return;
  }
  for (const Part &part : merged(keep))
    append(part);
}

} // namespace transfold::runtime::inline tokenizer
