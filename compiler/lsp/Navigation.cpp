// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Navigation by the index of names. Symbols of several documents are the same
// if they are declared at one place.

#include "compiler/lsp/Navigation.h"

#include "compiler/lsp/text/Positions.h"
#include "compiler/spec/syntax/Lexer.h"

#include <algorithm>

namespace transfold::lsp {

using llvm::lsp::Location;

/// The word at a place; the place alone for an index `j` that is written `Σ_j`
/// elsewhere.
static llvm::lsp::Range wordRange(const spec::Place &place) {
  auto word = spec::wordAt(place);
  return rangeOf(word ? *word : spec::Range{place, place});
}

/// Appends a location, unless the path of its file is not absolute.
static void add(std::vector<Location> &list, const spec::Place &place,
                llvm::lsp::Range range) {
  auto uri = llvm::lsp::URIForFile::fromFile(place.source->path);
  if (uri)
    list.emplace_back(*uri, range);
  else
    llvm::consumeError(uri.takeError());
}

std::vector<Location> definitionsAt(const Document &document,
                                    const llvm::lsp::Position &position) {
  std::vector<Location> result;
  if (const spec::File *library = libraryAt(document, position)) {
    if (library->source)
      add(result, {library->source, 1, 1}, {});
    return result;
  }
  auto cursor = cursorAt(document, position);
  if (!cursor || !cursor->symbol)
    return result;
  const spec::NameIndex &index = document.analysis->index;
  std::vector<spec::Place> places;
  for (const spec::Occurrence *found : index.of(cursor->occurrence->symbol))
    if (found->declares)
      places.push_back(found->at);
  if (cursor->symbol->kind != spec::NameKind::Constant) {
    spec::Place last = cursor->symbol->place;
    for (const spec::Place &place : places)
      // In x = f(x), the second x is that of an earlier line.
      if (place.source == cursor->word.begin.source &&
          place.line < cursor->word.begin.line)
        last = place;
    places = {last};
  }
  for (const spec::Place &place : places)
    add(result, place, wordRange(place));
  return result;
}

std::vector<Location> referencesAt(const Documents &documents,
                                   const Document &document,
                                   const llvm::lsp::Position &position,
                                   bool declarations) {
  std::vector<Location> result;
  auto cursor = cursorAt(document, position);
  if (!cursor || !cursor->symbol)
    return result;
  for (const auto &analysis : documents.analyses())
    for (const spec::Occurrence *found :
         analysis->index.of(cursor->occurrence->symbol))
      if (declarations || !found->declares)
        add(result, found->at, wordRange(found->at));
  // Several documents use one library.
  std::ranges::sort(result, [](const auto &a, const auto &b) { return a < b; });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<llvm::lsp::Range>
highlightsAt(const Document &document, const llvm::lsp::Position &position) {
  std::vector<llvm::lsp::Range> result;
  auto cursor = cursorAt(document, position);
  if (!cursor || !cursor->symbol)
    return result;
  for (const spec::Occurrence *found :
       document.analysis->index.of(cursor->occurrence->symbol))
    if (found->at.source == cursor->word.begin.source)
      result.push_back(wordRange(found->at));
  return result;
}

} // namespace transfold::lsp
