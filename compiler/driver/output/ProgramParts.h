// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the runtime that an executable contains
// (runtime/commands/ProgramParts.h).

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// The names of the parts that the program's tasks need, in the order in which
/// --help lists their commands.
std::vector<std::string> partsOf(const runtime::Metadata &metadata);

} // namespace transfold::driver
