// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left over when everything was elaborated: a key of the configuration
// that nobody read, a tensor that no equation uses, a definition without a use.

#ifndef TRANSFOLD_COMPILER_SPEC_FINISH_H
#define TRANSFOLD_COMPILER_SPEC_FINISH_H

#include "compiler/spec/elaborate/Elaborator.h"

#include <string>
#include <vector>

namespace transfold::spec {

/// What checkEverythingUsed objects to, without an error.
LeftOver leftOver(const checkpoint::Checkpoint &checkpoint,
                  Elaborator &elaborator);

/// Throws SpecError for the first key, tensor or piece that is left over, and
/// for an `expect` of a table that does not hold.
void checkEverythingUsed(const LoadedSpec &spec,
                         const checkpoint::Checkpoint &checkpoint,
                         Elaborator &elaborator);

/// Warnings, ready to print, for names of `file` that it mentions nowhere.
std::vector<std::string> unusedDefinitions(const LoadedSpec &spec);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_FINISH_H
