// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions and references of the name at a position.

#pragma once

#include "compiler/lsp/Cursor.h"

#include <vector>

namespace transfold::lsp {

/// Where the name is declared: for a variable the last place before that sets
/// it, for a constant all containers. For the path of a library its file.
std::vector<llvm::lsp::Location>
definitionsAt(const Document &document, const llvm::lsp::Position &position);

/// All places of the name in the files of all open documents, sorted. Those
/// that declare it are left out unless `declarations` is set.
std::vector<llvm::lsp::Location>
referencesAt(const Documents &documents, const Document &document,
             const llvm::lsp::Position &position, bool declarations);

/// The places of the name in the document.
std::vector<llvm::lsp::Range> highlightsAt(const Document &document,
                                           const llvm::lsp::Position &position);

} // namespace transfold::lsp
