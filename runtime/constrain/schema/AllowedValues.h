// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that "enum" and "const" list.

#pragma once

#include "runtime/constrain/schema/Conjunctions.h"

namespace transfold::runtime::inline constrain {

/// The listed values that satisfy all of a conjunction; nullopt if nothing is
/// listed. Throws Error.
std::optional<std::vector<const SchemaJson *>>
allowedValues(const SchemaDocument &document, const Conjunction &all,
              ConstraintBudget &budget);

/// Whether a value that is neither a list nor an object satisfies a
/// conjunction, "enum" and "const" aside.
bool satisfies(const SchemaDocument &document, const Conjunction &all,
               const SchemaJson &value, ConstraintBudget &budget);

/// The one text by which a listed value is written, without white space.
std::string textOfValue(const SchemaJson &value);

} // namespace transfold::runtime::inline constrain
