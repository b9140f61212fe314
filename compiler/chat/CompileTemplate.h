// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_CHAT_COMPILETEMPLATE_H
#define TRANSFOLD_COMPILER_CHAT_COMPILETEMPLATE_H

#include "compiler/chat/TemplateError.h"
#include "runtime/chat/Nodes.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::chat {

/// A Jinja template as a program. `file` is where it comes from, and the
/// beginning of messages. `notes` are what the template fails for where it is
/// reached (Check.h). Throws TemplateError.
runtime::chat::TemplateProgram
compileTemplate(std::string_view source, const std::string &file,
                std::vector<std::string> *notes = nullptr);

} // namespace transfold::chat

#endif // TRANSFOLD_COMPILER_CHAT_COMPILETEMPLATE_H
