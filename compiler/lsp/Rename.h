// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renaming a name in all of its places.

#pragma once

#include "compiler/lsp/Cursor.h"

namespace transfold::lsp {

/// The parameters of textDocument/rename, which LLVM lacks.
struct RenameParams : llvm::lsp::TextDocumentPositionParams {
  std::string newName;
};
bool fromJSON(const llvm::json::Value &value, RenameParams &result,
              llvm::json::Path path);

/// The edits that rename the name at a position. An error if it is not a name
/// of the document alone, or if the document would have more mistakes after the
/// change.
llvm::Expected<llvm::lsp::WorkspaceEdit>
renameAt(const Documents &documents, const Document &document,
         const llvm::lsp::Position &position, const std::string &newName);

} // namespace transfold::lsp
