// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hovers. The first line is the declaration in the language, which editors
// highlight; sentences follow.

#include "compiler/lsp/Hover.h"

#include "compiler/lsp/text/Declarations.h"
#include "compiler/lsp/text/Positions.h"
#include "compiler/lsp/text/Words.h"
#include "compiler/spec/syntax/Lexer.h"

#include <fmt/format.h>

#include <filesystem>

namespace transfold::lsp {

using spec::NameKind;
using spec::Symbol;

/// What a symbol is: "a weight of block attention".
static std::string kindOf(const Symbol &symbol) {
  static constexpr const char *nouns[] = {
      "a length of sequences, known when the program runs",
      "a size, which is bound where a block is used",
      "a constant of the model",
      "a definition",
      "a block",
      "an entry",
      "a part",
      "a weight",
      "a parameter",
      "a static parameter",
      "an index",
      "a value",
      "a local definition",
      "a result"};
  std::string result = nouns[size_t(symbol.kind)];
  return symbol.owner.empty() ? result : result + " of " + symbol.owner;
}

/// The declarations of a symbol in the language, one a line.
static std::string codeOf(const Symbol &symbol, const Analysis &analysis) {
  const void *node = symbol.node;
  if (symbol.kind == NameKind::Constant) {
    std::string result;
    for (auto &[container, definition] : analysis.index.definitionsOf(symbol))
      result += fmt::format("{}config {}: {}", result.empty() ? "" : "\n",
                            container, declarationOf(*definition));
    return result;
  }
  if (!node)
    return symbol.name;
  switch (symbol.kind) {
  case NameKind::Block:
    return declarationOf(*static_cast<const spec::Block *>(node));
  case NameKind::Entry:
    return declarationOf(*static_cast<const spec::Entry *>(node));
  case NameKind::Part:
    return "parts " + declarationOf(*static_cast<const spec::Part *>(node));
  case NameKind::Weight:
    return "weights " + declarationOf(*static_cast<const spec::Weight *>(node));
  case NameKind::Parameter:
    return declarationOf(*static_cast<const spec::Parameter *>(node));
  case NameKind::Result:
    return declarationOf(*static_cast<const spec::Result *>(node));
  case NameKind::Definition:
  case NameKind::Variable:
  case NameKind::Local:
    return declarationOf(*static_cast<const spec::Definition *>(node));
  default:
    return symbol.name;
  }
}

/// The block of a part, on a line of its own.
static std::string blockOfPart(const Symbol &symbol, const Analysis &analysis) {
  if (symbol.kind != NameKind::Part || !symbol.node)
    return "";
  const auto &part = *static_cast<const spec::Part *>(symbol.node);
  const spec::Occurrence *named = analysis.index.find(part.blockPlace);
  const Symbol *block = named ? analysis.index.symbol(named->symbol) : nullptr;
  return block && block->node ? "\n" + codeOf(*block, analysis) : "";
}

/// The shape of a variable at the definition that a place has or follows.
static std::string shapeOf(const Symbol &symbol, const Analysis &analysis,
                           const spec::Place &at, const Analyses &others) {
  std::string shape;
  if (symbol.kind != NameKind::Variable)
    return shape;
  auto shapeAt = [&](const spec::PlaceKey &place) -> std::string {
    if (auto known = analysis.shapes.find(place);
        known != analysis.shapes.end())
      return known->second;
    for (const auto &other : others)
      if (auto known = other->shapes.find(place); known != other->shapes.end())
        return known->second;
    return "";
  };
  for (const spec::Occurrence *found : analysis.index.of(keyOf(symbol.place))) {
    std::string known = shapeAt(keyOf(found->at));
    if (!known.empty() && (shape.empty() || keyOf(found->at) <= keyOf(at)))
      shape = known;
  }
  return shape;
}

/// Where the tables store a weight or a part: a line for each container. Later
/// tables replace earlier ones.
static std::string storageOf(const Symbol &symbol, const Analysis &analysis) {
  std::string result;
  auto add = [&](const spec::File &file) {
    for (const spec::Names &names : file.names) {
      auto search = [&](const spec::Table &table) {
        for (const spec::Binding &binding : table.bindings) {
          const spec::Occurrence *found = analysis.index.find(binding.place);
          if (found && found->symbol == keyOf(symbol.place))
            result +=
                fmt::format("\n\n{}: `{}`", names.container, sourceOf(binding));
        }
      };
      search(names.table);
      for (const auto &[block, section] : names.table.sections)
        search(*section);
    }
  };
  for (const auto &[path, library] : analysis.spec.libraries)
    add(library);
  add(analysis.spec.main);
  return result;
}

/// "llama.xf, line 19"
static std::string placeText(const spec::Place &place) {
  return fmt::format(
      "{}, line {}",
      std::filesystem::path(place.source->path).filename().string(),
      place.line);
}

std::string describe(const Symbol &symbol, const Analysis &analysis,
                     const spec::Place &at, const Analyses &others) {
  std::string result =
      fmt::format("```xf\n{}{}\n```\n", codeOf(symbol, analysis),
                  blockOfPart(symbol, analysis));
  std::string shape = shapeOf(symbol, analysis, at, others);
  std::string what = kindOf(symbol);
  what[0] = char(std::toupper(what[0]));
  result += what;
  if (!shape.empty())
    result += fmt::format(": {}", shape);
  result += fmt::format(". Declared in {}.", placeText(symbol.place));
  // In the head of a block, a comment is about the block.
  bool inHead =
      symbol.kind == NameKind::Parameter || symbol.kind == NameKind::Static ||
      symbol.kind == NameKind::Index || symbol.kind == NameKind::Result;
  std::string comment = inHead ? "" : commentOf(symbol.place);
  if (!comment.empty())
    result += "\n\n" + comment;
  if (symbol.kind == NameKind::Weight || symbol.kind == NameKind::Part)
    result += storageOf(symbol, analysis);
  return result;
}

/// The description of a keyword or a function; empty if the word is neither.
static std::string describeWord(const std::string &written) {
  for (const auto *words : {&functionWords(), &keywordWords()}) {
    auto found = words->find(spec::canonicalName(written));
    if (found != words->end())
      return fmt::format("```xf\n{}\n```\n{}", found->second.form,
                         found->second.meaning);
  }
  return "";
}

std::optional<llvm::lsp::Hover> hoverAt(const Documents &documents,
                                        const Document &document,
                                        const llvm::lsp::Position &position) {
  auto cursor = cursorAt(document, position);
  if (const spec::File *library = libraryAt(document, position)) {
    llvm::lsp::Hover result(cursor ? rangeOf(cursor->word)
                                   : llvm::lsp::Range(position));
    result.contents.value = library->source ? library->source->path : "";
    return result;
  }
  if (!cursor)
    return std::nullopt;
  std::string text;
  if (cursor->symbol) {
    text = describe(*cursor->symbol, *document.analysis, cursor->word.begin,
                    documents.analyses());
  } else {
    LineBefore before = lineBefore(cursor->word.begin);
    // Keys of the configuration may be spelled like keywords.
    if (!before.inComment && !before.inString && !before.text.ends_with("."))
      text = describeWord(cursor->text);
  }
  if (text.empty())
    return std::nullopt;
  llvm::lsp::Hover result(rangeOf(cursor->word));
  result.contents.value = text;
  return result;
}

} // namespace transfold::lsp
