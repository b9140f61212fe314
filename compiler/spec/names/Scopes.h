// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every name is declared, none is hidden by accident, nothing needs itself. All
// of it on the page, without a checkpoint.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_SCOPES_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_SCOPES_H

#include "compiler/spec/names/Load.h"

namespace transfold::spec {

/// Throws SpecError at the first thing that is wrong, libraries first.
void checkScopes(const LoadedSpec &spec);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_SCOPES_H
