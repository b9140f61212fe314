// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drafts a spec for a model that has none: names, shapes and keys are read from
// the checkpoint, the equations are guessed. A guess ends in `// ?`.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"

#include <string>

namespace transfold::draft {

/// The text of a spec `name` that parses. Parts of the model that are not
/// recognized are left out: then tensors and keys are left over.
std::string draftSpec(const checkpoint::Checkpoint &checkpoint,
                      const std::string &name);

/// Comments for the end of a draft that list what does not fit: equations that
/// could not be elaborated, expectations, keys that are not read, tensors that
/// are not used, and names that the checkpoint lacks; names of all layers are
/// on one line.
std::string toDoList(const checkpoint::Checkpoint &checkpoint,
                     const spec::Fit &fit);

} // namespace transfold::draft
