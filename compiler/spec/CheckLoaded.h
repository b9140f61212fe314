// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of `transfold check SPEC` for editors, which read the text of a
// spec from their buffers.

#pragma once

#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/NameIndex.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <vector>

namespace transfold::spec {

/// Checks the shapes of a spec whose names were checked, without a checkpoint,
/// and returns the warnings. Throws SpecError. The shapes of all names that
/// have one are added to `shapes`, also if there are errors.
std::vector<Diagnostic> checkLoaded(LoadedSpec spec, Shapes &shapes);

} // namespace transfold::spec
