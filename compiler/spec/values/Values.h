// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name can stand for while equations are elaborated: static values,
// tensors, scalars that depend on an index, functions, and the declared things
// (blocks, parts, weights, entries) before they are used.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_VALUES_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_VALUES_H

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/IndexFunction.h"
#include "compiler/spec/values/Sink.h"
#include "compiler/spec/values/StaticValue.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace transfold::spec {

struct Environment;
struct Value;

/// An axis of a tensor, with the name its size has in the spec: n_max, h * d_k.
struct Axis {
  Dim size;
  std::string name;
  /// Inside `X[i] = e` the axis of the family is hidden: the equation speaks of
  /// one member. Then this is the number of the index i; else 0.
  int family = 0;
};

struct Tensor {
  Handle value = -1;
  std::vector<Axis> axes; // as they lie
  /// The axes that the equation sees, as numbers into `axes`, in its order: a
  /// transpose only swaps them here, and costs nothing as an operand of @.
  std::vector<unsigned> visible;
  bool integer = false; // tokens, indices
  int argument = -1;    // number of the entry's argument that this is
  bool isWeight = false;

  unsigned rank() const { return unsigned(visible.size()); }
  const Axis &axis(unsigned position) const { return axes[visible[position]]; }
};

/// A scalar of the equation that depends on the index of a family or of an
/// index function. Indices in `expr` are numbers of IndexInfo.
struct IndexedScalar {
  IndexExprPtr expr;
};

using Arguments = std::vector<Value>;

/// `name[i, j] = …` without a range: takes its extents from what it meets.
struct IndexClosure {
  std::string name;
  unsigned arity = 0;
  std::function<Value(const Arguments &)> apply;
};

/// `f(x, y) = …`, and f(x)[i, j].
struct FunctionClosure {
  const Definition *definition;
  const Environment *scope;
};

struct Builtin {
  std::string name;
};

struct BlockReference {
  const Block *block;
  const Environment *scope; // of the file that has it
};

/// A block with its statics, at a place in the tree of parts. Where its tensors
/// lie follows from the tables of the parts on the way.
struct Instance {
  const Block *block = nullptr;       // null: the model itself
  const Part *part = nullptr;         // as it is declared; null for the model
  const Environment *scope = nullptr; // statics, above them the block's file
  std::shared_ptr<const Instance> parent;
  std::string path; // "layers.3.attn"
  const Binding *binding =
      nullptr; // its prefix in the tables, where they are known
  const Environment *declaring = nullptr; // where the part is declared
  /// layers[3]: the index; or, of a family that is elaborated as one, the
  /// number of its index in the equations, and how many members it has.
  std::optional<StaticValue> index;
  int family = 0;
  Dim count;
};
using InstancePtr = std::shared_ptr<const Instance>;

struct PartReference {
  InstancePtr instance;
};

/// layers[l < L] before it is indexed.
struct PartFamily {
  std::string name;
  Dim count;
  std::string countName;
  /// Absent, where the condition of the member does not hold.
  std::function<Value(const Value &index, const Expr &at)> make;
};

/// A declared weight: bound and asked for anew at each use, because where it is
/// used (in a loop or outside) matters to the Sink.
struct WeightReference {
  const Weight *weight;
  InstancePtr instance;
  const Environment *scope; // where it is declared
};

struct EntryReference {
  const Entry *entry;
  const Environment *scope;
};

/// softmax's argument S | M.
struct Given {
  std::shared_ptr<Value> scores, mask;
};

/// diag(v), until it meets its matrix.
struct Diagonal {
  std::shared_ptr<Tensor> vector;
};

/// An absent weight: zero, and only as a term of a sum.
struct Absent {
  std::string name;
  std::string condition = ""; // of a part: as it is declared
};

struct Value {
  std::variant<StaticValue, Tensor, IndexedScalar, IndexClosure,
               FunctionClosure, Builtin, BlockReference, PartReference,
               PartFamily, WeightReference, EntryReference, Given, Diagonal,
               Absent>
      content;

  Value() = default;
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Value>)
  Value(T &&value) : content(std::forward<T>(value)) {}
  template <typename T> const T *as() const { return std::get_if<T>(&content); }
  const StaticValue *statics() const { return as<StaticValue>(); }
  const Tensor *tensor() const { return as<Tensor>(); }
};

/// A value that is made when it is first asked for.
struct LazyValue {
  Value value;
  bool known = false;
  bool running = false;
  std::function<Value()> make;
  std::string name;
  Place place;
};

/// Names of one level. Scopes never change once something captured them: a
/// statement that replaces a name opens a new level.
struct Environment {
  const Environment *parent = nullptr;
  mutable std::map<std::string, LazyValue> names;
  InstancePtr instance;       // on the first level of a block's body
  const File *file = nullptr; // on the level of a file
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_VALUES_H
