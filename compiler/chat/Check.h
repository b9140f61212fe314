// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a compiled chat template against what the runtime can execute.

#pragma once

#include "runtime/chat/Nodes.h"

#include <string>
#include <vector>

namespace transfold::chat {

/// Compares the filters, tests, methods and functions of a template with those
/// of the runtime. Returns a message with its place for each use of one that
/// the runtime does not have, or that has wrong arguments: the template fails
/// when such a use is reached, and only then.
std::vector<std::string> check(const runtime::chat::TemplateProgram &program);

} // namespace transfold::chat
