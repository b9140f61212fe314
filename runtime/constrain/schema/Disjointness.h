// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs that no value satisfies two schemas, for "oneOf": by their types, by
// listed values, by bounds and patterns, or by a property that both require.

#pragma once

#include "runtime/constrain/schema/Conjunctions.h"

namespace transfold::runtime::inline constrain {

/// Whether certainly no value satisfies both conjunctions.
bool areDisjoint(SchemaDocument &document, const Conjunction &one,
                 const Conjunction &other, ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
