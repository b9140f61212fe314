// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tokenize --decode`: the text of token ids.

#pragma once

#include "runtime/commands/Commands.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace transfold::runtime::inline commands {

/// Prints the text of the given ids, or of those in each line of standard
/// input. Throws Error.
void decodeIds(const Tokenizer &tokenizer, const TokenizeOptions &options);

} // namespace transfold::runtime::inline commands
