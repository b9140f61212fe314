// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the command `generate`.

#pragma once

#include "runtime/commands/Commands.h"

namespace transfold::runtime::inline commands {

/// Prints continuations of texts, or their translations.
void generateFromTexts(Session &session, Generator &generator,
                       const GenerateOptions &options);

/// Throws Error if options contradict each other, contain tokens that the model
/// does not know, or would have no effect.
void checkOptions(const Generator &generator, const GenerateOptions &options);

/// Throws Error if options restrict sampling although tokens are not sampled.
/// This check and the next one are shared with `chat`.
void checkDrawing(const SamplingOptions &sampling);
/// Throws Error if a stop text is empty.
void checkStops(const std::vector<std::string> &stops);

} // namespace transfold::runtime::inline commands
