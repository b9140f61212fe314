// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies by shapes and by the marks that staging left in the metadata, not
// by names, which models choose freely.

#include "runtime/steps/StepArguments.h"

#include "base/Error.h"

#include <algorithm>

namespace transfold::runtime::inline steps {

StepArguments stepArguments(const Entry &entry) {
  StepArguments result;
  std::optional<size_t> tokens;
  auto isList = [](const Argument &argument) {
    return argument.integer && argument.shape.size() == 1 &&
           argument.shape[0].length >= 0;
  };
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    if (argument.isFirst)
      result.first = i;
    else if (argument.isWanted)
      result.wanted = i;
    else if (!tokens && isList(argument))
      tokens = i;
  }
  if (!tokens)
    fail("entry '{}' reads no list of tokens", entry.name);
  result.tokens = *tokens;
  // The length that counts tokens.
  const int length = entry.arguments[*tokens].shape[0].length;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    if (i == *tokens || argument.isFirst || argument.isWanted)
      continue;
    const bool hasRows =
        std::ranges::any_of(argument.shape, [&](const Axis &axis) {
          return axis.length == length;
        });
    (hasRows ? result.rows : result.request).push_back(i);
  }
  return result;
}

size_t elementsOfRow(const Argument &argument) {
  size_t count = 1;
  for (const Axis &axis : argument.shape)
    count *= axis.length < 0 ? static_cast<size_t>(axis.size) : 1;
  return count;
}

} // namespace transfold::runtime::inline steps
