// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the arguments of an entry that generates tokens, or of its step:
// the tokens, arrays with a row for each token, and arrays given once per
// request.

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <optional>
#include <vector>

namespace transfold::runtime::inline steps {

/// Indices of arguments.
struct StepArguments {
  size_t tokens = 0;
  /// Arguments with a row for each token.
  std::vector<size_t> rows;
  /// Arguments without rows for the tokens.
  std::vector<size_t> request;
  /// For a step: the position of its first row, and which rows are requested.
  std::optional<size_t> first, wanted;
};

/// Throws Error if the entry has no argument that is a list of tokens.
StepArguments stepArguments(const Entry &entry);

/// Number of elements of one row of an argument, for one position of its
/// length.
size_t elementsOfRow(const Argument &argument);

} // namespace transfold::runtime::inline steps
