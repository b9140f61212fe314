// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name can refer to during elaboration: static values, tensors, scalars
// that depend on an index, functions, and declarations (blocks, parts, weights,
// entries) before they are used.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/Equations.h"
#include "compiler/spec/values/IndexFunction.h"
#include "compiler/spec/values/StaticValue.h"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace transfold::spec {

class RecurrenceWalk;
struct Environment;
struct Value;

/// An axis of a tensor, with the name its size has in the spec: n_max, h * d_k.
struct Axis {
  Dim size;
  std::string name;
  /// Inside `X[i] = e` the axis of the family is hidden, because the equation
  /// describes one member. Then this is the number of the index i; otherwise 0.
  int family = 0;
};

/// A tensor: a value of the equations with its axes.
struct Tensor {
  ValueId value = -1;
  std::vector<Axis> axes; // in storage order
  /// The axes that are visible in the equation, as indices into `axes`, in the
  /// equation's order: a transpose only swaps them here, and is free as an
  /// operand of @.
  std::vector<unsigned> visible;
  bool integer = false; // tokens, indices
  int argument = -1;    // index of the entry's argument that this is
  bool isWeight = false;

  unsigned rank() const { return unsigned(visible.size()); }
  const Axis &axis(unsigned position) const { return axes[visible[position]]; }
  /// `value` is now the result of an operation: neither a weight nor an
  /// argument.
  void markComputed() {
    isWeight = false;
    argument = -1;
  }
};

/// A scalar of the equation that depends on the index of a family or of an
/// index function. Indices in `expr` are numbers of IndexInfo.
struct IndexedScalar {
  IndexExprPtr expr;
};

using Arguments = std::vector<Value>;

/// `name[i, j] = …` without a range: takes its extents from the value that it
/// is combined with.
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

/// A function of the language, by name.
struct Builtin {
  std::string name;
};

/// A block before it has statics.
struct BlockReference {
  const Block *block;
  const Environment *scope; // of the file that has it
};

/// A block with its statics, at a node of the tree of parts. Where its tensors
/// are stored follows from the tables of the parts on the path to it.
struct Instance {
  const Block *block = nullptr;       // null: the model itself
  const Part *part = nullptr;         // as it is declared; null for the model
  const Environment *scope = nullptr; // statics, above them the block's file
  std::shared_ptr<const Instance> parent;
  std::string path; // "layers.3.attn"
  const Binding *binding =
      nullptr; // its prefix in the tables, where they are known
  const Environment *declaring = nullptr; // where the part is declared
  /// layers[3]: the index; or, for a family that is elaborated as one value,
  /// the number of its index in the equations (`family`) and its size
  /// (`count`).
  std::optional<StaticValue> index;
  int family = 0;
  Dim count;
};
using InstancePtr = std::shared_ptr<const Instance>;

/// A part, ready to be called.
struct PartReference {
  InstancePtr instance;
};

/// The family layers[l < L] before it is indexed.
struct PartFamily {
  std::string name;
  Dim count;
  std::string countName;
  /// Returns Absent if the condition of the member does not hold.
  std::function<Value(const Value &index, const Expr &at)> make;
};

/// A declared weight. It is bound, and read in a step of its own, at each use:
/// it matters whether that is in a loop or outside.
struct WeightReference {
  const Weight *weight;
  InstancePtr instance;
  const Environment *scope; // where it is declared
};

/// An entry that is called from another one.
struct EntryReference {
  const Entry *entry;
  const Environment *scope;
};

/// The argument S | M of softmax.
struct Given {
  std::shared_ptr<Value> scores, mask;
};

/// diag(v), until it is multiplied with its matrix.
struct Diagonal {
  std::shared_ptr<Tensor> vector;
};

/// v', a row as a column, until it is multiplied.
struct Column {
  std::shared_ptr<Tensor> vector;
};

/// The state S in its own definition, S[t] = … S[t - 1] …; only its earlier
/// positions have a value.
struct EarlierState {
  RecurrenceWalk *walk;
};

/// A value that depends on a state whose shape is not known yet.
struct Undetermined {};

/// An absent weight: zero, and only allowed as a term of a sum; or an absent
/// part.
struct Absent {
  std::string name;
  std::string condition = ""; // of a part: as declared
};

/// A value whose definition has an error that was reported.
struct Faulty {};

/// Ends the evaluation of an expression that uses a faulty value. It is not an
/// error of its own.
class FaultyValueUsed : public std::exception {
public:
  const char *what() const noexcept override {
    return "a value that this uses has an error";
  }
};

/// The value of a name or of an expression.
struct Value {
  std::variant<StaticValue, Tensor, IndexedScalar, IndexClosure,
               FunctionClosure, Builtin, BlockReference, PartReference,
               PartFamily, WeightReference, EntryReference, Given, Diagonal,
               Column, EarlierState, Undetermined, Absent, Faulty>
      content;

  // Compiled once, as those of StaticValue are.
  Value();
  Value(const Value &);
  Value(Value &&) noexcept;
  Value &operator=(const Value &);
  Value &operator=(Value &&) noexcept;
  ~Value();
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Value>)
  Value(T &&value) : content(std::forward<T>(value)) {}
  template <typename T> const T *as() const { return std::get_if<T>(&content); }
  const StaticValue *statics() const { return as<StaticValue>(); }
  const Tensor *tensor() const { return as<Tensor>(); }
};

/// A value that is computed when it is first used.
struct LazyValue {
  Value value;
  bool known = false;
  bool running = false;
  std::function<Value()> make;
  std::string name;
  Place place;
};

/// The names of one level. A scope never changes once a closure has captured
/// it: a statement that replaces a name opens a new level.
struct Environment {
  const Environment *parent = nullptr;
  mutable std::map<std::string, LazyValue> names;
  InstancePtr instance;       // on the first level of a block's body
  const File *file = nullptr; // on the level of a file
};

} // namespace transfold::spec
