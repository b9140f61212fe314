// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of checkScopes for one file: definitions in Scopes.cpp,
// bodies in BodyScopes.cpp, tables of containers in TableScopes.cpp, cycles in
// Cycles.cpp.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_SCOPECHECKER_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_SCOPECHECKER_H

#include "compiler/spec/names/TopLevel.h"

#include <map>
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
  enum class Role { Parameter, Static, Index, Variable, Weight, Part, Where };

  explicit Scope(const Scope *outer = nullptr) : outer(outer) {}
  const Scope *outer;
  std::map<std::string, Role> names;
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
  ScopeChecker(const TopLevel &top, Needs &needs) : top(top), needs(needs) {}
  /// Throws SpecError for the first mistake.
  void check();

private:
  // Expressions.
  void expression(const ExprPtr &expr, const Scope &scope);
  void expressions(const std::vector<ExprPtr> &list, const Scope &scope);
  /// Resolves a name, and records it as a dependency.
  void name(const Expr &expr, const Scope &scope);
  /// Throws SpecError for an unknown name, with suggestions.
  [[noreturn]] void undefined(const std::string &name, const Place &place,
                              const Scope &scope);

  // Definitions and bodies.
  /// Declares parameters in a head.
  void header(const std::vector<Parameter> &parameters, Scope &into);
  /// Resolves the names in the shapes of parameters.
  void headerShapes(const std::vector<Parameter> &parameters,
                    const Scope &scope);
  void defaults(const std::vector<Parameter> &parameters, const Scope &outer);
  /// Declares a name in a head; it must be new there.
  void declareInHeader(const std::string &name, const Place &place,
                       Scope::Role role, Scope &into);
  void definition(const Definition &definition, const Scope &outer);
  /// Checks a `where` clause, and looks for cycles in it.
  void where(const std::vector<Definition> &definitions, const Scope &scope);
  void declareInside(const std::string &name, const Place &place,
                     Scope::Role role, Scope &scope);
  void parts(const std::vector<Part> &parts, const Scope &scope);
  void weights(const std::vector<Weight> &weights, const Scope &scope);
  /// Checks statements in order; `results` is the number of returned values.
  void body(const Body &body, Scope &scope, size_t results, bool inLoop);
  void define(const Definition &definition, Scope &scope);
  void loop(const Statement &statement, Scope &scope, size_t results);
  void branches(const Statement &statement, Scope &scope, size_t results,
                bool inLoop);
  void block(const Block &block);
  void entry(const Entry &entry);
  void task(const Task &task);
  void interface(const Interface &interface);

  // Containers.
  void containers();
  void config(const Config &config);
  /// Checks that each container defines all constants that are used.
  void missingConstants();
  void ignored(const std::vector<Ignore> &list, const Scope &scope);
  /// Checks a `names` table of the file.
  void ownTable(const Names &names);
  /// Checks the entries of a table; unknown names are errors if `strict`.
  void entries(const Table &table, const Owner &owner, const Scope &scope,
               bool strict);
  void binding(const Binding &binding, const Owner &owner, const Scope &scope,
               bool strict);
  void partBinding(const Binding &binding, const Part &part, const Scope &scope,
                   bool strict);
  void layoutNames(const Weight &weight, const Binding &binding,
                   const Scope &scope);
  void importedLayouts(const std::string &container);
  Owner ownerOfModel() const;
  Owner ownerOfBlock(const Block &block) const;

  // Cycles.
  void cycles();
  void cycles(const std::string &container);

  const TopLevel &top;
  Needs &needs;
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

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_SCOPECHECKER_H
