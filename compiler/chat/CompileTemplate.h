// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler of chat templates.

#pragma once

#include "compiler/chat/TemplateError.h"
#include "runtime/chat/Nodes.h"

#include <string>
#include <string_view>
#include <vector>

namespace transfold::chat {

/// Compiles a Jinja template. `file` is its origin, with which messages begin.
/// `notes` lists the uses that make the template fail when they are reached
/// (Check.h). Throws TemplateError.
runtime::chat::TemplateProgram
compileTemplate(std::string_view source, const std::string &file,
                std::vector<std::string> *notes = nullptr);

} // namespace transfold::chat
