// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that every name is declared, that no name hides another one by
// accident, and that no definition depends on itself. No checkpoint is needed.

#pragma once

#include "compiler/spec/names/Load.h"

namespace transfold::spec {

/// Checks all names of the spec and its libraries. Throws SpecError for the
/// first mistake; libraries are checked first.
void checkScopes(const LoadedSpec &spec);

} // namespace transfold::spec
