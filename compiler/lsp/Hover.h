// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name, a keyword or a function is, as Markdown.

#pragma once

#include "compiler/lsp/Cursor.h"

#include <optional>
#include <string>

namespace transfold::lsp {

using Analyses = std::vector<std::shared_ptr<const Analysis>>;

/// The description of a name: its declaration, its shape, where it is declared,
/// and where a container stores it. The shapes in a library are those of the
/// specs that use it, which are among `others`.
std::string describe(const spec::Symbol &symbol, const Analysis &analysis,
                     const spec::Place &at, const Analyses &others = {});

/// The hover at a position; nullopt if nothing is known of it.
std::optional<llvm::lsp::Hover> hoverAt(const Documents &documents,
                                        const Document &document,
                                        const llvm::lsp::Position &position);

} // namespace transfold::lsp
