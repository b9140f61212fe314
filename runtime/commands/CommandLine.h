// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a compiled model: `bert embed "A cat sat."`.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_COMMANDLINE_H
#define TRANSFOLD_RUNTIME_COMMANDS_COMMANDLINE_H

#include "runtime/program/Program.h"

namespace transfold::runtime {

/// Does what the words of the command line ask of `program` and returns the
/// status that the process ends with. The weights belong to the executable that
/// runs. Prints errors, handles signals: for main() alone.
int runCommandLine(const transfold_program &program, int argc, char **argv);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_COMMANDLINE_H
