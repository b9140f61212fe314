// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of callers, whose programs may have been compiled with an older
// header.

#pragma once

#include "runtime/library/Failure.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace transfold::runtime::inline library {

/// A copy of the caller's options; fields that its header does not have are
/// zero, as are all if it gives none. `wrongSize` is the message, with the
/// size, if that cannot be right.
template <typename Options>
Options copyOf(const Options *given, fmt::format_string<size_t> wrongSize) {
  Options options = {};
  if (!given)
    return options;
  if (given->size < sizeof given->size)
    failWith(TFOLD_ERROR_ARGUMENT, wrongSize, size_t{given->size});
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

} // namespace transfold::runtime::inline library
