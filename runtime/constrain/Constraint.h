// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a client or a user wants a text to follow.

#pragma once

#include "runtime/constrain/match/Matcher.h"

#include <nlohmann/json.hpp>

namespace transfold::runtime::inline constrain {

/// The functions below compile a constraint, at a bounded cost. They throw
/// Error whose message is a sentence without its end.
///
/// The texts are the values of a JSON Schema.
std::shared_ptr<const Grammar>
schemaConstraint(const nlohmann::ordered_json &schema);
/// The same, for the text of a schema.
std::shared_ptr<const Grammar> schemaConstraint(std::string_view schema);
/// The texts are the objects of JSON.
std::shared_ptr<const Grammar> objectConstraint();
/// An expression matches the whole text.
std::shared_ptr<const Grammar> regexConstraint(std::string_view regex);
/// The texts are those of a grammar in Lark's syntax.
std::shared_ptr<const Grammar> grammarConstraint(std::string_view grammar);

} // namespace transfold::runtime::inline constrain
