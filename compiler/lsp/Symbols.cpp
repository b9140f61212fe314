// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outline, from the syntax tree. An item that lies in another one becomes
// its child.

#include "compiler/lsp/Symbols.h"

#include "compiler/lsp/text/Declarations.h"
#include "compiler/lsp/text/Positions.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Lexer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace transfold::lsp {

using llvm::lsp::DocumentSymbol;
using Kind = llvm::lsp::SymbolKind;

namespace {
/// Collects the symbols of one file.
class Outline {
public:
  std::vector<DocumentSymbol> run(const spec::File &file);

private:
  /// A symbol whose name is at `place`. Without a range it is the name only.
  DocumentSymbol symbol(const std::string &name, Kind kind,
                        const spec::Place &place, const spec::Range &range = {},
                        const std::string &detail = "");
  /// The parts and weights of a file or of a statement.
  template <typename Declaring>
  void members(const Declaring &of, std::vector<DocumentSymbol> &into);
  /// The parts and weights that a body declares.
  void inside(const spec::Body &body, std::vector<DocumentSymbol> &into);
  void equations(const spec::File &file, std::vector<DocumentSymbol> &into);
  void containers(const spec::File &file, std::vector<DocumentSymbol> &into);
};
} // namespace

DocumentSymbol Outline::symbol(const std::string &name, Kind kind,
                               const spec::Place &place,
                               const spec::Range &range,
                               const std::string &detail) {
  auto word = spec::wordAt(place);
  spec::Range written = word ? *word : spec::Range{place, place};
  llvm::lsp::Range selected = rangeOf(written);
  llvm::lsp::Range whole = range.begin.source ? rangeOf(range) : selected;
  // The protocol requires that the whole contains the name.
  whole.start = std::min(whole.start, selected.start);
  whole.end = std::max(whole.end, selected.end);
  DocumentSymbol result(name, kind, whole, selected);
  result.detail = detail;
  return result;
}

template <typename Declaring>
void Outline::members(const Declaring &of, std::vector<DocumentSymbol> &into) {
  for (const spec::Part &part : of.parts)
    into.push_back(
        symbol(part.name, Kind::Object, part.place, {}, declarationOf(part)));
  for (const spec::Weight &weight : of.weights)
    into.push_back(symbol(weight.name, Kind::Field, weight.place, {},
                          declarationOf(weight)));
}

void Outline::inside(const spec::Body &body,
                     std::vector<DocumentSymbol> &into) {
  for (const spec::Statement &statement : body) {
    members(statement, into);
    inside(statement.body, into);
    inside(statement.otherwise, into);
  }
}

void Outline::equations(const spec::File &file,
                        std::vector<DocumentSymbol> &into) {
  members(file, into);
  for (const spec::Block &block : file.blocks) {
    into.push_back(symbol(block.name, Kind::Class, block.place, block.range,
                          declarationOf(block)));
    inside(block.body, into.back().children);
  }
  for (const spec::Entry &entry : file.entries) {
    into.push_back(symbol(entry.name, Kind::Method, entry.place, entry.range,
                          declarationOf(entry)));
    inside(entry.body, into.back().children);
  }
  for (const spec::Task &task : file.tasks)
    into.push_back(symbol(task.kind, Kind::Event, task.place, {},
                          fmt::format("task {} from {}", task.kind,
                                      fmt::join(task.entries, ", "))));
  for (const spec::Definition &definition : file.definitions)
    into.push_back(
        symbol(definition.name,
               definition.parameters ? Kind::Function : Kind::Variable,
               definition.place, definition.range));
}

void Outline::containers(const spec::File &file,
                         std::vector<DocumentSymbol> &into) {
  for (const spec::Config &config : file.configs) {
    into.push_back(symbol("config " + config.container, Kind::Namespace,
                          config.place, config.range));
    for (const spec::Definition &definition : config.definitions)
      into.back().children.push_back(symbol(
          definition.name, Kind::Constant, definition.place, definition.range));
  }
  for (const spec::Names &names : file.names) {
    into.push_back(symbol("names " + names.container, Kind::Namespace,
                          names.place, names.range));
    for (size_t i = 0; i < names.table.sections.size(); ++i)
      into.back().children.push_back(symbol(names.table.sections[i].first,
                                            Kind::Key,
                                            names.table.sectionPlaces[i]));
  }
  for (const spec::Interface &interface : file.interfaces)
    into.push_back(
        symbol("interface", Kind::Interface, interface.place, interface.range));
}

std::vector<DocumentSymbol> Outline::run(const spec::File &file) {
  std::vector<DocumentSymbol> result;
  if (!file.source || file.name.empty())
    return result;
  spec::Place begin{file.source, 1, 1};
  result.push_back(symbol(file.name, Kind::Module, file.namePlace, {},
                          file.isModel ? "model" : "library"));
  result.back().range = {positionOf(begin), endOf(*file.source)};
  std::vector<DocumentSymbol> items;
  for (const auto &[name, place] : file.lengths)
    items.push_back(symbol(name, Kind::Variable, place, {}, "length"));
  for (const auto &[name, place] : file.sizes)
    items.push_back(symbol(name, Kind::Variable, place, {}, "size"));
  equations(file, items);
  containers(file, items);
  // The symbols of LLVM can be moved to a new place only, and not be sorted.
  std::multimap<llvm::lsp::Range, DocumentSymbol> inOrder;
  for (DocumentSymbol &item : items)
    inOrder.emplace(item.selectionRange, std::move(item));
  for (auto &[range, item] : inOrder)
    result.back().children.push_back(std::move(item));
  return result;
}

std::vector<DocumentSymbol> outlineOf(const spec::File &file) {
  return Outline().run(file);
}

} // namespace transfold::lsp
