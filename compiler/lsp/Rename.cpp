// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renaming by the index of names. The result is analysed before it is returned:
// this finds names that are invalid, and places that the index does not have,
// such as an axis that a table splits.

#include "compiler/lsp/Rename.h"

#include "compiler/lsp/text/Positions.h"
#include "compiler/spec/syntax/Lexer.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace transfold::lsp {

bool fromJSON(const llvm::json::Value &value, RenameParams &result,
              llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return fromJSON(value,
                  static_cast<llvm::lsp::TextDocumentPositionParams &>(result),
                  path) &&
         mapper && mapper.map("newName", result.newName);
}

static llvm::Error refuse(const std::string &message) {
  return llvm::make_error<llvm::lsp::LSPError>(
      message, llvm::lsp::ErrorCode::RequestFailed);
}

/// Whether a text has the form of a name.
static bool isName(const std::string &text) {
  auto word = spec::wordAt({spec::Source::fromText("", text), 1, 1});
  return word && spec::textOf(*word) == text && !llvm::isDigit(text[0]);
}

/// Whether another name at a place is `name`, which would then mean this one.
static bool isTaken(const spec::NameIndex &index, const spec::Place &place,
                    const std::string &name) {
  return std::ranges::any_of(index.visibleAt(place),
                             [&](const spec::Symbol *symbol) {
                               return symbol && symbol->name == name;
                             });
}

/// The byte of a place in the text of its source.
static size_t offsetOf(const spec::Place &place) {
  spec::Place begin = place;
  begin.column = 1;
  return place.source->lineStarts[place.line - 1] +
         spec::textOf({begin, place}).size();
}

/// The part of a word before its name: that of Σ_j and sum_j has no index.
static std::string prefixOf(const std::string &word, const std::string &name) {
  for (const char *prefix : {"Σ_", "sum_"})
    if (word.starts_with(prefix) && spec::canonicalName(word) != name)
      return prefix;
  return "";
}

/// The text of the document after the edits of its words, which are sorted.
static std::string textAfter(const spec::Source &source,
                             const std::vector<spec::Range> &words,
                             const std::vector<std::string> &replacements) {
  std::string text = source.text;
  for (size_t i = words.size(); i-- > 0;) {
    size_t begin = offsetOf(words[i].begin), end = offsetOf(words[i].end);
    text.replace(begin, end - begin, replacements[i]);
  }
  return text;
}

llvm::Expected<llvm::lsp::WorkspaceEdit>
renameAt(const Documents &documents, const Document &document,
         const llvm::lsp::Position &position, const std::string &newName) {
  auto cursor = cursorAt(document, position);
  if (!cursor || !cursor->symbol)
    return refuse("there is no name of the spec here");
  if (!isName(newName))
    return refuse(fmt::format("`{}` is not a name", newName));
  const spec::Symbol &symbol = *cursor->symbol;
  if (symbol.name == spec::canonicalName(newName))
    return llvm::lsp::WorkspaceEdit();
  const spec::Source &source = *cursor->word.begin.source;
  std::vector<spec::Range> words;
  std::vector<std::string> replacements;
  for (const spec::Occurrence *found :
       document.analysis->index.of(cursor->occurrence->symbol)) {
    if (found->at.source.get() != &source)
      return refuse(fmt::format("`{}` is also a name in {}", symbol.name,
                                found->at.source->path));
    if (isTaken(document.analysis->index, found->at,
                spec::canonicalName(newName)))
      return refuse(fmt::format("`{}` is another name already", newName));
    auto word = spec::wordAt(found->at);
    if (!word)
      return refuse("there is no name of the spec here");
    words.push_back(*word);
    replacements.push_back(prefixOf(spec::textOf(*word), symbol.name) +
                           newName);
  }
  std::string text = textAfter(source, words, replacements);
  auto after = documents.analyzeAs(document, text);
  if (after->diagnostics.size() > document.analysis->diagnostics.size())
    return refuse(fmt::format("after this change there would be a mistake: {}",
                              after->diagnostics.front().str()));
  llvm::lsp::WorkspaceEdit edit;
  for (size_t i = 0; i < words.size(); ++i)
    edit.changes[document.uri.uri().str()].push_back(
        {rangeOf(words[i]), replacements[i]});
  return edit;
}

} // namespace transfold::lsp
