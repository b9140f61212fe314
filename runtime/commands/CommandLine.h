// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a compiled model: `bert embed "A cat sat."`.

#pragma once

#include "runtime/program/Program.h"

namespace transfold::runtime::inline commands {

struct ProgramPart;

/// Executes the command line for `program`, which has `parts`
/// (ProgramParts.h), and returns the exit status of the process. The weights
/// are those of the running executable. Prints errors and handles signals: for
/// main() only.
int runCommandLine(const transfold_program &program,
                   const ProgramPart *const *parts, int argc, char **argv);

} // namespace transfold::runtime::inline commands
