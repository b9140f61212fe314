// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completion. The line up to the cursor decides what can follow, since a
// statement that is being typed has no syntax tree yet.

#include "compiler/lsp/Completion.h"

#include "compiler/lsp/Hover.h"
#include "compiler/lsp/text/Declarations.h"
#include "compiler/lsp/text/Positions.h"
#include "compiler/lsp/text/Words.h"
#include "compiler/spec/names/TaskOptions.h"
#include "compiler/spec/names/TopLevel.h"
#include "compiler/spec/syntax/Lexer.h"

#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

namespace transfold::lsp {

namespace fs = std::filesystem;

using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;
using spec::NameKind;

static CompletionItem itemOf(const std::string &label, CompletionItemKind kind,
                             const std::string &detail = "",
                             const std::string &documentation = "") {
  CompletionItem item(label, kind);
  item.detail = detail;
  if (!documentation.empty())
    item.documentation = llvm::lsp::MarkupContent{
        llvm::lsp::MarkupKind::Markdown, documentation};
  return item;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// The libraries in the folder of the spec, and in the folder of the installed
/// specs: the path that `use` writes, "std/norm.xf".
static std::vector<CompletionItem> libraries(const std::string &path) {
  std::set<std::string> found;
  const std::string root = specFolderFor(path);
  std::error_code error;
  for (fs::directory_iterator file(fs::path(root) / "std", error), end;
       !error && file != end; file.increment(error))
    if (file->path().extension() == ".xf" && file->path() != path)
      found.insert("std/" + file->path().filename().string());
  std::vector<CompletionItem> items;
  for (const std::string &library : found)
    items.push_back(itemOf(library, CompletionItemKind::File));
  return items;
}

/// The names that the library on the line offers.
static std::vector<CompletionItem> namesOfLibrary(const Document &document,
                                                  const std::string &line) {
  std::vector<CompletionItem> items;
  for (const auto &[path, library] : document.analysis->spec.libraries) {
    if (line.find('"' + path + '"') == std::string::npos)
      continue;
    for (const spec::Block &block : library.blocks)
      items.push_back(itemOf(block.name, CompletionItemKind::Class,
                             declarationOf(block), commentOf(block.place)));
    for (const spec::Definition &definition : library.definitions)
      items.push_back(itemOf(definition.name, CompletionItemKind::Function,
                             declarationOf(definition)));
  }
  return items;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static CompletionItemKind kindOf(NameKind kind) {
  switch (kind) {
  case NameKind::Block:
    return CompletionItemKind::Class;
  case NameKind::Entry:
    return CompletionItemKind::Method;
  case NameKind::Part:
    return CompletionItemKind::Property;
  case NameKind::Weight:
    return CompletionItemKind::Field;
  case NameKind::Constant:
    return CompletionItemKind::Constant;
  case NameKind::Definition:
    return CompletionItemKind::Function;
  default:
    return CompletionItemKind::Variable;
  }
}

/// Names in scope, then functions and keywords that no name hides.
static std::vector<CompletionItem> names(const Document &document,
                                         const spec::Place &place) {
  std::vector<CompletionItem> items;
  std::set<std::string> known;
  const Analysis &analysis = *document.analysis;
  for (const spec::Symbol *symbol : analysis.index.visibleAt(place)) {
    if (!symbol || !known.insert(symbol->name).second)
      continue;
    items.push_back(itemOf(symbol->name, kindOf(symbol->kind), "",
                           describe(*symbol, analysis, place)));
  }
  auto add = [&](const std::string &name, CompletionItemKind kind,
                 const auto &words) {
    auto found = words.find(name);
    const Word word = found == words.end() ? Word() : found->second;
    if (known.insert(name).second)
      items.push_back(itemOf(name, kind, std::string(word.form),
                             std::string(word.meaning)));
  };
  for (const std::string &name : spec::primitives())
    add(name, CompletionItemKind::Function, functionWords());
  for (std::string_view name : spec::keywords())
    add(std::string(name), CompletionItemKind::Keyword, keywordWords());
  for (const char *name : {"axis", "inf", "interface", "linear"})
    add(name, CompletionItemKind::Keyword, keywordWords());
  return items;
}

/// The entries of the spec.
static std::vector<CompletionItem> entries(const Document &document) {
  std::vector<CompletionItem> items;
  for (const spec::Entry &entry : document.analysis->spec.main.entries)
    items.push_back(
        itemOf(entry.name, CompletionItemKind::Method, declarationOf(entry)));
  return items;
}

/// The options of a task of that kind, or its entries after `from`.
static std::vector<CompletionItem> ofTask(const Document &document,
                                          const std::string &before) {
  std::istringstream words(before);
  std::string task, kind, from;
  words >> task >> kind >> from;
  std::vector<CompletionItem> items;
  bool isKind = kind.empty() || (from.empty() && before.back() != ' ');
  if (isKind) {
    for (const std::string &name : spec::taskKinds())
      items.push_back(itemOf(name, CompletionItemKind::Event));
  } else if (from.empty()) {
    items.push_back(itemOf("from", CompletionItemKind::Keyword));
  } else if (before.find('{') == std::string::npos) {
    return entries(document);
  } else {
    for (const std::string &name : spec::optionsOfTask(kind))
      items.push_back(itemOf(name, CompletionItemKind::Property));
  }
  return items;
}

/// Whether the text is that of an option's name: after `{` or a comma.
static bool namesOption(const std::string &before) {
  size_t last = before.find_last_of("{,=");
  return last == std::string::npos || before[last] != '=';
}

/// Whether the word at the end of the text follows a point: a key.
static bool endsInKey(const std::string &before) {
  size_t end = before.size();
  while (end > 0 &&
         (std::isalnum(static_cast<unsigned char>(before[end - 1])) ||
          before[end - 1] == '_' || before[end - 1] & 0x80))
    --end;
  return end > 0 && before[end - 1] == '.';
}

llvm::lsp::CompletionList completionsAt(const Document &document,
                                        const llvm::lsp::Position &position) {
  llvm::lsp::CompletionList list;
  const auto &source = document.analysis->spec.main.source;
  if (!source)
    return list;
  spec::Place place = placeAt(source, position);
  LineBefore before = lineBefore(place);
  std::string first; // word of the line
  std::istringstream(before.text) >> first;
  if (before.inComment)
    return list;
  if (first == "use")
    list.items = before.inString
                     ? libraries(document.uri.file().str())
                     : namesOfLibrary(document, source->line(place.line));
  else if (before.inString || endsInKey(before.text))
    return list; // tensors and keys of a checkpoint
  else if (first == "task" && namesOption(before.text))
    list.items = ofTask(document, before.text);
  else
    list.items = names(document, place);
  return list;
}

} // namespace transfold::lsp
