// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equations of a spec and of the libraries that it uses, with numbers, and
// the equations that an operation of any stage comes from: its location is in
// one of them, and the calls that inlined it are in others.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "dialect/Places.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transfold::report {

/// The kinds of equations.
enum class EquationKind {
  Definition, ///< Q[i] = x @ W_Q[i]
  Where,      ///< a definition in the `where` of another one
  Return,     ///< return x
  Loop,       ///< for l < L
  Weights,    ///< weights W[d, d]
  Parts,      ///< parts norm: layer_norm[d, ε]
  Heading,    ///< block layer(x[n, d]) -> [n, d], or an entry
};
/// "definition", …
llvm::StringRef nameOf(EquationKind kind);

/// One equation, or a line that belongs to equations.
struct SpecEquation {
  EquationKind kind;
  unsigned file; // of SpecEquations::files()
  spec::Range range;
  /// The number of the equation that contains this one: the heading of a block,
  /// or the definition that has this one in its `where`.
  std::optional<unsigned> parent;
  std::string text;   // as in the file
  std::string mathml; // empty for lines that are not formulas
};

/// The equations that one operation comes from, by number.
struct Origins {
  /// Where it is written: one, or several for an operation that stands for
  /// several.
  llvm::SmallVector<unsigned> equations;
  /// The equations whose calls inlined it, without those above.
  llvm::SmallVector<unsigned> callers;
  /// The places in `equations`: file, line and column.
  llvm::SmallVector<std::array<unsigned, 3>> places;
};

/// All equations, in the order of the files.
class SpecEquations {
public:
  /// `files`: names and syntax trees, the spec first (spec::Model::files); they
  /// must outlive this.
  explicit SpecEquations(
      std::vector<std::pair<std::string, const spec::File *>> files);

  /// The files, with the names that readers see: "bert.xf", "std/norm.xf".
  const std::vector<std::pair<std::string, const spec::File *>> &files() const {
    return parsed;
  }
  const std::vector<SpecEquation> &all() const { return equations; }

  /// The innermost equation that contains the place.
  std::optional<unsigned> at(mlir::FileLineColLoc place) const;
  /// The equations that an operation with this location comes from.
  Origins of(mlir::Location location) const;
  /// The union of the origins of several operations.
  static void add(Origins &all, const Origins &more);

private:
  friend class EquationCollector;

  std::vector<std::pair<std::string, const spec::File *>> parsed;
  llvm::StringMap<unsigned> fileOf; // by the path in locations
  std::vector<SpecEquation> equations;
};

} // namespace transfold::report
