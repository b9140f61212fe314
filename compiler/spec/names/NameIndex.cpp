// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of names. Its keys are places and not addresses, so that the
// indices of several specs that use one library can be compared.

#include "compiler/spec/names/NameIndex.h"

namespace transfold::spec {

PlaceKey keyOf(const Place &place) {
  return {place.source ? place.source->path : "", place.line, place.column};
}

void NameIndex::declare(Symbol symbol) {
  const Place place = symbol.place;
  symbols.emplace(keyOf(place), std::move(symbol));
  note(place, place, true);
}

void NameIndex::note(const Place &at, const Place &symbol, bool declares) {
  if (at.source && symbol.source)
    occurrences.insert_or_assign(keyOf(at),
                                 Occurrence{at, keyOf(symbol), declares});
}

void NameIndex::noteTopLevel(const TopLevel &top) {
  if (!top.file.source)
    return;
  auto &names = topLevels[top.file.source->path];
  for (const auto &[name, declaration] : top.names) {
    const Place place = declaredAt(declaration);
    names[name] = keyOf(place);
    declare({declaration.kind, name, place, declaration.node});
    note(declaration.place, place, declaration.imported.empty());
  }
  noteConstants(top);
}

/// The symbol of a constant is at the definition of one container; the others
/// declare it, too.
void NameIndex::noteConstants(const TopLevel &top) {
  for (const auto &[container, definitions] : top.constants)
    for (const auto &[name, definition] : definitions) {
      auto found = top.names.find(name);
      if (found == top.names.end() || found->second.kind != NameKind::Constant)
        continue;
      const Place &symbol = found->second.place;
      constants[keyOf(symbol)][container] = definition;
      note(definition->place, symbol, true);
    }
}

const Occurrence *NameIndex::find(const Place &at) const {
  auto found = occurrences.find(keyOf(at));
  return found == occurrences.end() ? nullptr : &found->second;
}

const Symbol *NameIndex::symbol(const PlaceKey &place) const {
  auto found = symbols.find(place);
  return found == symbols.end() ? nullptr : &found->second;
}

std::vector<const Occurrence *> NameIndex::of(const PlaceKey &symbol) const {
  std::vector<const Occurrence *> result;
  for (const auto &[place, occurrence] : occurrences)
    if (occurrence.symbol == symbol)
      result.push_back(&occurrence);
  return result;
}

std::map<std::string, const Definition *>
NameIndex::definitionsOf(const Symbol &constant) const {
  auto found = constants.find(keyOf(constant.place));
  return found == constants.end() ? std::map<std::string, const Definition *>()
                                  : found->second;
}

/// Whether a place lies in a range, or at its end.
static bool coversPlace(const Range &range, const Place &place) {
  return range.begin.source == place.source &&
         keyOf(range.begin) <= keyOf(place) && keyOf(place) <= keyOf(range.end);
}

std::vector<const Symbol *> NameIndex::visibleAt(const Place &place) const {
  std::map<std::string, const Symbol *> byName; // inner ones replace outer ones
  if (auto top = topLevels.find(keyOf(place).path); top != topLevels.end())
    for (const auto &[name, key] : top->second)
      byName[name] = symbol(key);
  for (const auto &[key, symbol] : symbols)
    if (coversPlace(symbol.scope, place))
      byName[symbol.name] = &symbol;
  std::vector<const Symbol *> result;
  for (const auto &[name, symbol] : byName)
    result.push_back(symbol);
  return result;
}

} // namespace transfold::spec
