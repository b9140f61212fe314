// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over the equations. It looks up names, evaluates statics, computes
// shapes, inlines functions and blocks, and requests each operation from a
// Sink. One class, in files by subject:
//
//   Names.cpp     environments, definitions, families X[i] = e
//   Expr.cpp      scalars: static values and what depends on an index
//   Tensor.cpp    products, sums, broadcasting
//   Tables.cpp    index functions combined with tensors
//   Stack.cpp     [a, b; c]
//   Index.cpp     members, rows, slices, lookups
//   Members.cpp   members of families
//   Calls.cpp     functions, blocks, entries
//   Builtins.cpp  the primitives; those of tensors are in Primitives.cpp,
//                 Softmax.cpp and Windows.cpp
//   Statics.cpp   functions of static values
//   Body.cpp      statements and loops
//   Parts.cpp     parts and their tables
//   Weights.cpp   weights bound to tensors
//   Errors.cpp    shapes in messages
//   ../Finish.cpp  `expect` and `ignore`, unused keys and tensors

#ifndef TRANSFOLD_COMPILER_SPEC_ELABORATE_ELABORATOR_H
#define TRANSFOLD_COMPILER_SPEC_ELABORATE_ELABORATOR_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/spec/Fit.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/names/Load.h"
#include "compiler/spec/names/MatrixUse.h"
#include "compiler/spec/names/TopLevel.h"
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

  /// Elaborates `entry` into `sink` and returns the handles of its results.
  /// `info` states which arguments are integers; what is learned about
  /// arguments and lengths is written to it.
  std::vector<Handle> walk(const Entry &entry, EntryInfo &info, Sink &sink);
  /// From now on, tensors that are missing or have another shape, and
  /// expectations that the configuration does not fulfill, are noted in `found`
  /// instead of being errors.
  void tolerate(Fit &found) { fit = &found; }

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
  void checkTableExpectations();
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
  Sink *sink = nullptr;
  EntryInfo *info = nullptr; // of the entry that is elaborated
  Fit *fit = nullptr;        // null: mismatches are errors
  int depth = 0;             // of nested expressions and calls
  int conditions = 0;        // on indices, around the expression
  int branches = 0;          // enclosing ones with an unknown condition
  int64_t steps = 0;         // expressions evaluated so far
  bool mayBeEmpty = false;   // the next one is one of several in a stack

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
    bool leavesRows; // whether axes remain after indexing
  };
  /// Collects the ranges that `index` must have because of its uses in `expr`.
  void findExtents(const Expr &expr, const std::string &index,
                   const Environment *scope, std::vector<Extent> &found);
  void findExtent(const std::string &name, size_t axis, size_t given,
                  const Environment *scope, std::vector<Extent> &found);
  /// All ranges of an index, which must agree.
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
  Value evaluateArithmetic(const Expr &expr, const Environment *scope);
  /// `element in list`.
  Value isIn(const Expr &expr, const Environment *scope);
  /// `a ?? b`.
  Value firstThatIs(const Expr &expr, const Environment *scope);
  Value transpose(const Expr &expr, const Environment *scope);
  Value power(const Expr &expr, const Environment *scope);
  std::string text(const Expr &string, const Environment *scope);
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
  Handle scalar(const StaticValue &value, const Expr &written);
  /// The branch of a conditional that is taken, if that is known.
  const Expr &takenBranch(const Expr &expr, const Environment *scope);
  /// The text of a factor, or of its inverse: "1 / √d_k".
  std::string writtenFactor(const Expr &expr, bool inverse);
  Tensor negated(const Tensor &x, Place at);
  Value tabulated(const IndexClosure &function, const Tensor &like,
                  const Expr &expr);
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
  /// a and b concatenated along visible axis `axis`.
  Tensor appended(const Tensor &a, const Tensor &b, unsigned axis,
                  const Expr &expr);

  //===- Index.cpp --------------------------------------------------------===//
  /// `x[…]`, for all kinds of x.
  Value index(const Expr &expr, const Environment *scope);
  Value indexTensor(const Tensor &x, const Expr &expr,
                    const Environment *scope);
  Value indexStatic(const StaticValue &x, const Expr &expr,
                    const Environment *scope);
  /// The g of `i div g` or `i mod g`.
  int64_t groupOf(const IndexExpr &index, const Expr &written, const Expr &expr,
                  const Environment *scope);
  /// The first `group` members again and again, `count` in total.
  Tensor inTurns(const Tensor &x, unsigned axis, int64_t group, int64_t count,
                 const Expr &expr);
  /// Splits an axis; the outer part becomes the first axis.
  Handle splitInFront(Handle value, const std::vector<Axis> &axes,
                      unsigned axis, int64_t count, const Dim &rest, Place at);
  /// Throws SpecError if `x` has an axis of the family already.
  void needOnce(const Tensor &x, int family, const Expr &expr) const;
  /// The only family index that `first` depends on.
  int onlyFamilyOf(const IndexExpr &first, const Expr &range) const;
  /// A slice of `part` positions for each member of a family.
  Handle takenApart(const Tensor &x, unsigned axis, const IndexExpr &first,
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
  Tensor slice(const Tensor &x, unsigned position, const Expr &range,
               const Expr &expr, const Environment *scope);
  /// `length` positions of an axis from `offset`.
  Tensor sliced(const Tensor &x, unsigned position, int64_t offset,
                const Dim &length, const std::string &lengthName, Place at);
  /// `E[tokens]`: rows by integers.
  Tensor gather(const Tensor &table, const Tensor &which, const Expr &expr);
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
  /// Checks a result against its stated shape, and names its axes.
  Value checkResult(const std::vector<ExprPtr> &dims, const Value &value,
                    const Environment *scope, const std::string &what,
                    Place place,
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
  Value unaryOf(const PrimitiveCall &call);
  Value softmaxOf(const PrimitiveCall &call);
  Value unitOf(const PrimitiveCall &call);
  Value normOf(const PrimitiveCall &call);
  Value rootOf(const PrimitiveCall &call);
  Value clampOf(const PrimitiveCall &call);
  std::optional<Tensor> computedBound(const PrimitiveCall &call);
  Value sumOf(const PrimitiveCall &call);
  Value meanOf(const PrimitiveCall &call);
  Value maxOf(const PrimitiveCall &call);
  Value concatOf(const PrimitiveCall &call);
  Value diagonalOf(const PrimitiveCall &call);
  Value rotateOf(const PrimitiveCall &call);
  Value topOf(const PrimitiveCall &call);
  Value logOf(const PrimitiveCall &call);
  /// The value; an unknown one (without a checkpoint) is replaced by an
  /// arbitrary number.
  static ExactScalar exactOf(const StaticValue &value);
  Value convolutionOf(const PrimitiveCall &call);
  /// Throws SpecError if a size of the kernel is unknown.
  void needNumbers(const Tensor &kernel, const Expr &expr) const;
  /// The windows of `x`, one row for each.
  Tensor windowsOf(const Tensor &x, const Dim &length, const Dim &width,
                   const std::vector<ExactScalar> &statics, Place at);
  /// The kernel as a matrix that is multiplied with windows.
  Tensor matrixOf(const Tensor &kernel, Place at);
  /// The kernel of a convolution, with the right rank.
  const Tensor &kernelOf(const PrimitiveCall &call) const;
  /// Whether the border is reflected instead of filled with zeros.
  bool isReflected(const PrimitiveCall &call, const StaticValue &pad) const;
  Value patchesOf(const PrimitiveCall &call);
  /// The number of rows of the result.
  Dim rowsOfConvolution(const Tensor &x, const Tensor &kernel,
                        const StaticValue &stride, const StaticValue &pad,
                        const Expr &expr);
  Tensor rowWise(RowWise kind, const Tensor &x, const StaticValue &epsilon,
                 const Expr &expr);
  Tensor softmax(const Tensor &x, const Value *mask,
                 const CallArguments &arguments, const Expr &expr);
  /// `mask` as a function of positions in `x`; nullopt if it admits everything.
  std::optional<IndexFunction> maskOver(const Tensor &x, const Value &mask,
                                        const Expr &expr);
  /// Checks `given` as the sink of a softmax of `x`, and returns its value.
  Handle sinkOf(const Tensor &x, const Value &given, const Expr &expr);
  Tensor reduced(Reduction kind, const Tensor &x, Place at);
  Tensor clamped(const std::string &name, const Tensor &x,
                 const CallArguments &arguments, const Expr &expr);
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
  Flow runStatement(const Statement &statement, const Environment *scope);
  /// Runs a loop, and returns the scope after it.
  const Environment *loop(const Statement &statement, const Environment *scope);
  /// Collects the names that a body defines.
  static void assignedNames(const Body &body, std::set<std::string> &names);

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
  /// Binds a weight, and requests it from the Sink.
  Value weightValue(const WeightReference &reference, Place at);
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

#endif // TRANSFOLD_COMPILER_SPEC_ELABORATE_ELABORATOR_H
