// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left over after elaboration: keys of the configuration that were not
// read, tensors that no equation uses, definitions that are not used.

#pragma once

#include "compiler/spec/elaborate/Elaborator.h"

#include <string>
#include <vector>

namespace transfold::spec {

/// Everything that checkEverythingUsed would report, without throwing.
LeftOver leftOver(const checkpoint::Checkpoint &checkpoint,
                  Elaborator &elaborator);

/// Throws SpecError for the first unused key, tensor or piece of a tensor, and
/// for an `expect` line of a table that does not hold.
void checkEverythingUsed(const LoadedSpec &spec,
                         const checkpoint::Checkpoint &checkpoint,
                         Elaborator &elaborator);

/// Warnings for names that the main file declares and never mentions.
std::vector<Diagnostic> unusedDefinitions(const LoadedSpec &spec);

} // namespace transfold::spec
