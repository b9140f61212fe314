// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proposals for misspelled names.

#pragma once

#include "base/text/EditDistance.h"

#include <string_view>

namespace transfold {

/// The element of `known` that is most similar to `name`; empty if none is
/// similar. Short names tolerate fewer differences, since all short names are
/// similar.
template <typename Names>
std::string_view nearestName(std::string_view name, const Names &known) {
  size_t least = name.size() < 4 ? 0 : name.size() < 8 ? 1 : 2;
  std::string_view best;
  if (name.size() > 100)
    return best;
  for (std::string_view candidate : known) {
    if (candidate.size() > name.size() + least ||
        name.size() > candidate.size() + least)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < least || (distance == least && best.empty())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace transfold
