// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates entries by decode steps instead of whole sequences, to compare
// both.

#pragma once

#include "runtime/program/call/Call.h"

namespace transfold::runtime::inline tasks {

/// Whether an entry can continue sequences, some tokens at a time.
bool hasSteps(const Metadata &metadata, const Entry &entry);

/// Computes the results of `call`, whose arguments are filled, as its run
/// would, but with steps of `chunk` tokens for all sequences. Shorter sequences
/// end before the others. Throws Error.
void runBySteps(Session &session, Call &call, int64_t chunk);

} // namespace transfold::runtime::inline tasks
