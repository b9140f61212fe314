// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that every name is declared, that no name hides another one by
// accident, and that no definition depends on itself. No checkpoint is needed.

#pragma once

#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/NameIndex.h"

namespace transfold::spec {

/// Checks all names of the spec and its libraries. Throws SpecError with all
/// mistakes; libraries are checked first.
void checkScopes(const LoadedSpec &spec);

/// The same, but adds the mistakes to `errors`, and all names to `index`; the
/// spec may be one that lacks what has errors.
void checkScopes(const LoadedSpec &spec, Errors &errors, NameIndex &index);

} // namespace transfold::spec
