// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec for a model that has none: its names, shapes and keys are read from
// the checkpoint, its equations are guessed. A guess ends in `// ?`.

#ifndef TRANSFOLD_COMPILER_DRAFT_DRAFT_H
#define TRANSFOLD_COMPILER_DRAFT_DRAFT_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"

#include <string>

namespace transfold::draft {

/// The text of a spec `name` that parses. What it does not understand it leaves
/// out: then tensors and keys are left over.
std::string draftSpec(const checkpoint::Checkpoint &checkpoint,
                      const std::string &name);

/// Comments for the end of a draft, with what does not fit: equations that
/// could not be read, expectations, keys that nothing reads, tensors that
/// nothing uses and names that the checkpoint has not, those of all layers on
/// one line.
std::string toDoList(const checkpoint::Checkpoint &checkpoint,
                     const spec::Fit &fit);

} // namespace transfold::draft

#endif // TRANSFOLD_COMPILER_DRAFT_DRAFT_H
