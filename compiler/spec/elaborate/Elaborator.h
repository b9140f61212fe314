// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over the equations. It looks up names, evaluates statics, computes
// shapes, inlines functions and blocks, and appends each operation to the
// steps of the entry (Equations.h). One class, in files by subject:
//
//   Names.cpp     environments, definitions, families X[i] = e
//   Expr.cpp      scalars: static values and what depends on an index
//   Tensor.cpp    products, sums, broadcasting
//   Tables.cpp    index functions combined with tensors
//   Stack.cpp     [a, b; c]
//   Index.cpp     members, rows, slices, lookups
//   Members.cpp   members of families
//   states/       values of earlier positions, recurrences, columns
//   Calls.cpp     functions, blocks, entries
//   Builtins.cpp  the primitives; those of tensors are in Primitives.cpp,
//                 Softmax.cpp and Windows.cpp
//   Statics.cpp   functions of static values
//   Body.cpp      statements
//   Loops.cpp     loops; Rounds.cpp compares their rounds
//   Parts.cpp     parts and their tables
//   Weights.cpp   weights bound to tensors
//   Errors.cpp    shapes in messages
//   ../Finish.cpp  `expect` and `ignore`, unused keys and tensors

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/MatrixUse.h"
#include "compiler/spec/names/NameIndex.h"
#include "compiler/spec/names/TopLevel.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/values/Configuration.h"
#include "compiler/spec/values/Symbols.h"
#include "compiler/spec/values/Values.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

/// Increments a nesting level during its lifetime.
class Within {
public:
  /// `level` must outlive this.
  explicit Within(int &level) : level(level) { ++level; }
  Within(const Within &) = delete;
  Within &operator=(const Within &) = delete;
  ~Within() { --level; }

private:
  int &level;
};

/// Elaborates the entries of one spec, with or without a checkpoint.
class Elaborator {
public:
  /// `spec` must outlive this.
  Elaborator(const LoadedSpec &spec, const checkpoint::Checkpoint *checkpoint);

  /// The equations of `entry`. `info` states which arguments are integers; what
  /// is learned about arguments and lengths is written to it. Throws SpecError.
  Equations walk(const Entry &entry, EntryInfo &info);
  /// From now on, tensors that are missing or have another shape, and
  /// expectations that the configuration does not fulfill, are noted in `found`
  /// instead of being errors.
  void tolerate(Fit &found) { fit = &found; }
  /// From now on, errors in statements are added to `found`, and the statements
  /// that do not depend on their values are still elaborated.
  void continueAfterErrors(Errors &found) { errors = &found; }

  /// From now on, the shapes of names that bodies define are added to `found`.
  void noteShapes(Shapes &found) { shapes = &found; }

  /// The arguments and results of an entry, with their external names.
  EntryInfo signature(const Entry &entry);
  /// The value of a static condition; nullopt if it is not known.
  std::optional<bool> condition(const Expr &expr, const Environment *scope);
  /// A value that is known at compile time, or would be with a checkpoint.
  StaticValue staticValue(const Expr &expr, const Environment *scope);
  /// The scope of the spec's own file.
  const Environment *mainScope() const { return root; }
  /// The names that a table at `place` may use: the constants of the model and,
  /// in a library, the definitions and imports of that library.
  const Environment *tableScope(const Place &place);
  /// The queries to the container, with the record of what was read.
  Configuration &container() { return configuration; }
  /// Checks the `expect` lines of the active `config` tables, and marks the
  /// keys that the tables mention as read.
  void checkConfiguration();
  /// The options that the active `config` tables set for all tasks that
  /// generate tokens, by name.
  std::map<std::string, const Definition *> generationOptions() const;

  // For `finish`: the patterns that the tables ignore, and the tensors that
  // were bound.
  std::vector<std::string> ignoredKeys();
  std::vector<std::string> ignoredTensors();
  /// Throws SpecError for the first `expect` line of a `names` table that does
  /// not hold.
  void checkTableExpectations();
  /// The names of the tensors to which a weight was bound.
  const std::set<std::string> &tensorsUsed() const { return used; }
  /// For each tensor that several weights share: the number of its pieces, and
  /// which of them were taken.
  struct Pieces {
    int64_t total = 0;
    std::set<std::vector<int64_t>> taken;
    Place place; // of a binding that takes one
  };
  const std::map<std::string, Pieces> &pieces() const { return shared; }
  /// For each prefix: the block of the instance, its path, and the names of its
  /// weights.
  struct Placed {
    std::string block;
    std::string path;
    std::vector<std::string> weights;
  };
  const std::map<std::string, Placed> &placed() const { return instances; }

private:
  const LoadedSpec &spec;
  const checkpoint::Checkpoint *checkpoint;
  Configuration configuration;
  Symbols symbols;
  std::vector<Step> *target = nullptr;    // new steps are appended to it
  ValueId nextValue = 0;                  // the number of the next value
  std::shared_ptr<const CallSite> caller; // the call that is being inlined
  EntryInfo *info = nullptr;              // of the entry that is elaborated
  Fit *fit = nullptr;                     // null: mismatches are errors
  Errors *errors = nullptr; // null: the first error ends everything
  Shapes *shapes = nullptr; // null: not wanted
  int depth = 0;            // of nested expressions and calls
  int conditions = 0;       // on indices, around the expression
  int branches = 0;         // enclosing ones with an unknown condition
  int64_t steps = 0;        // expressions evaluated so far
  bool mayBeEmpty = false;  // the next one is one of several in a stack

  /// Appends a step, and returns the value that it makes.
  ValueId emit(step::Operation operation, Place at);

  //===- Names.cpp --------------------------------------------------------===//
  std::deque<Environment> scopes;
  std::map<const File *, const Environment *> modules;
  const Environment *root = nullptr;
  InstancePtr modelInstance;
  TopLevel top;
  std::string box;                     // the container whose tables apply
  std::vector<const File *> files;     // libraries first, the spec last
  std::vector<const Config *> configs; // active, libraries first
  std::vector<const Table *> tables;   // active, libraries first

  /// A new level, which lives as long as the elaborator: closures refer to it.
  Environment *newEnvironment(const Environment *parent);
  /// The names that a file imports and defines, without constants.
  const Environment *moduleScope(const File &file);
  /// The scope of the spec: its file, lengths, constants, parts, weights and
  /// entries.
  const Environment *mainModule();
  std::map<const File *, const Environment *> tableScopes; // of libraries
  /// The value of a static definition; without a checkpoint perhaps only its
  /// name.
  Value constant(const Definition &definition, const Environment *scope);
  /// Appends `file` to `files`, after the libraries that it uses.
  void collectFiles(const File &file, std::set<const File *> &seen);
  /// Binds a name to a value that is known.
  static void bind(Environment &scope, const std::string &name, Value value);
  /// Binds a name to a value that `make` computes on first use.
  void bindLazily(Environment &scope, const std::string &name, Place place,
                  std::function<Value()> make);
  /// The value of the name; weights stay references and are not bound.
  std::optional<Value> find(const std::string &name, const Environment *scope);
  /// The value of a name in an expression; a weight is bound to its tensor.
  Value lookUp(const Expr &name, const Environment *scope);
  /// A scope with the definitions of the `where` clause, if there is one.
  const Environment *withWhere(const Definition &definition,
                               const Environment *scope);
  /// The value of a definition: a function, a family, or an expression.
  Value define(const Definition &definition, const Environment *scope);
  /// The value of a definition by index: a tensor, or a function of the
  /// indices.
  Value family(const Definition &definition, const Environment *scope);
  /// A range that an index must have because it indexes `what`.
  struct Extent {
    Dim size;
    std::string name, what;
    bool leavesRows;        // whether axes remain after indexing
    bool isShifted = false; // by an index such as t - 1
  };
  /// Whether an index has the range of any axis that it indexes, also where all
  /// indices are given. Otherwise only the first axis of numbers counts: index
  /// functions have no ranges.
  bool rangesOfElements = false;
  /// Collects the ranges that `index` must have because of its uses in `expr`.
  void findExtents(const Expr &expr, const std::string &index,
                   const Environment *scope, std::vector<Extent> &found);
  /// The same for one axis of the value of `name`.
  void findExtent(const std::string &name, size_t axis, size_t given,
                  const Environment *scope, std::vector<Extent> &found);
  void findShiftedExtent(const std::string &name, size_t axis, size_t given,
                         const Environment *scope, std::vector<Extent> &found);
  /// Throws SpecError unless all ranges of `index` agree.
  void needOneRange(const std::string &index, const Place &place,
                    const std::vector<Extent> &found) const;
  /// All ranges of an index, which agree.
  std::vector<Extent> extentsOf(const Definition &definition,
                                const IndexVariable &variable,
                                const Environment *scope);
  /// All members of a family as one tensor, if they can be.
  std::optional<Value> members(const Definition &definition,
                               const std::vector<Extent> &extents,
                               const Environment *scope);
  /// The instance of a block that `scope` belongs to.
  InstancePtr instancePointer(const Environment *scope) const;
  /// Whether the name is a length, or a size of a library.
  bool isFreeSize(const std::string &name, const Environment *scope) const;

  //===- Expr.cpp ---------------------------------------------------------===//
  /// An index that is in scope, of a family (with its range) or not.
  struct IndexInfo {
    std::string name;
    std::optional<Dim> range;
    std::string rangeName;
  };
  std::vector<IndexInfo> indices{1}; // numbers start at 1
  /// Adds an index, and returns its number.
  int newIndex(std::string name, std::optional<Dim> range = {},
               std::string rangeName = "");

  /// The value of an expression. Limits the depth and the number of steps, and
  /// adds the place to errors.
  Value evaluate(const Expr &expr, const Environment *scope);
  /// The value of an expression, by its kind.
  Value evaluateKind(const Expr &expr, const Environment *scope);
  /// The value of an operator that may have tensors as operands.
  Value evaluateArithmetic(const Expr &expr, const Environment *scope);
  /// `element in list`.
  Value isIn(const Expr &expr, const Environment *scope);
  /// `a ?? b`.
  Value firstThatIs(const Expr &expr, const Environment *scope);
  /// `Σ_j e`: the sum of e for each value of j.
  Value sumOver(const Expr &expr, const Environment *scope);
  int64_t termsOf(const Expr &sum, const Environment *scope);
  /// `x'`; makes no step.
  Value transpose(const Expr &expr, const Environment *scope);
  /// `x^k`, elementwise for a tensor, with a static exponent.
  Value power(const Expr &expr, const Environment *scope);
  /// The content of a String, with the values that it inserts.
  std::string text(const Expr &string, const Environment *scope);
  /// `a if c else b`, by the kind of the condition: static, of indices, of
  /// lengths or unknown.
  Value conditional(const Expr &expr, const Environment *scope);
  /// A conditional with an unknown condition.
  Value eitherOf(const Expr &expr, const Environment *scope);
  /// Evaluates an expression whose value is chosen, or read, only where a
  /// condition on indices holds.
  Value underCondition(const Expr &expr, const Environment *scope);
  /// Whether `scalar` reads an array only where a condition holds, which a
  /// separate table would not take into account.
  bool staysUnderCondition(const Tensor &other,
                           const IndexedScalar &scalar) const;
  /// As staticValue, but the value may also be an expression of lengths.
  StaticValue knownOrLength(const Expr &expr, const Environment *scope);
  /// A conditional whose condition depends on a length.
  Value chosenByLength(const IndexExprPtr &condition, const Expr &expr,
                       const Environment *scope);
  /// `and`, `or`.
  Value logic(const Expr &expr, const Environment *scope);
  /// +, -, * or / of two operands.
  Value arithmetic(ScalarOp op, const Expr &expr, const Environment *scope);
  /// `op` of two values of any kind: broadcasts, tabulates, or computes
  /// statics.
  Value combine(ScalarOp op, const Value &a, const Value &b, const Expr &expr);
  /// `op` of two values if one is absent, which counts as 0; nullopt if both
  /// are present. Throws SpecError if `op` is neither a sum nor a difference.
  std::optional<Value> combineAbsent(ScalarOp op, const Value &a,
                                     const Value &b, const Expr &expr);
  /// `op` of a tensor and a number, which is known or made of lengths;
  /// `isLeft`: the tensor is the left operand.
  Tensor combineNumber(ScalarOp op, const Tensor &tensor,
                       const StaticValue &number, bool isLeft,
                       const Expr &expr);
  /// Whether all indices that `expr` depends on have a range.
  bool isBounded(const IndexExpr &expr) const;
  /// `op` of scalars: static, or dependent on an index.
  Value scalarOperation(ScalarOp op, const std::vector<Value> &operands,
                        const Expr &expr);
  /// A scalar as an expression of indices; nullopt for other values.
  std::optional<IndexExprPtr> asIndexed(const Value &value);
  /// `op` of static values; errors get the place of `expr`.
  StaticValue applyStatic(ScalarOp op, const std::vector<StaticValue> &operands,
                          const Expr &expr);
  /// Whether a value is known only at run time, because it is made of lengths.
  /// It may be a number in the equations, but must not determine their
  /// structure.
  bool dependsOnLengths(const StaticValue &value) const;
  /// Throws SpecError if the value depends on a length.
  void needKnown(const StaticValue &value, const Expr &expr) const;
  /// The size that an expression denotes.
  Dim size(const Expr &expr, const Environment *scope);
  /// The integer that an expression denotes; nullopt if it is unknown.
  std::optional<int64_t> integer(const Expr &expr, const Environment *scope);

  //===- Tensor.cpp -------------------------------------------------------===//
  /// Labels of all axes: hidden ones by their family, the others from
  /// `visible`.
  static Labels labelsOf(const Tensor &x,
                         const std::vector<std::string> &visible);
  /// Moves hidden axes to the front; the visible ones follow in order.
  Tensor settled(const Tensor &x, Place at);
  /// The result of an operation on `operands`: their hidden axes, followed by
  /// `visible`.
  static Tensor result(const std::vector<const Tensor *> &operands,
                       std::vector<Axis> visible, Labels visibleLabels,
                       Labels &labels);
  /// `x` without one of its visible axes.
  static Tensor without(const Tensor &x, unsigned position);
  /// The sizes of all axes, in storage order.
  static std::vector<Dim> shapeOf(const Tensor &x);
  /// An elementwise operation; a row or scalar is broadcast.
  Tensor elementwise(Binary kind, const Tensor &a, const Tensor &b,
                     const Expr &expr);
  /// `a @ b`.
  Value product(const Expr &expr, const Environment *scope);
  /// `a @ b` where one is a column: v', or a state of unknown shape; nullopt if
  /// neither is.
  std::optional<Value> productOfColumns(const Value &a, const Value &b,
                                        const Expr &expr);
  /// v' @ w: the product of each entry of one row with each of another.
  Tensor outerProduct(const Tensor &column, const Tensor &row,
                      const Expr &expr);
  /// `op` where an operand is a column; nullopt if none is.
  std::optional<Value> combineColumns(ScalarOp op, const Value &a,
                                      const Value &b, const Expr &expr);
  /// The matrix product of two tensors, for all members of families.
  Tensor contract(const Tensor &a, const Tensor &b, const Expr &expr);
  /// x * factor, or x / factor if `inverse`.
  Tensor scaled(const Tensor &x, const StaticValue &factor, bool inverse,
                const Expr &written);
  /// `value` as a tensor without axes, if it is made of lengths.
  std::optional<Tensor> numberOfLengths(const StaticValue &value,
                                        const Expr &written);
  /// x + term.
  Tensor shifted(const Tensor &x, const StaticValue &term, const Expr &expr);
  /// A static number as a tensor without axes.
  ValueId scalar(const StaticValue &value, const Expr &written);
  /// The branch of a conditional that is taken, if that is known.
  const Expr &takenBranch(const Expr &expr, const Environment *scope);
  /// The text of a factor, or of its inverse: "1 / √d_k".
  std::string writtenFactor(const Expr &expr, bool inverse);
  /// -x, elementwise.
  Tensor negated(const Tensor &x, Place at);
  /// Tabulates `function` over the last axes of `like`; a static value if it
  /// does not depend on its indices.
  Value tabulated(const IndexClosure &function, const Tensor &like,
                  const Expr &expr);
  /// Tabulates a scalar over the families that it depends on.
  Tensor tabulated(const IndexedScalar &scalar, Place at);
  /// Tabulates `body` over all `positions`, whose extents are in `axes`, and
  /// over the members of the families that it depends on in addition.
  Tensor tabulated(const std::string &name, const IndexExprPtr &body,
                   const std::vector<int> &positions, std::vector<Axis> axes,
                   Place at);
  /// `body` as a function of `families`, which it determines, and `positions`.
  IndexFunction functionOf(const std::string &name, const IndexExprPtr &body,
                           const std::vector<int> &positions,
                           std::vector<int> &families, Place at);
  /// `[a, b; c]`: a list, or concatenated rows and matrices.
  Value stack(const Expr &expr, const Environment *scope);
  /// `x`, repeated for the families that only `other` has.
  Tensor forMembers(const Tensor &x, const Tensor &other, Place at);
  /// `x` with `axis`, whose size is a length, in front.
  ValueId repeatedOver(const Axis &axis, const Tensor &x, Place at);
  /// a and b concatenated along visible axis `axis`.
  Tensor appended(const Tensor &a, const Tensor &b, unsigned axis,
                  const Expr &expr);

  //===- Index.cpp --------------------------------------------------------===//
  /// `x[…]`, for all kinds of x.
  Value index(const Expr &expr, const Environment *scope);
  /// Members, slices, positions, rows by integers, or an element of an array.
  Value indexTensor(const Tensor &x, const Expr &expr,
                    const Environment *scope);
  /// `x[i, j]` in an index function: the element at `given`. Throws SpecError
  /// unless `given` has an integer for each axis.
  Value elementOf(const Tensor &x, const std::vector<Value> &given,
                  const Expr &expr);
  Value indexStatic(const StaticValue &x, const Expr &expr,
                    const Environment *scope);
  /// The g of `i div g` or `i mod g`.
  int64_t groupOf(const IndexExpr &index, const Expr &written, const Expr &expr,
                  const Environment *scope);
  /// The first `group` members again and again, `count` in total.
  Tensor inTurns(const Tensor &x, unsigned axis, int64_t group, int64_t count,
                 const Expr &expr);
  /// Splits an axis; the outer part becomes the first axis.
  ValueId splitInFront(ValueId value, const std::vector<Axis> &axes,
                       unsigned axis, int64_t count, const Dim &rest, Place at);
  /// Throws SpecError if `x` has an axis of the family already.
  void needOnce(const Tensor &x, int family, const Expr &expr) const;
  /// The only family index that `first` depends on.
  int onlyFamilyOf(const IndexExpr &first, const Expr &range) const;
  /// A slice of `part` positions for each member of a family.
  ValueId takenApart(const Tensor &x, unsigned axis, const IndexExpr &first,
                     int number, int64_t part, const Expr &range,
                     const Expr &expr);
  /// `q[:, i * k +: k]`: a slice that depends on a family index.
  Tensor sliceOfMember(const Tensor &x, unsigned position,
                       const IndexExpr &first, const Expr &range,
                       const Expr &expr, const Environment *scope);
  /// An element of a list of numbers, by an index that is not static.
  Value listed(const std::vector<StaticValue> &list, const IndexExprPtr &index,
               const Expr &expr);
  /// `W[i]`, `K[i div g]`, `K[i mod g]`: hides the axis of the family.
  Tensor memberOf(const Tensor &x, const IndexExpr &index, const Expr &written,
                  const Expr &expr, const Environment *scope);
  /// One position of an axis, by a static index.
  Tensor picked(const Tensor &x, unsigned position, const StaticValue &index,
                const Expr &which, const Expr &expr);
  /// One position of an axis, by an index that depends on a length.
  Tensor pickedByLength(const Tensor &x, unsigned position,
                        const StaticValue &index, const Expr &which,
                        const Expr &expr);
  /// One position of an axis; negative numbers count from its end.
  Tensor selected(const Tensor &x, unsigned position, int64_t number, Place at);
  /// Notes in the entry that the length on which `size` depends must be long
  /// enough for `size` to be at least `least`, or short enough for it to be at
  /// most `most`.
  void needAtLeast(const Dim &size, int64_t least) const;
  void needAtMost(const Dim &size, int64_t most) const;
  /// Throws SpecError if the slice may end after the axis.
  void needWithin(const Tensor &x, unsigned position, int64_t offset,
                  const Dim &length, Place at) const;
  /// Consecutive positions of visible axis `position`: `a:b` or `a +: b`.
  Tensor slice(const Tensor &x, unsigned position, const Expr &range,
               const Expr &expr, const Environment *scope);
  /// `length` positions of an axis from `offset`.
  Tensor sliced(const Tensor &x, unsigned position, int64_t offset,
                const Dim &length, const std::string &lengthName, Place at);
  /// `E[tokens]`: rows by integers.
  Tensor gather(const Tensor &table, const Tensor &which, const Expr &expr);
  /// A position of a family, counted back from its index: t - by.
  struct EarlierIndex {
    int index;
    int64_t by;
  };
  /// The index as `t - by`, where t has a range; nullopt if it has another
  /// form.
  std::optional<EarlierIndex> earlierIndex(const IndexExpr &index) const;
  /// `x[t - 1]`: the member of an earlier position; zero before the first one.
  Tensor earlierMember(const Tensor &x, const EarlierIndex &index,
                       const Expr &written, const Expr &expr,
                       const Environment *scope);
  friend class RecurrenceWalk; // S[t] = … S[t - 1] …
  /// Whether a definition by index reads itself, and not an earlier value of
  /// its name.
  static bool isRecurrence(const Definition &definition,
                           const Environment *scope);
  /// The states of all positions.
  Value recurrence(const Definition &definition, const Environment *scope);
  /// Whether a value that was made last is one of earlier positions.
  bool isDelayed(const Value &value) const;
  /// `S[t - 1]` in the definition of S, and the same without `??`, which begins
  /// with zero.
  Value memberBefore(const EarlierState &state, const Expr &expr,
                     const Environment *scope);
  Value memberBeforeFromZero(const EarlierState &state, const Expr &expr,
                             const Environment *scope);
  /// `S[t - 1] ?? initial`; nullopt if the left operand is not a state.
  std::optional<Value> stateBefore(const Expr &expr, const Environment *scope);
  /// Throws SpecError unless `expr` is 0: x[t - 1] ?? 0.
  void needZeroBefore(const Expr &expr, const Environment *scope);
  /// Whether the index is that of a family, or its quotient or remainder.
  bool isFamilyIndex(const IndexExpr &index) const;

  //===- Calls.cpp --------------------------------------------------------===//
  /// A call of a function, part, entry or primitive.
  Value call(const Expr &expr, const Environment *scope);
  /// Inlines a function, and adds the place of the call to its errors.
  Value callFunction(const FunctionClosure &function,
                     const Arguments &arguments, const Expr &expr);
  /// Inlines a function.
  Value applyFunction(const FunctionClosure &function,
                      const Arguments &arguments, const Expr &expr);
  /// Inlines the block of a part.
  std::vector<Value> callInstance(const InstancePtr &instance,
                                  const Arguments &arguments, const Expr &expr);
  /// Inlines an entry; omitted arguments have their default everywhere.
  std::vector<Value> callEntry(const Entry &entry, const Environment *scope,
                               const Arguments &arguments, const Expr &expr);
  /// Binds `x[n, d]`: lengths that occur for the first time take their value
  /// from the argument.
  void bindParameter(const Parameter &parameter, const Value &argument,
                     Environment &scope, const std::set<std::string> &fixed,
                     const std::string &callee, const Expr &expr,
                     std::map<std::string, std::string> &outerNames);
  bool isFreeLength(const Expr &dim, const Environment *scope) const;
  /// Checks a result against its stated shape, and names its axes. Lengths that
  /// no argument has are those of the result; they are bound in `scope`.
  Value checkResult(const std::vector<ExprPtr> &dims, const Value &value,
                    Environment *scope, const std::string &what, Place place,
                    const std::map<std::string, std::string> &outerNames);

  //===- Builtins.cpp, Primitives.cpp, Softmax.cpp ------------------------===//
  struct CallArguments {
    Arguments values;
    std::vector<ExprPtr> exprs;
    std::map<std::string, Value> named;
  };
  /// Throws SpecError unless the number of arguments is in range.
  static void needArguments(size_t least, size_t most, const std::string &what,
                            size_t given, const Expr &expr);
  /// The same for a function or block with defaults.
  static void checkCount(const std::vector<Parameter> &parameters, size_t given,
                         const std::string &what, const Expr &expr);
  /// A call of a primitive.
  Value callBuiltin(const std::string &name, CallArguments &arguments,
                    const Expr &expr);
  /// A function of static values; nullopt if `name` is another function.
  std::optional<Value> containerFunction(const std::string &name,
                                         CallArguments &arguments,
                                         const Expr &expr);
  /// A primitive and its first argument, which is a tensor; `mask` is that of
  /// softmax(x | mask), or null.
  struct PrimitiveCall {
    const std::string &name;
    const Tensor &x;
    const Value *mask;
    const CallArguments &arguments;
    const Expr &expr;
  };
  /// A primitive on a tensor, by its name.
  Value tensorFunction(const std::string &name, CallArguments &arguments,
                       const Expr &expr);
  /// The static argument at `position`, or with the name `key`.
  StaticValue numberArgument(const PrimitiveCall &call, size_t position,
                             const char *key);
  /// Throws SpecError unless `tensor` has that rank.
  void wantRank(const PrimitiveCall &call, const Tensor &tensor, unsigned rank,
                const char *what) const;
  [[noreturn]] void failNoTensor(const std::string &name, const Value &first,
                                 const Expr &expr);
  /// One for each primitive. Those that make a tensor append one or several
  /// steps; the number of positional arguments was checked before.
  Value unaryOf(const PrimitiveCall &call);
  /// softmax(S), softmax(S | M), softmax(S | M, sink = s)
  Value softmaxOf(const PrimitiveCall &call);
  /// unit(x): each row divided by its length, without an ε.
  Value unitOf(const PrimitiveCall &call);
  /// standardize(x, ε) and unit_rms(x, ε), by the name of the call.
  Value normOf(const PrimitiveCall &call);
  /// sqrt(x) as the power 1/2, elementwise.
  Value rootOf(const PrimitiveCall &call);
  /// min(x, y), max(x, y) and clamp(x, low, high).
  Value clampOf(const PrimitiveCall &call);
  std::optional<Tensor> computedBound(const PrimitiveCall &call);
  /// sum(x), mean(x) and max(x) reduce the first visible axis: [n, d] becomes
  /// [d].
  Value sumOf(const PrimitiveCall &call);
  Value meanOf(const PrimitiveCall &call);
  Value maxOf(const PrimitiveCall &call);
  /// concat(F): [h, n, e] becomes [n, h * e].
  Value concatOf(const PrimitiveCall &call);
  /// diag(v), which becomes a value only in a product with a matrix on its
  /// right.
  Value diagonalOf(const PrimitiveCall &call);
  /// rotate(x, A) of a matrix [n, c], by angles A[t, c].
  Value rotateOf(const PrimitiveCall &call);
  /// top(x, k) of a matrix: true where an element is among the k largest of its
  /// row.
  Value topOf(const PrimitiveCall &call);
  /// log(x), elementwise.
  Value logOf(const PrimitiveCall &call);
  /// The value; an unknown one (without a checkpoint) is replaced by an
  /// arbitrary number.
  static ExactScalar exactOf(const StaticValue &value);
  /// conv(x, W, stride, pad): the product of windows of `x` with the kernel.
  Value convolutionOf(const PrimitiveCall &call);
  /// Throws SpecError if a size of the kernel is unknown.
  void needNumbers(const Tensor &kernel, const Expr &expr) const;
  /// The windows of `x`, one row for each.
  Tensor windowsOf(const Tensor &x, const Dim &length, const Dim &width,
                   step::Unfold unfold, Place at);
  /// The kernel as a matrix that is multiplied with windows.
  Tensor matrixOf(const Tensor &kernel, Place at);
  /// The convolution of each channel by itself (depthwise).
  Tensor eachChannel(const Tensor &windows, const Tensor &kernel, Place at);
  /// The kernel of a convolution, with the right rank.
  const Tensor &kernelOf(const PrimitiveCall &call) const;
  /// Whether the border is reflected instead of filled with zeros.
  bool isReflected(const PrimitiveCall &call, const StaticValue &pad) const;
  /// patches(x, p): the p × p squares of an image [c, H, W], one row for each.
  Value patchesOf(const PrimitiveCall &call);
  /// The number of rows of the result.
  Dim rowsOfConvolution(const Tensor &x, const Tensor &kernel,
                        const StaticValue &stride, const StaticValue &pad,
                        const Expr &expr);
  /// Normalizes each row of `x`, which must have one.
  Tensor rowWise(RowWise kind, const Tensor &x, const StaticValue &epsilon,
                 const Expr &expr);
  /// softmax over the last axis; `mask` is null where all entries take part.
  Tensor softmax(const Tensor &x, const Value *mask,
                 const CallArguments &arguments, const Expr &expr);
  /// `mask` as a function of positions in `x`; nullopt if it admits everything.
  std::optional<IndexFunction> maskOver(const Tensor &x, const Value &mask,
                                        const Expr &expr);
  /// Checks `given` as the sink of a softmax of `x`, and returns its value.
  ValueId sinkOf(const Tensor &x, const Value &given, const Expr &expr);
  /// Reduces the first visible axis.
  Tensor reduced(Reduction kind, const Tensor &x, Place at);
  /// `min`, `max` or `clamp` with constant bounds, by `name`.
  Tensor clamped(const std::string &name, const Tensor &x,
                 const CallArguments &arguments, const Expr &expr);
  /// A function of a state whose shape is not known yet: min and max have that
  /// of the other argument.
  static Value ofUndetermined(const std::string &name, const Arguments &values);
  /// Checks the number and the names of a primitive's arguments.
  static void checkArguments(const std::string &name,
                             const CallArguments &arguments, const Expr &expr);
  /// Rejects vectors of tokens in arithmetic: tokens select rows; as numbers,
  /// they are read one by one with an index.
  Value realOf(Value value, const Expr &written);
  /// `concat`: the members of a family side by side.
  Tensor concatenated(const Tensor &x, const Expr &expr);
  /// `either`: the value that all keys that exist agree on.
  Value either(const Arguments &arguments, const Expr &expr);
  /// `same`: whether two tensors have the same elements.
  StaticValue sameTensors(const std::string &tensor, const StaticValue &other);
  /// A tensor or scalar rounded to a type.
  Value rounded(const Value &x, const std::string &dtype, const Expr &expr);

  //===- Body.cpp ---------------------------------------------------------===//
  /// The state after a statement: the scope, and the values if it returned.
  struct Flow {
    const Environment *scope;
    std::optional<std::vector<Value>> result;
  };
  /// Runs the statements of a body up to a `return`.
  Flow run(const Body &body, const Environment *scope);
  /// Runs one statement; each that defines a name opens a new level.
  Flow runStatement(const Statement &statement, const Environment *scope);
  /// The state after a statement that has an error.
  Flow afterError(const Statement &statement, const Environment *scope);
  /// Adds the shape of a name that a body defines to `shapes`.
  void noteShape(const Definition &definition, const Value &value) const;
  /// Adds the names that `body` defines to `names`.
  static void assignedNames(const Body &body, std::set<std::string> &names);
  /// Runs a loop, and returns the scope after it.
  const Environment *loop(const Statement &statement, const Environment *scope);
  class LoopWalk; // one loop; in Loops.cpp

  //===- Parts.cpp --------------------------------------------------------===//
  std::set<std::string> used;
  std::map<std::string, Pieces> shared;
  std::map<std::string, Placed> instances;
  std::map<const Block *, MatrixUse> matrixUses; // null: the model

  /// The current member of each family that is elaborated as one value.
  using Members = std::map<int, int64_t>;
  /// The name of a tensor, and the same with indices as {l}.
  struct TensorName {
    std::string name;
    std::string pattern;
    ExactScalar added = ExactScalar(int64_t(0));
  };

  /// Binds the names of parts.
  void declareParts(const std::vector<Part> &parts, Environment &scope);
  /// Binds the names of weights.
  void declareWeights(const std::vector<Weight> &weights, Environment &scope);
  /// A node of the tree of parts; `index` is that of a family, or null.
  InstancePtr makeInstance(const Part &part, const Environment *scope,
                           const Value *index, const Expr *at);
  /// Sets the index, or the family, and the count of a member of a family of
  /// parts. Throws SpecError if `index` cannot be its index.
  void setIndex(Instance &instance, const Environment *scope,
                const Value &index, const Expr &at);
  /// Sets the table entry of a part, and records it in `instances`. Throws
  /// SpecError if the tables lack the part.
  void bindInstance(Instance &instance);
  /// A member of a family of parts, or Absent.
  Value makeMember(const Part &part, const Environment *scope,
                   const Value &index, const Expr &at);
  /// The block of a part.
  BlockReference blockOf(const Part &part, const Environment *scope);
  /// The table entry for a part or weight of an instance; null if absent.
  const Binding *tableEntry(const Instance &instance,
                            const std::string &name) const;
  /// The scope of names in tables: indices first, then constants of the block,
  /// then those of the model.
  Environment *tableScope(const Environment *declaring,
                          const Instance &instance, const Members &members);
  /// The prefix of the names of an instance's tensors.
  TensorName prefixOf(const Instance &instance, const Members &members);
  /// Appends the names that `source` stands for, in order of preference.
  void tensorNames(const Expr &source, const TensorName &prefix,
                   const Environment *scope,
                   const std::set<std::string> &indexNames,
                   std::vector<TensorName> &names);
  /// The names of the indices in the tables of an instance.
  static std::set<std::string> indexNames(const Instance &instance);
  /// The table line that defines the form of the names.
  static Place namedAt(const Instance &instance, const Binding &binding);
  /// Whether `linear as [out, in]` applies to an instance.
  bool storesLinearsTransposed(const Instance &instance) const;
  /// How a block uses its weights; null: the model.
  const MatrixUse &matrixUseIn(const Block *block);
  /// Binds a weight, and reads it in a new step.
  Value weightValue(const WeightReference &reference, Place at);
  /// The name that a weight is bound to; null if the weight is absent.
  const TensorName *chosenTensor(const WeightReference &reference,
                                 const Binding &binding,
                                 const std::vector<TensorName> &names,
                                 bool &isMissing);
  /// Binds the new factors of split axes.
  void bindSplits(const Binding &binding, Environment *scope);
  /// The positions that `at` selects.
  std::vector<int64_t> selectedBy(const Binding &binding, Environment *scope);
  /// Records a weight of an instance in `instances`.
  void notePlace(const std::string &prefix, const Instance &instance,
                 const Weight &weight);
  /// The storage of one member; nullopt if no tensor has the name.
  std::optional<Storage> bindMember(const WeightReference &reference,
                                    const Binding &binding,
                                    const Members &members,
                                    std::optional<int64_t> ownIndex,
                                    std::string &pattern);
  struct TensorOfMember; // the tensor of one member; in Weights.cpp
  /// The type and shape of the tensor of a member; makes it up, or notes it as
  /// missing. Throws SpecError if its elements cannot be weights.
  checkpoint::StoredTensor storedTensor(const TensorOfMember &member);
  /// The storage of a member in its tensor `stored`, which is recorded as used.
  /// Throws SpecError if its shape does not fit, unless that is noted in `fit`.
  Storage storageOf(const TensorOfMember &member,
                    const checkpoint::StoredTensor &stored);
  /// Adds the families of an instance to a weight.
  Members addFamilies(const Instance &instance, BoundWeight &bound,
                      Tensor &tensor);
  /// Binds all members of a weight; false if one is absent.
  bool bindMembers(const WeightReference &reference, const Binding &binding,
                   Members &members, bool hasOwnIndex, BoundWeight &bound);
  /// Records a missing tensor in `fit`.
  std::vector<int64_t> noteMissing(const std::string &tensor,
                                   std::vector<int64_t> wanted);
  [[noreturn]] static void failUnclear(const Weight &weight,
                                       const Binding &binding);
  [[noreturn]] void failMissing(const WeightReference &reference,
                                const Binding &binding,
                                const std::vector<TensorName> &names);

  //===- Finish.cpp -------------------------------------------------------===//
  /// Notes for an expectation that does not hold.
  std::vector<std::string> whyNot(const Expr &expectation);
  /// Whether an expectation holds, perhaps by made-up tensors.
  std::optional<bool> isAsExpected(const Expr &expectation);

  //===- Errors.cpp -------------------------------------------------------===//
  /// An axis or a shape with the names that the spec gives the sizes: "[n, h *
  /// d_k]".
  std::string shown(const Axis &axis) const;
  std::string shown(const Tensor &x) const;
  /// The shape in numbers; empty if the names say the same.
  std::string numbers(const Tensor &x) const;
  /// One line for each tensor, aligned.
  std::vector<std::string> shapeLines(
      const std::vector<std::pair<std::string, const Tensor *>> &tensors) const;
  /// What a value is: "a matrix", "a function".
  static std::string kindOf(const Value &value);
  /// The first axis of size 0; null if there is none.
  static const Axis *emptyAxisOf(const Tensor &x);
  [[noreturn]] void failEmpty(const Axis &axis, const std::string &written,
                              Place at, Range underline = {}) const;
  /// The definition of a static name; null if there is none.
  const Definition *definitionOf(const std::string &name,
                                 const Environment *scope) const;
  /// A note if `expr` is a quotient that is not an integer.
  std::vector<std::string> divisionNote(const Expr &expr,
                                        const Environment *scope);
  [[noreturn]] void failProduct(const Tensor &a, const Tensor &b,
                                const Expr &expr);
  [[noreturn]] void failElementwise(Binary kind, const Tensor &a,
                                    const Tensor &b, const Expr &expr);
  [[noreturn]] void failAbsent(const Absent &absent, const Expr &expr);
  [[noreturn]] static void failAbsentPart(const Absent &absent,
                                          const Expr &expr);
  /// Notes for a value that is `none`: the key that the configuration lacks.
  /// Empty if the value is not `none` because of a key.
  std::vector<std::string> whyNone(const std::string &written,
                                   const StaticValue &value);
  std::vector<std::string> whyNone(const Expr &written, const Value &value);
  /// The same for each operand of `expr`, and for each value that a text
  /// inserts.
  std::vector<std::string> whyOperandsAreNone(const Expr &expr,
                                              const Environment *scope);
  /// An unread key that is similar to `key`; empty if there is none.
  std::string unreadKeyNear(const std::string &key);
  /// Marks all keys that the `config` tables mention as read.
  void mentionConfiguration();
};

} // namespace transfold::spec
