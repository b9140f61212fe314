// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input texts of a command.

#pragma once

#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <string>
#include <vector>

namespace transfold::runtime::inline commands {

/// Warns on standard error if text `number` was truncated because the model
/// cannot read all of it.
void warnIfCut(const Encoding &encoding, size_t number);

/// Calls `take` with each text and its number from 1: the given ones, or, if
/// there are none, the lines of standard input. The messages of exceptions
/// thrown by it get the number. `then` is called after each text; its
/// exceptions do not get a number.
void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take,
                 const std::function<void()> &then = {});

} // namespace transfold::runtime::inline commands
