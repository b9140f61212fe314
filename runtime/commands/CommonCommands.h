// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that every program has.

#pragma once

#include "runtime/commands/ProgramParts.h"

#include <span>

namespace transfold::runtime::inline commands {

/// Declares `tokenize`, `eval`, `bench`, `info`, `spec` and `ledger`.
void addCommonCommands(CommandSet &commands,
                       std::span<const ProgramPart *const> parts);

} // namespace transfold::runtime::inline commands
