// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be written at a position.

#pragma once

#include "compiler/lsp/Cursor.h"

namespace transfold::lsp {

/// In the path of `use` the libraries, after `use` the names of the library,
/// after `task` the tasks and after its `from` the entries; elsewhere the names
/// in scope, functions and keywords. Nothing in comments and other strings.
llvm::lsp::CompletionList completionsAt(const Document &document,
                                        const llvm::lsp::Position &position);

} // namespace transfold::lsp
