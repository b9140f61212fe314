// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an analysis knows of the name at a position.

#pragma once

#include "compiler/lsp/Documents.h"

#include <optional>

namespace transfold::lsp {

/// The word at a position of a document, and the name that it is.
struct Cursor {
  spec::Range word;
  std::string text; // as written
  /// Null if the word is not a name that the spec declares.
  const spec::Occurrence *occurrence = nullptr;
  const spec::Symbol *symbol = nullptr;
};

/// The word at a position; nullopt if there is none.
std::optional<Cursor> cursorAt(const Document &document,
                               const llvm::lsp::Position &position);

/// The file of the library whose path in `use` is at a position; null if there
/// is none.
const spec::File *libraryAt(const Document &document,
                            const llvm::lsp::Position &position);

/// The text of a line before a column, and whether that is in a comment or in a
/// string.
struct LineBefore {
  std::string text;
  bool inComment = false;
  bool inString = false; // and not in braces, where it inserts a value
};
LineBefore lineBefore(const spec::Place &place);

} // namespace transfold::lsp
