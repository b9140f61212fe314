// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each name of a spec is declared and used: what an editor needs to show
// a name, and to find all of its places. The scope checker records it.

#pragma once

#include "compiler/spec/names/TopLevel.h"
#include "compiler/spec/syntax/Ast.h"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace transfold::spec {

/// A place as a key: the order is by file, then by position.
struct PlaceKey {
  std::string path;
  unsigned line = 0, column = 0;
  auto operator<=>(const PlaceKey &) const = default;
};
PlaceKey keyOf(const Place &place);

/// The shapes of names that bodies define, by the place of the definition:
/// "[n, d]"; of other values what they are, "a function".
using Shapes = std::map<PlaceKey, std::string>;

/// A name that a spec or one of its libraries declares.
struct Symbol {
  NameKind kind;
  std::string name;
  Place place; // of its first declaration
  /// The Definition, Block, Entry, Part, Weight, Parameter or Result; null for
  /// others, and for an index. It lives as long as the LoadedSpec.
  const void *node = nullptr;
  std::string owner = ""; // "block attention"; empty at the top level
  /// Where the name is visible; without a source in the whole file.
  Range scope = {};
};

/// A place where a name is written.
struct Occurrence {
  Place at;
  PlaceKey symbol;       // the place of the symbol
  bool declares = false; // whether the name gets a value here
};

/// The names of a spec and of its libraries.
class NameIndex {
public:
  /// Adds a symbol, unless it is known, and an occurrence that declares it.
  void declare(Symbol symbol);
  /// Adds a place where the symbol that is declared at `symbol` is written.
  void note(const Place &at, const Place &symbol, bool declares = false);
  /// Adds the names that are visible at the top level of a file.
  void noteTopLevel(const TopLevel &top);

  /// The occurrence that begins at a place; null if there is none.
  const Occurrence *find(const Place &at) const;
  /// The symbol that is declared at a place; null if there is none.
  const Symbol *symbol(const PlaceKey &place) const;
  /// All occurrences of a symbol, in the order of files and places.
  std::vector<const Occurrence *> of(const PlaceKey &symbol) const;
  /// The definitions of a constant, by container.
  std::map<std::string, const Definition *>
  definitionsOf(const Symbol &constant) const;
  /// The symbols that can be used at a place: those at the top level of its
  /// file, and those of the block, entry or definition around it.
  std::vector<const Symbol *> visibleAt(const Place &place) const;

private:
  void noteConstants(const TopLevel &top);

  std::map<PlaceKey, Symbol> symbols;
  std::map<PlaceKey, Occurrence> occurrences; // by their place
  /// The definitions of each constant, by container.
  std::map<PlaceKey, std::map<std::string, const Definition *>> constants;
  /// By the path of a file: the names at its top level, and their symbols.
  std::map<std::string, std::map<std::string, PlaceKey>> topLevels;
};

} // namespace transfold::spec
