// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a template: a conversation as transformers prepares it, for
// commands, the server and the library alike.

#pragma once

#include "runtime/chat/Interpreter.h"
#include "runtime/chat/Render.h"

namespace transfold::runtime::chat {

/// Converts JSON. Texts have the origin Message, except for roles of messages
/// that are one word, which have the origin Template. Throws Error if it is
/// nested too deeply, and for invalid UTF-8.
Value fromJson(const nlohmann::ordered_json &json, Origin origin);

/// The variables of the template, after checkVariables().
Interpreter::Inputs inputsOf(const TemplateProgram &program,
                             const Conversation &conversation);

} // namespace transfold::runtime::chat
