// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of a body that its reader does not use. Some never change the answer;
// some are accepted as long as their value is what the server does anyway; all
// others are refused, so that no client mistakes the answer for one that honors
// them.

#pragma once

#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/Fields.h"

#include <set>

namespace transfold::runtime::serve {

/// The kinds of bodies; bits, so that a table entry may apply to several.
enum class BodyKind : unsigned {
  Chat = 1,
  Completion = 2,
  Embeddings = 4,
  Rerank = 8,
  Tokens = 16
};

/// Checks the remaining fields; must be called after the body has been read.
/// Throws ApiError.
void checkOtherFields(const Fields &fields, BodyKind kind);

/// The error for an unknown field, with the name that was probably meant.
ApiError unknownField(std::string_view name,
                      const std::set<std::string_view> &known);

} // namespace transfold::runtime::serve
