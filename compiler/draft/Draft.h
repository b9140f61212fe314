// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec for a model that has none: its names, shapes and keys are read from
// the checkpoint, its equations are guessed. A guess ends in `// ?`.

#ifndef TRANSFOLD_COMPILER_DRAFT_DRAFT_H
#define TRANSFOLD_COMPILER_DRAFT_DRAFT_H

#include "compiler/checkpoint/Checkpoint.h"

#include <string>
#include <utility>
#include <vector>

namespace transfold::draft {

/// The text of a spec `name` that parses. What it does not understand it leaves
/// out: then tensors and keys are left over.
std::string draftSpec(const checkpoint::Checkpoint &checkpoint,
                      const std::string &name);

/// Comments for the end of a draft: keys that nothing reads, with their values,
/// and tensors that nothing uses, those of all layers on one line.
std::string
toDoList(const checkpoint::Checkpoint &checkpoint,
         const std::vector<std::pair<std::string, std::string>> &keys,
         const std::vector<std::string> &tensors);

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_DRAFT_H
