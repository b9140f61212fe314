// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a template is given: a conversation as transformers prepares it, for
// whoever asks, be it a command, a server or a library.

#ifndef TRANSFOLD_RUNTIME_CHAT_INPUTS_H
#define TRANSFOLD_RUNTIME_CHAT_INPUTS_H

#include "runtime/chat/Interpreter.h"
#include "runtime/chat/Render.h"

namespace transfold::runtime::chat {

/// Texts in it come from a message; the roles of messages are the template's
/// where they are one word. Throws Error where it is nested too deep, and for
/// bytes that are not UTF-8.
Value fromJson(const nlohmann::ordered_json &json, Origin origin);

/// The variables of the template, after checkVariables().
Interpreter::Inputs inputsOf(const TemplateProgram &program,
                             const Conversation &conversation);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_INPUTS_H
