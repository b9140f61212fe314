// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schema as a client sent it: its subschemas have numbers, and messages name
// the place of a keyword by its JSON pointer.

#pragma once

#include "runtime/constrain/ConstraintBudget.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::inline constrain {

using SchemaJson = nlohmann::ordered_json;

/// Number of a subschema.
using SubschemaId = uint32_t;

/// A schema document.
class SchemaDocument {
public:
  /// The document must outlive this object.
  SchemaDocument(const SchemaJson &document, ConstraintBudget &budget);

  SubschemaId root() const { return 0; }
  const SchemaJson &value(SubschemaId id) const { return *all[id].value; }
  /// The subschema that is the value of a keyword, or in a list or an object
  /// that is.
  SubschemaId child(SubschemaId id, const char *keyword);
  SubschemaId child(SubschemaId id, const char *keyword, std::string_view name);
  SubschemaId child(SubschemaId id, const char *keyword, size_t index);
  /// The subschema to which "$ref" refers. Throws Error.
  SubschemaId referred(SubschemaId id);

  /// The value of a keyword; null if it is absent or if the subschema is a
  /// boolean.
  const SchemaJson *find(SubschemaId id, const char *keyword) const;
  /// A number that counts something, at most 10^9. Throws Error.
  std::optional<uint32_t> count(SubschemaId id, const char *keyword) const;
  /// A list or an object; null if the keyword is absent. Throws Error.
  const SchemaJson *list(SubschemaId id, const char *keyword) const;
  const SchemaJson *object(SubschemaId id, const char *keyword) const;
  /// A text. Throws Error.
  const std::string *text(SubschemaId id, const char *keyword) const;

  /// Checks that all keywords of a subschema are supported. Throws Error.
  void checkKeywords(SubschemaId id);
  /// Throws Error: the keyword of the subschema (empty: the subschema) cannot
  /// be used; `why` is the rest of the sentence.
  [[noreturn]] void refuse(SubschemaId id, std::string_view keyword,
                           std::string_view why) const;
  /// "#/properties/a", with "~0" and "~1" for "~" and "/".
  std::string pointer(SubschemaId id) const;

private:
  struct Subschema {
    const SchemaJson *value;
    SubschemaId parent;
    std::string step; // from the parent, as in a pointer
    bool isChecked = false;
  };
  ConstraintBudget &budget;
  std::vector<Subschema> all;
  std::unordered_map<const SchemaJson *, SubschemaId> numbers;

  SubschemaId add(const SchemaJson &value, SubschemaId parent,
                  std::string step);
  SubschemaId follow(SubschemaId id, std::string_view pointer);
};

/// Whether a keyword only describes: it never decides what is valid.
bool isAnnotation(std::string_view keyword);
/// Whether a keyword is understood.
bool isSupportedKeyword(std::string_view keyword);

} // namespace transfold::runtime::inline constrain
