// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry that makes tokens takes, and its step: tokens, arrays with a
// row for each token, and what is there once for a request.

#ifndef TRANSFOLD_RUNTIME_STEPS_STEPARGUMENTS_H
#define TRANSFOLD_RUNTIME_STEPS_STEPARGUMENTS_H

#include "runtime/program/Metadata.h"

#include <optional>
#include <vector>

namespace transfold::runtime {

struct StepArguments {
  size_t tokens = 0;
  /// Beside the tokens, along the same length.
  std::vector<size_t> rows;
  /// Without rows for the tokens.
  std::vector<size_t> request;
  /// Of a step: the position of its first row, and which rows are asked for.
  std::optional<size_t> first, wanted;
};

/// Throws Error where the entry reads no list of tokens.
StepArguments stepArguments(const Entry &entry);

/// Elements of a row of an argument: those of one position of its length.
size_t elementsOfRow(const Argument &argument);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_STEPARGUMENTS_H
