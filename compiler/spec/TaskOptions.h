// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options of tasks may be. They come from configurations that others
// wrote, and a program acts on them when nobody looks any more.

#ifndef TRANSFOLD_COMPILER_SPEC_TASKOPTIONS_H
#define TRANSFOLD_COMPILER_SPEC_TASKOPTIONS_H

#include "compiler/spec/Ast.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/StaticValue.h"

#include <string>

namespace transfold::spec {

/// Throws SpecError where `option` of a task has a value that it cannot have:
/// tokens are those that `last`, the last of the task's entries, knows. `path`
/// is the checkpoint's, empty without one.
void checkTaskOption(const TaskInfo &task, const EntryInfo &last,
                     const Definition &option, const StaticValue &value,
                     const std::string &path);

/// Throws SpecError where `last`, the last of the task's entries, does not give
/// what the task reads.
void checkTaskNeeds(const Task &task, const EntryInfo &last);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_TASKOPTIONS_H
