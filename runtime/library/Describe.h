// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a program that callers can query.

#pragma once

#include "runtime/program/LoadedProgram.h"

#include <string>

namespace transfold::runtime::inline library {

/// The maximum number of tokens of the program's main task, those read and
/// those generated together; 0 if it is not known.
int64_t contextLength(const Metadata &metadata);
/// The number of token ids that the main task reads; 0 if it is not known.
int64_t vocabulary(const Metadata &metadata);
/// Elements of an embedding; 0 if the program computes no embeddings.
int64_t dimensions(const Metadata &metadata);

/// JSON: model, target, tasks with their options, entries with their arguments
/// and results.
std::string describe(const LoadedProgram &program);

} // namespace transfold::runtime::inline library
