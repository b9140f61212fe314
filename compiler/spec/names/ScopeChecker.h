// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of checkScopes for one file: definitions in Scopes.cpp,
// bodies in BodyScopes.cpp, tables of containers in TableScopes.cpp, cycles in
// Cycles.cpp, what is added to the index of names in RecordNames.cpp.

#pragma once

#include "compiler/spec/names/NameIndex.h"
#include "compiler/spec/names/TopLevel.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

/// A name that a definition depends on, and where.
struct Need {
  std::string name;
  Place place;
};

/// The dependencies of each Definition, Block, Entry, Part or Weight, by its
/// address.
using Needs = std::map<const void *, std::vector<Need>>;

/// Names that are visible in a part of a file; the top level is not a Scope.
struct Scope {
  /// What a name was declared as; errors and permissions to replace it depend
  /// on this.
  enum class Role { Parameter, Static, Index, Variable, Weight, Part, Where };

  /// A name, and where it was declared first.
  struct Name {
    Role role;
    Place place;
  };

  explicit Scope(const Scope *outer = nullptr) : outer(outer) {}
  const Scope *outer;
  std::map<std::string, Name> names;
  /// For names that are set on some paths only: why they are not visible.
  std::map<std::string, std::string> lost;
  /// Whether this is the head of a block, an entry or a definition, whose names
  /// no inner name may hide; and what it is the head of, for messages.
  bool isHeader = false;
  std::string owner = "";
};

/// What a table may place: the weights and parts of the model or of a block.
struct Owner {
  std::string description; // "the model", "block attention"
  std::map<std::string, const Weight *> weights;
  std::map<std::string, const Part *> parts;
  std::set<std::string> mixed; // right of @, and also used otherwise
  Scope scope;                 // names that its tables may use
};

/// Checks the names of one file.
class ScopeChecker {
public:
  /// `index` is null if no index is needed.
  ScopeChecker(const TopLevel &top, Needs &needs, Errors &errors,
               NameIndex *index)
      : top(top), needs(needs), errors(errors), index(index) {}
  /// Adds all mistakes to `errors`.
  void check();

private:
  // Expressions.
  /// Checks all names in an expression; a null expression has none.
  void expression(const ExprPtr &expr, const Scope &scope);
  void expressions(const std::vector<ExprPtr> &list, const Scope &scope);
  /// Resolves a name, and records it as a dependency. Throws SpecError.
  void name(const Expr &expr, const Scope &scope);
  /// Reports an unknown name, once, with suggestions.
  void undefined(const std::string &name, const Place &place,
                 const Scope &scope);

  // The index.
  /// Adds a name of the block, entry or definition that is being checked.
  void record(NameKind kind, const std::string &name, const Place &place,
              const void *node = nullptr);
  void record(Scope::Role role, const std::string &name, const Place &place,
              const void *node);
  /// Adds a place where a name at the top level is written.
  void recordUse(const Place &at, const std::string &topLevelName);
  /// Adds the place of a name in `interface`.
  void recordInterfaceName(const std::string &name, const Place &at);
  /// Adds the names in an expression whose names are checked elsewhere.
  void recordNames(const ExprPtr &expr, const Scope &scope);
  /// Where a name is declared; nullopt if it is not.
  std::optional<Place> declaredIn(const std::string &name,
                                  const Scope &scope) const;

  /// The place where a variable of a body was set or declared first; `place` if
  /// it is new.
  Place firstOf(const std::string &variable, const Place &place,
                const Scope &scope);

  // Definitions and bodies.
  /// Declares parameters in a head.
  void header(const std::vector<Parameter> &parameters, Scope &into);
  /// Resolves the names in the shapes of parameters.
  void headerShapes(const std::vector<Parameter> &parameters,
                    const Scope &scope);
  /// Resolves the names in the defaults of parameters.
  void defaults(const std::vector<Parameter> &parameters, const Scope &outer);
  /// Declares a name in a head; it must be new there. `node` is for the index.
  void declareInHeader(const std::string &name, const Place &place,
                       Scope::Role role, Scope &into,
                       const void *node = nullptr);
  /// Throws SpecError if an index has the name of something in a head around
  /// it.
  static void needNewIndex(const std::string &name, const Place &place,
                           const Scope &outer);
  /// Checks the head, the `where` clause and the value of a definition.
  void definition(const Definition &definition, const Scope &outer);
  /// Checks a `where` clause, and looks for cycles in it.
  void where(const std::vector<Definition> &definitions, const Scope &scope);
  /// Declares a name in a body or a `where` clause.
  void declareInside(const std::string &name, const Place &place,
                     Scope::Role role, Scope &scope,
                     const void *node = nullptr);
  /// Checks parts: their blocks must exist, with as many static parameters as
  /// the parts give.
  void parts(const std::vector<Part> &parts, const Scope &scope);
  void weights(const std::vector<Weight> &weights, const Scope &scope);
  /// Checks statements in order; `results` is the number of returned values.
  void body(const Body &body, Scope &scope, size_t results, bool inLoop);
  /// Checks one statement. `inLoop`: it must not return.
  void statement(const Statement &statement, Scope &scope, size_t results,
                 bool inLoop);
  /// Checks `name = value`, and declares the name in `scope`.
  void define(const Definition &definition, Scope &scope);
  /// Checks the body in a scope of its own, and records in `scope` which of its
  /// names are visible afterwards; `branches` does the same for two bodies.
  void loop(const Statement &statement, Scope &scope, size_t results);
  void branches(const Statement &statement, Scope &scope, size_t results,
                bool inLoop);
  /// From now on, names belong to this block or entry.
  void begin(const std::string &name, const Range &where);
  /// Checks the head and the body of a block. Errors in statements are
  /// collected; an error in the head ends the check. The same holds for
  /// `entry`.
  void block(const Block &block);
  void entry(const Entry &entry);
  void task(const Task &task);
  void interface(const Interface &interface);

  // Containers.
  /// Checks all tables of the file, and the imported ones against its weights.
  void containers();
  /// Checks a `config` table; only constants of its container are visible.
  void config(const Config &config);
  /// Checks that each container defines all constants that are used.
  bool hasConstants(const std::string &box) const;
  void missingConstants();
  /// Resolves the names in patterns and conditions of `ignore` lines.
  void ignored(const std::vector<Ignore> &list, const Scope &scope);
  /// Checks a `names` table of the file.
  void ownTable(const Names &names);
  /// Checks the entries of a table; unknown names are errors if `strict`.
  void entries(const Table &table, const Owner &owner, const Scope &scope,
               bool strict);
  /// Checks one line of a table: of a weight with its layout, or of a part.
  void binding(const Binding &binding, const Owner &owner, const Scope &scope,
               bool strict);
  /// Checks the prefix of a part, and its exceptions as a table of its block.
  void partBinding(const Binding &binding, const Part &part, const Scope &scope,
                   bool strict);
  /// Checks the names in the `as` clause of a binding.
  void layoutNames(const Weight &weight, const Binding &binding,
                   const Scope &scope);
  /// Checks the weights of the model against the tables of libraries.
  void importedLayouts(const std::string &container);
  /// What the top level of a `names` table may place.
  Owner ownerOfModel() const;
  /// What the section of a block may place.
  Owner ownerOfBlock(const Block &block) const;

  // Cycles.
  /// Throws SpecError for the first cycle among definitions. Constants of
  /// different containers do not depend on each other, so each container is
  /// searched separately.
  void cycles();
  void cycles(const std::string &container);

  const TopLevel &top;
  Needs &needs;
  Errors &errors;
  NameIndex *index;
  std::string owner; // the block, entry or definition that is being checked
  Range range;       // and where its names are visible
  /// The first places of the variables of the body that is being checked.
  /// Branches may set one variable each in its own scope.
  std::map<std::string, Place> variables;
  std::set<std::string> undefinedNames; // that were reported
  const void *current = nullptr; // the node that `needs` is collected for
  const std::string *container = nullptr; // set inside its config or names
  const Scope *whereScope = nullptr;
  std::vector<Need> *whereNeeds = nullptr;
  std::map<std::string, Place> constantsUsed; // by equations
};

/// The first cycle in `graph` as a path (a, b, a); empty if there is none.
/// Throws SpecError if a chain of dependencies is too long.
std::vector<std::string>
findCycle(const std::map<std::string, std::vector<Need>> &graph);

/// The message for a cycle that findCycle found.
std::string describeCycle(const std::vector<std::string> &cycle);

} // namespace transfold::spec
