// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts that a command is given.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_TEXTS_H
#define TRANSFOLD_RUNTIME_COMMANDS_TEXTS_H

#include "runtime/tokenizer/Tokenizer.h"

#include <functional>
#include <string>
#include <vector>

namespace transfold::runtime {

/// Says on standard error that the model does not read all of text `number`,
/// where it was cut.
void warnIfCut(const Encoding &encoding, size_t number);

/// Calls `take` with each text and its number from 1: those given, or, without
/// any, the lines of standard input. What it throws names the text. `then` is
/// called after each, and what that throws is about no text of its own.
void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take,
                 const std::function<void()> &then = {});

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_TEXTS_H
