// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes as the protocol's diagnostics, and their fixes as code actions.

#pragma once

#include "compiler/lsp/Documents.h"

#include <llvm/Support/JSON.h>

namespace transfold::lsp {

/// The parameters of textDocument/publishDiagnostics. A mistake in a library is
/// shown where the document uses it, with a link to its place.
llvm::json::Value diagnosticsOf(const Document &document);

/// The fixes of the mistakes that touch a range, as quick fixes.
llvm::json::Value codeActionsIn(const Document &document,
                                const llvm::lsp::Range &range);

} // namespace transfold::lsp
