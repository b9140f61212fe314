// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the equations from syntax trees. Tables of names and tasks compute
// nothing, so they have none.

#include "compiler/report/SpecEquations.h"

#include "compiler/report/MathMl.h"
#include "compiler/spec/syntax/ExprText.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::report;

llvm::StringRef report::nameOf(EquationKind kind) {
  switch (kind) {
  case EquationKind::Definition:
    return "definition";
  case EquationKind::Where:
    return "where";
  case EquationKind::Return:
    return "return";
  case EquationKind::Loop:
    return "loop";
  case EquationKind::Weights:
    return "weights";
  case EquationKind::Parts:
    return "parts";
  case EquationKind::Heading:
    return "heading";
  }
  llvm_unreachable("all kinds are above");
}

/// The byte offset of a place, whose column counts code points.
static size_t offsetOf(const spec::Source &source, const spec::Place &place) {
  if (place.line == 0 || place.line > source.lineStarts.size())
    return source.text.size();
  size_t at = source.lineStarts[place.line - 1];
  auto isInside = [&](size_t byte) {
    return byte < source.text.size() && (source.text[byte] & 0xC0) == 0x80;
  };
  for (unsigned column = 1; column < place.column && at < source.text.size();
       ++column) {
    ++at;
    while (isInside(at))
      ++at;
  }
  return at;
}

static std::string textOf(const spec::Range &range) {
  const spec::Source &source = *range.begin.source;
  const size_t begin = offsetOf(source, range.begin),
               end = offsetOf(source, range.end);
  return end > begin ? source.text.substr(begin, end - begin) : "";
}

namespace transfold::report {

/// Adds the equations of one file.
class EquationCollector {
public:
  EquationCollector(SpecEquations &all, unsigned file) : all(all), file(file) {}

  void add(const spec::File &parsed) {
    for (const spec::Definition &definition : parsed.definitions)
      add(definition, EquationKind::Definition, std::nullopt);
    for (const spec::Weight &weight : parsed.weights)
      add(weight);
    for (const spec::Config &config : parsed.configs)
      for (const spec::Definition &definition : config.definitions)
        add(definition, EquationKind::Definition, std::nullopt);
    for (const spec::Block &block : parsed.blocks)
      add(block.body, append(EquationKind::Heading, block.range, std::nullopt,
                             beforeBody(block.range), ""));
    for (const spec::Entry &entry : parsed.entries)
      add(entry.body, append(EquationKind::Heading, entry.range, std::nullopt,
                             beforeBody(entry.range), ""));
  }

private:
  unsigned append(EquationKind kind, const spec::Range &range,
                  std::optional<unsigned> parent, std::string text,
                  std::string mathml) {
    all.equations.push_back(
        {kind, file, range, parent, std::move(text), std::move(mathml)});
    return all.equations.size() - 1;
  }

  /// The text of a block, or of a loop, up to its body. The range is that of
  /// the whole block, so that an operation of no statement belongs to it.
  static std::string beforeBody(const spec::Range &range) {
    std::string text = textOf(range);
    return StringRef(text)
        .take_until([](char c) { return c == '{'; })
        .rtrim()
        .str();
  }

  /// The place after the last character of a weight: of its name, or of the
  /// last expression of its declaration.
  static spec::Place endOf(const spec::Weight &weight) {
    spec::Place end = weight.place;
    for (char c : weight.name)
      end.column += (c & 0xC0) != 0x80;
    std::vector<spec::ExprPtr> parts = weight.dims;
    parts.push_back(weight.condition);
    parts.push_back(weight.otherwise);
    for (const spec::ExprPtr &part : parts)
      if (part && std::pair(part->range.end.line, part->range.end.column) >
                      std::pair(end.line, end.column))
        end = part->range.end;
    return end;
  }

  /// A weight of the model, which belongs to no block.
  void add(const spec::Weight &weight) {
    const spec::Range range{weight.place, endOf(weight)};
    std::string text = textOf(range);
    // The range ends with the last size, before the bracket.
    if (!weight.dims.empty() && !weight.condition && !weight.otherwise)
      text += "]";
    append(EquationKind::Weights, range, std::nullopt, text, "");
  }

  void add(const spec::Definition &definition, EquationKind kind,
           std::optional<unsigned> parent) {
    unsigned own = append(kind, definition.range, parent,
                          textOf(definition.range), mathMlOf(definition));
    for (const spec::Definition &inner : definition.where)
      add(inner, EquationKind::Where, own);
  }

  void add(const spec::Body &body, std::optional<unsigned> parent) {
    for (const spec::Statement &statement : body)
      add(statement, parent);
  }

  void add(const spec::Statement &statement, std::optional<unsigned> parent) {
    const spec::Range &range = statement.range;
    switch (statement.kind) {
    case spec::StatementKind::Parts:
      append(EquationKind::Parts, range, parent, textOf(range), "");
      return;
    case spec::StatementKind::Weights:
      append(EquationKind::Weights, range, parent, textOf(range), "");
      return;
    case spec::StatementKind::Define:
      return add(*statement.definition, EquationKind::Definition, parent);
    case spec::StatementKind::Return:
      append(EquationKind::Return, range, parent, textOf(range),
             mathMlOfReturn(statement.values));
      return;
    case spec::StatementKind::For:
      return add(
          statement.body,
          append(EquationKind::Loop, range, parent, beforeBody(range),
                 mathMlOfLoop(statement.variable, *statement.condition)));
    case spec::StatementKind::If:
      add(statement.body, parent);
      return add(statement.otherwise, parent);
    }
  }

  SpecEquations &all;
  unsigned file;
};

} // namespace transfold::report

SpecEquations::SpecEquations(
    std::vector<std::pair<std::string, const spec::File *>> files)
    : parsed(std::move(files)) {
  for (auto [number, file] : llvm::enumerate(parsed)) {
    fileOf[file.second->source->path] = number;
    EquationCollector(*this, number).add(*file.second);
  }
  // A report must not depend on the folder of the spec.
  std::string &own = parsed.front().first;
  own = own.substr(own.rfind('/') + 1);
}

/// Whether `place` is in [begin, end), in reading order.
static bool contains(const spec::Range &range, FileLineColLoc place) {
  auto at = std::pair(place.getLine(), place.getColumn());
  return std::pair(range.begin.line, range.begin.column) <= at &&
         at < std::pair(range.end.line, range.end.column);
}

std::optional<unsigned> SpecEquations::at(FileLineColLoc place) const {
  auto file = fileOf.find(place.getFilename().getValue());
  if (file == fileOf.end())
    return std::nullopt;
  // An equation comes before those that it contains.
  std::optional<unsigned> found;
  for (auto [number, equation] : llvm::enumerate(equations))
    if (equation.file == file->second && contains(equation.range, place))
      found = number;
  return found;
}

/// Appends what `list` does not have.
template <typename T> static void addOnce(llvm::SmallVectorImpl<T> &list, T x) {
  if (!llvm::is_contained(list, x))
    list.push_back(x);
}

Origins SpecEquations::of(Location location) const {
  Origins origins;
  llvm::SmallVector<unsigned> outer;
  for (const xf::PlaceChain &chain : xf::chainsOf(location))
    for (auto [depth, place] : llvm::enumerate(chain)) {
      std::optional<unsigned> equation = at(place);
      if (!equation)
        continue;
      if (depth) {
        addOnce(outer, *equation);
        continue;
      }
      addOnce(origins.equations, *equation);
      addOnce(origins.places,
              std::array<unsigned, 3>{equations[*equation].file,
                                      place.getLine(), place.getColumn()});
    }
  for (unsigned caller : outer)
    if (!llvm::is_contained(origins.equations, caller))
      addOnce(origins.callers, caller);
  return origins;
}

void SpecEquations::add(Origins &all, const Origins &more) {
  for (unsigned equation : more.equations)
    addOnce(all.equations, equation);
  for (unsigned caller : more.callers)
    addOnce(all.callers, caller);
  for (const auto &place : more.places)
    addOnce(all.places, place);
  llvm::erase_if(all.callers, [&](unsigned caller) {
    return llvm::is_contained(all.equations, caller);
  });
}
