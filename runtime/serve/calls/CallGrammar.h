// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers to a request with functions, as a grammar: it is made of the
// syntax of the model's template and of the schemas of the functions.

#pragma once

#include "runtime/chat/CallSyntax.h"
#include "runtime/constrain/Forward.h"
#include "runtime/serve/calls/Tools.h"

#include <memory>

namespace transfold::runtime::serve {

/// The most calls in one answer.
constexpr uint32_t mostCalls = 32;

/// The answers:
///
/// - None: a text without calls.
/// - Auto: a text; where it comes to a call, the call and perhaps further ones
///   follow, and nothing after them.
/// - Required: calls.
///
/// Compiling has a bounded cost. Throws Error that names the function and the
/// keyword of its schema; the message is a sentence without its end.
std::shared_ptr<const Grammar> callGrammar(const chat::CallSyntax &syntax,
                                           const AskedTools &tools);

} // namespace transfold::runtime::serve
