// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries that a model has only under a condition.

#pragma once

#include "compiler/spec/elaborate/Elaborator.h"

#include <optional>

namespace transfold::spec {

/// The signature of an entry; nullopt if its condition does not hold. It counts
/// as holding if it is not known.
inline std::optional<EntryInfo> signatureIfPresent(Elaborator &elaborator,
                                                   const Entry &entry) {
  auto isPresent =
      entry.condition
          ? elaborator.condition(*entry.condition, elaborator.mainScope())
          : std::optional(true);
  if (isPresent && !*isPresent)
    return std::nullopt;
  return elaborator.signature(entry);
}

} // namespace transfold::spec
