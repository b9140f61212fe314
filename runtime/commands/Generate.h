// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the command `generate`.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_GENERATE_H
#define TRANSFOLD_RUNTIME_COMMANDS_GENERATE_H

#include "runtime/commands/Commands.h"

namespace transfold::runtime {

/// Prints what texts go on with, or their translations.
void generateFromTexts(Session &session, Generator &generator,
                       const GenerateOptions &options);

/// Throws Error where options contradict each other, ask for tokens that the
/// model does not know, or would do nothing.
void checkOptions(const Generator &generator, const GenerateOptions &options);

/// The checks that `chat` has too: what cuts a draw needs one, and a text that
/// ends a result is not empty. Throw Error.
void checkDrawing(const SamplingOptions &sampling);
void checkStops(const std::vector<std::string> &stops);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_GENERATE_H
