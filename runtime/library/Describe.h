// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a program that callers can query.

#ifndef TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H
#define TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H

#include "runtime/program/LoadedProgram.h"

#include <string>

namespace transfold::runtime {

/// For the main task of the program: the maximum number of tokens, those read
/// and those generated together, and the number of token ids. 0 if it is not
/// known.
int64_t contextLength(const Metadata &metadata);
int64_t vocabulary(const Metadata &metadata);
/// Elements of an embedding; 0 if the program computes no embeddings.
int64_t dimensions(const Metadata &metadata);

/// JSON: model, target, tasks with their options, entries with their arguments
/// and results.
std::string describe(const LoadedProgram &program);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_LIBRARY_DESCRIBE_H
