// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the runtime that an executable contains
// (runtime/commands/ProgramParts.h).

#ifndef TRANSFOLD_COMPILER_DRIVER_OUTPUT_PROGRAMPARTS_H
#define TRANSFOLD_COMPILER_DRIVER_OUTPUT_PROGRAMPARTS_H

#include "runtime/program/metadata/Metadata.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// The names of the parts that the program's tasks need, in the order in which
/// --help lists their commands.
std::vector<std::string> partsOf(const runtime::Metadata &metadata);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_OUTPUT_PROGRAMPARTS_H
