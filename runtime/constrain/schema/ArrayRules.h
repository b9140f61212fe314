// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schema says about lists.

#pragma once

#include "runtime/constrain/schema/Conjunctions.h"

namespace transfold::runtime::inline constrain {

/// The lists that a conjunction allows.
class ArrayRules {
public:
  static constexpr uint32_t unlimited = UINT32_MAX;

  /// Throws Error.
  ArrayRules(SchemaDocument &document, const Conjunction &all);

  uint32_t least() const { return fewest; }
  uint32_t most() const { return largest; }
  /// Items before this number may have schemas of their own; all others share
  /// one.
  size_t ownGoals() const { return prefix; }
  /// The subschemas that an item must satisfy.
  std::vector<SubschemaId> goalOf(size_t index) const;

private:
  /// What one subschema says.
  struct Part {
    SubschemaId id;
    const char *listKeyword = nullptr; // of schemas of the first items
    size_t listed = 0;
    std::optional<SubschemaId> rest = {};
  };
  SchemaDocument &document;
  std::vector<Part> parts;
  uint32_t fewest = 0, largest = unlimited;
  size_t prefix = 0;
};

} // namespace transfold::runtime::inline constrain
