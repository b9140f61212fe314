// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of a body that its reader has not asked for. Some change nothing,
// whatever they say, and some change nothing as long as they say what holds
// anyway; all others are refused, so that nobody takes an answer for one that
// minds them.

#ifndef TRANSFOLD_RUNTIME_SERVE_OTHERFIELDS_H
#define TRANSFOLD_RUNTIME_SERVE_OTHERFIELDS_H

#include "runtime/serve/ApiError.h"
#include "runtime/serve/Fields.h"

#include <set>

namespace transfold::runtime::serve {

enum class BodyKind : unsigned { Chat = 1, Completion = 2, Embeddings = 4 };

/// Comes behind all that reads the body. Throws ApiError.
void checkOtherFields(const Fields &fields, BodyKind kind);

/// The error of a field that nobody knows, with the one that is meant.
ApiError unknownField(std::string_view name,
                      const std::set<std::string_view> &known);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_OTHERFIELDS_H
