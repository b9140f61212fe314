// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_CHAT_CHECK_H
#define TRANSFOLD_COMPILER_CHAT_CHECK_H

#include "runtime/chat/Nodes.h"

namespace transfold::chat {

/// Compares the filters, tests, methods and functions of a template with those
/// that the runtime has. Throws TemplateError with the place of one that it
/// does not have, and with those that it has.
void check(const runtime::chat::TemplateProgram &program);

} // namespace transfold::chat

#endif // TRANSFOLD_COMPILER_CHAT_CHECK_H
