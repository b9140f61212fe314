// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The methods of the protocol.

#pragma once

#include "compiler/lsp/Documents.h"

#include <llvm/Support/LSP/Transport.h>

#include <cstdio>

namespace transfold::lsp {

/// Answers the messages that it reads from `input` on `output`, until `exit` or
/// the end of the input. Returns the exit code of the program: 0 if `shutdown`
/// came before `exit`, else 1.
int serve(std::FILE *input, llvm::raw_ostream &output);

} // namespace transfold::lsp
