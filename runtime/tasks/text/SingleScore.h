// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that return one number for a text, or for two texts together.

#pragma once

#include "runtime/program/metadata/Metadata.h"

namespace transfold::runtime::inline tasks {

/// Whether the first result of an entry is one number for each text.
bool isSingleScore(const Entry &entry);

/// Whether the program's task `classify` has such a score: it can order
/// documents by their relevance to a query.
bool canRerank(const Metadata &metadata);

} // namespace transfold::runtime::inline tasks
