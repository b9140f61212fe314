// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the name at a position, by the place where its word begins.

#include "compiler/lsp/Cursor.h"

#include "compiler/lsp/text/Positions.h"
#include "compiler/spec/syntax/Lexer.h"

namespace transfold::lsp {

std::optional<Cursor> cursorAt(const Document &document,
                               const llvm::lsp::Position &position) {
  const Analysis &analysis = *document.analysis;
  if (!analysis.spec.main.source)
    return std::nullopt;
  auto word = spec::wordAt(placeAt(analysis.spec.main.source, position));
  if (!word)
    return std::nullopt;
  Cursor result{*word, spec::textOf(*word)};
  result.occurrence = analysis.index.find(word->begin);
  if (result.occurrence)
    result.symbol = analysis.index.symbol(result.occurrence->symbol);
  return result;
}

const spec::File *libraryAt(const Document &document,
                            const llvm::lsp::Position &position) {
  const spec::LoadedSpec &spec = document.analysis->spec;
  if (!spec.main.source)
    return nullptr;
  spec::Place at = placeAt(spec.main.source, position);
  for (const spec::Use &use : spec.main.uses) {
    // The place is that of the quote; paths have no characters of two bytes.
    unsigned begin = use.pathPlace.column;
    unsigned end = begin + unsigned(use.path.size()) + 2;
    auto library = spec.libraries.find(use.path);
    if (use.pathPlace.line == at.line && begin <= at.column &&
        at.column <= end && library != spec.libraries.end())
      return &library->second;
  }
  return nullptr;
}

LineBefore lineBefore(const spec::Place &place) {
  LineBefore result;
  spec::Place begin = place;
  begin.column = 1;
  result.text = spec::textOf({begin, place});
  int braces = 0;
  bool quoted = false;
  for (size_t i = 0; i < result.text.size(); ++i) {
    char c = result.text[i];
    if (c == '"') {
      quoted = !quoted;
      braces = 0;
    } else if (!quoted && result.text.compare(i, 2, "//") == 0) {
      result.inComment = true;
      return result;
    } else if (quoted && (c == '{' || c == '}')) {
      braces += c == '{' ? 1 : -1;
    }
  }
  result.inString = quoted && braces <= 0;
  return result;
}

} // namespace transfold::lsp
