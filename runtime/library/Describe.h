// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers can know of a program.

#ifndef TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H
#define TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H

#include "runtime/program/LoadedProgram.h"

#include <string>

namespace transfold::runtime {

/// Of the task that comes first: how many tokens it reads at most, with those
/// that it makes; which ids there are. 0 where that is not known.
int64_t contextLength(const Metadata &metadata);
int64_t vocabulary(const Metadata &metadata);
/// Numbers of an embedding; 0 where the program makes none.
int64_t dimensions(const Metadata &metadata);

/// JSON: model, target, tasks with their options, entries with their
/// arguments and results.
std::string describe(const LoadedProgram &program);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H
