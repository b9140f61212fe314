// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of values, as sets.

#pragma once

#include "runtime/constrain/schema/SchemaDocument.h"

#include <span>

namespace transfold::runtime::inline constrain {

/// Bits of sets of types. "number" is integers and fractions.
enum ValueType : uint8_t {
  nullType = 1,
  booleanType = 2,
  integerType = 4,
  fractionType = 8,
  stringType = 16,
  arrayType = 32,
  objectType = 64,
  anyType = 127,
};
using ValueTypes = uint8_t;

/// The types that all of the subschemas allow. Throws Error.
ValueTypes typesOf(const SchemaDocument &document,
                   std::span<const SubschemaId> all);
/// The type of a value; a number like 1.0 is an integer.
ValueType typeOf(const SchemaJson &value);

} // namespace transfold::runtime::inline constrain
