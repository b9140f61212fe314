// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is visible at the top level of one file: what it declares, what it
// imports, and the constants and tables of containers, its own and those of the
// libraries that it uses.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_TOPLEVEL_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_TOPLEVEL_H

#include "compiler/spec/syntax/Ast.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

enum class NameKind {
  Length,
  Size,
  Constant,
  Definition,
  Block,
  Entry,
  Part,
  Weight
};

struct Declaration {
  NameKind kind;
  Place place;
  const void *node;          // the Definition, Block, … itself
  std::string imported = ""; // the path that `use` writes; empty: its own
};

using Libraries = std::map<std::string, File>;

struct TopLevel {
  /// Throws SpecError for imports that do not exist and for names that are
  /// declared twice.
  TopLevel(const File &file, const Libraries &libraries);

  const File &file;
  /// With the constants of all containers.
  std::map<std::string, Declaration> names;
  /// By container; a file's own definitions replace imported ones.
  std::map<std::string, std::map<std::string, const Definition *>> constants;
  /// By container; imported tables first, the file's own last.
  std::map<std::string, std::vector<const Table *>> tables;
  /// Blocks of libraries, also of those that libraries use: tables place the
  /// weights of any.
  std::map<std::string, const Block *> libraryBlocks;

  /// The block of this name, own or imported; null where there is none.
  const Block *block(const std::string &name) const;
  /// As `block`, or one that an imported block is made of.
  const Block *placedBlock(const std::string &name) const;
  /// Containers that the file itself writes tables for, with the first place.
  std::map<std::string, Place> ownContainers() const;

private:
  void import(const Use &use, const File &library);
  void importTables(const File &library, const Libraries &libraries,
                    std::set<const File *> &seen);
  void declare(const std::string &name, Declaration declaration);
  void declareConstants();
};

/// The functions that the language has by itself.
const std::set<std::string> &primitives();

/// "std/norm.xf:12"
std::string describe(const Place &place);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_TOPLEVEL_H
