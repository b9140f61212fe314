// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tokenize --decode`: the text of token ids.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_TEXT_DECODEIDS_H
#define TRANSFOLD_RUNTIME_COMMANDS_TEXT_DECODEIDS_H

#include "runtime/commands/Commands.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace transfold::runtime::inline commands {

/// Prints the text of the given ids, or of those in each line of standard
/// input. Throws Error.
void decodeIds(const Tokenizer &tokenizer, const TokenizeOptions &options);

} // namespace transfold::runtime::inline commands

#endif // TRANSFOLD_RUNTIME_COMMANDS_TEXT_DECODEIDS_H
