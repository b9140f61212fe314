// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that are visible at the top level of one file: its declarations,
// its imports, and the constants and tables of containers, both its own and
// those of the libraries that it uses.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

/// What a name can be declared as.
enum class NameKind {
  // At the top level; a part or a weight also inside of a block or an entry.
  Length,
  Size,
  Constant,
  Definition,
  Block,
  Entry,
  Part,
  Weight,
  // Only inside of a block, an entry or a definition.
  Parameter, // of a block, an entry or a function
  Static,    // block name[static]
  Index,     // of a family, a loop, a sum or a table
  Variable,  // of a body
  Local,     // of a `where` clause
  Result     // of an entry
};

/// What a name refers to.
struct Declaration {
  NameKind kind;
  Place place;
  const void *node;          // the Definition, Block, … itself
  std::string imported = ""; // the path in its `use`; empty: the file's own
};

/// Parsed libraries by the path that `use` writes.
using Libraries = std::map<std::string, File>;

/// The top-level names of a file.
struct TopLevel {
  /// Throws SpecError for imports that do not exist and for names that are
  /// declared twice.
  TopLevel(const File &file, const Libraries &libraries);
  /// The same, but adds mistakes to `errors`; libraries may be missing.
  TopLevel(const File &file, const Libraries &libraries, Errors &errors);

  const File &file;
  /// All names, including the constants of all containers.
  std::map<std::string, Declaration> names;
  /// Constants by container; a file's own definitions replace imported ones.
  std::map<std::string, std::map<std::string, const Definition *>> constants;
  /// Tables by container; imported tables first, the file's own last.
  std::map<std::string, std::vector<const Table *>> tables;
  /// Blocks of the libraries, including libraries of libraries: tables may
  /// place the weights of any of them.
  std::map<std::string, const Block *> libraryBlocks;

  /// The block of this name, own or imported; null where there is none.
  const Block *block(const std::string &name) const;
  /// As `block`, but also finds a block that an imported block is made of.
  const Block *placedBlock(const std::string &name) const;
  /// Containers for which the file itself has tables, with the first place.
  std::map<std::string, Place> ownContainers() const;

private:
  /// Adds all names of the file.
  void collect(const Libraries &libraries, Errors &errors);
  /// Adds the names that the file itself declares, without constants.
  void declareOwn(Errors &errors);
  /// Adds a name that `use` lists, at the place where it lists it; `offered`
  /// are the names of the library. Throws SpecError.
  void import(const Use &use, size_t number,
              const std::map<std::string, Declaration> &offered);
  /// Adds the constants, tables and blocks of a library, after those of the
  /// libraries that it uses. `seen`: the libraries that were added already.
  void importTables(const File &library, const Libraries &libraries,
                    std::set<const File *> &seen);
  /// Adds a name. Throws SpecError if it exists or is that of a primitive.
  void declare(const std::string &name, Declaration declaration);
  /// Adds the constants of all containers, which may have equal names.
  void declareConstants(Errors &errors);
  /// Adds a constant of a container. Throws SpecError if the name is another
  /// one already.
  void declareConstant(const std::string &container,
                       const Definition &definition);
};

/// The names of the functions that are built into the language.
const std::set<std::string> &primitives();

/// The place where a name is declared, which is in a library if it is imported.
Place declaredAt(const Declaration &declaration);

/// The place as "std/norm.xf:12"; empty without a source.
std::string describe(const Place &place);

} // namespace transfold::spec
