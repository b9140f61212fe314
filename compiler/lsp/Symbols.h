// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outline of a spec.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <llvm/Support/LSP/Protocol.h>

#include <vector>

namespace transfold::lsp {

/// The model or library, and in it, in the order of the text: lengths, sizes,
/// weights, parts, blocks with their weights and parts, entries, tasks,
/// definitions and tables of containers.
std::vector<llvm::lsp::DocumentSymbol> outlineOf(const spec::File &file);

} // namespace transfold::lsp
