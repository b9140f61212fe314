// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a request says about functions that an answer may call.

#pragma once

#include "runtime/serve/api/Fields.h"
#include "runtime/serve/calls/Tools.h"

namespace transfold::runtime::serve {

/// The fields "tools", "tool_choice" and "parallel_tool_calls". `shown`
/// receives the functions as templates expect them; it stays null if there are
/// none. Throws ApiError.
AskedTools readTools(const Fields &fields, nlohmann::ordered_json &shown);

/// The name of a function in {"name": …}, for messages about the field `param`.
std::string readFunctionName(const Fields &function, const char *param);

} // namespace transfold::runtime::serve
