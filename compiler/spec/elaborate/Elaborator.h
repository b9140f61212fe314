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
  const Environment *moduleScope(const File &file);
  const Environment *mainModule();
  std::map<const File *, const Environment *> tableScopes; // of libraries
  Value constant(const Definition &definition, const Environment *scope);
  void collectFiles(const File &file, std::set<const File *> &seen);
  static void bind(Environment &scope, const std::string &name, Value value);
  void bindLazily(Environment &scope, const std::string &name, Place place,
                  std::function<Value()> make);
  /// The value of the name; weights stay references and are not bound.
  std::optional<Value> find(const std::string &name, const Environment *scope);
  Value lookUp(const Expr &name, const Environment *scope);
  const Environment *withWhere(const Definition &definition,
                               const Environment *scope);
  Value define(const Definition &definition, const Environment *scope);
  Value family(const Definition &definition, const Environment *scope);
  /// A range that an index must have because it indexes `what`.
  struct Extent {
    Dim size;
    std::string name, what;
    bool leavesRows; // whether axes remain after indexing
  };
  void findExtents(const Expr &expr, const std::string &index,
                   const Environment *scope, std::vector<Extent> &found);
  void findExtent(const std::string &name, size_t axis, size_t given,
                  const Environment *scope, std::vector<Extent> &found);
  std::vector<Extent> extentsOf(const Definition &definition,
                                const IndexVariable &variable,
                                const Environment *scope);
  std::optional<Value> members(const Definition &definition,
                               const std::vector<Extent> &extents,
                               const Environment *scope);
  InstancePtr instancePointer(const Environment *scope) const;
  bool isFreeSize(const std::string &name, const Environment *scope) const;

  //===- Expr.cpp ---------------------------------------------------------===//
  /// An index that is in scope, of a family (with its range) or not.
  struct IndexInfo {
    std::string name;
    std::optional<Dim> range;
    std::string rangeName;
  };
  std::vector<IndexInfo> indices{1}; // numbers start at 1
  int newIndex(std::string name, std::optional<Dim> range = {},
               std::string rangeName = "");

  Value evaluate(const Expr &expr, const Environment *scope);
  Value evaluateKind(const Expr &expr, const Environment *scope);
  Value evaluateArithmetic(const Expr &expr, const Environment *scope);
  Value isIn(const Expr &expr, const Environment *scope);
  Value firstThatIs(const Expr &expr, const Environment *scope);
  Value transpose(const Expr &expr, const Environment *scope);
  Value power(const Expr &expr, const Environment *scope);
  std::string text(const Expr &string, const Environment *scope);
  Value conditional(const Expr &expr, const Environment *scope);
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
  Value chosenByLength(const IndexExprPtr &condition, const Expr &expr,
                       const Environment *scope);
  Value logic(const Expr &expr, const Environment *scope);
  Value arithmetic(ScalarOp op, const Expr &expr, const Environment *scope);
  Value combine(ScalarOp op, const Value &a, const Value &b, const Expr &expr);
  Value scalarOperation(ScalarOp op, const std::vector<Value> &operands,
                        const Expr &expr);
  std::optional<IndexExprPtr> asIndexed(const Value &value);
  StaticValue applyStatic(ScalarOp op, const std::vector<StaticValue> &operands,
                          const Expr &expr);
  /// Whether a value is known only at run time, because it is made of lengths.
  /// It may be a number in the equations, but must not determine their
  /// structure.
  bool dependsOnLengths(const StaticValue &value) const;
  void needKnown(const StaticValue &value, const Expr &expr) const;
  Dim size(const Expr &expr, const Environment *scope);
  std::optional<int64_t> integer(const Expr &expr, const Environment *scope);

  //===- Tensor.cpp -------------------------------------------------------===//
  static Labels labelsOf(const Tensor &x,
                         const std::vector<std::string> &visible);
  /// Moves hidden axes to the front; the visible ones follow in order.
  Tensor settled(const Tensor &x, Place at);
  /// The result of an operation on `operands`: their hidden axes, followed by
  /// `visible`.
  static Tensor result(const std::vector<const Tensor *> &operands,
                       std::vector<Axis> visible, Labels visibleLabels,
                       Labels &labels);
  static Tensor without(const Tensor &x, unsigned position);
  static std::vector<Dim> shapeOf(const Tensor &x);
  Tensor elementwise(Binary kind, const Tensor &a, const Tensor &b,
                     const Expr &expr);
  Value product(const Expr &expr, const Environment *scope);
  Tensor contract(const Tensor &a, const Tensor &b, const Expr &expr);
  Tensor scaled(const Tensor &x, const StaticValue &factor, bool inverse,
                const Expr &written);
  /// `value` as a tensor without axes, if it is made of lengths.
  std::optional<Tensor> numberOfLengths(const StaticValue &value,
                                        const Expr &written);
  Tensor shifted(const Tensor &x, const StaticValue &term, const Expr &expr);
  /// A static number as a tensor without axes.
  Handle scalar(const StaticValue &value, const Expr &written);
  const Expr &takenBranch(const Expr &expr, const Environment *scope);
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
  IndexFunction functionOf(const std::string &name, const IndexExprPtr &body,
                           const std::vector<int> &positions,
                           std::vector<int> &families, Place at);
  Value stack(const Expr &expr, const Environment *scope);
  Tensor forMembers(const Tensor &x, const Tensor &other, Place at);
  Tensor appended(const Tensor &a, const Tensor &b, unsigned axis,
                  const Expr &expr);

  //===- Index.cpp --------------------------------------------------------===//
  Value index(const Expr &expr, const Environment *scope);
  Value indexTensor(const Tensor &x, const Expr &expr,
                    const Environment *scope);
  Value indexStatic(const StaticValue &x, const Expr &expr,
                    const Environment *scope);
  int64_t groupOf(const IndexExpr &index, const Expr &written, const Expr &expr,
                  const Environment *scope);
  Tensor inTurns(const Tensor &x, unsigned axis, int64_t group, int64_t count,
                 const Expr &expr);
  Handle splitInFront(Handle value, const std::vector<Axis> &axes,
                      unsigned axis, int64_t count, const Dim &rest, Place at);
  void needOnce(const Tensor &x, int family, const Expr &expr) const;
  int onlyFamilyOf(const IndexExpr &first, const Expr &range) const;
  Handle takenApart(const Tensor &x, unsigned axis, const IndexExpr &first,
                    int number, int64_t part, const Expr &range,
                    const Expr &expr);
  Tensor sliceOfMember(const Tensor &x, unsigned position,
                       const IndexExpr &first, const Expr &range,
                       const Expr &expr, const Environment *scope);
  Value listed(const std::vector<StaticValue> &list, const IndexExprPtr &index,
               const Expr &expr);
  Tensor memberOf(const Tensor &x, const IndexExpr &index, const Expr &written,
                  const Expr &expr, const Environment *scope);
  Tensor picked(const Tensor &x, unsigned position, const StaticValue &index,
                const Expr &which, const Expr &expr);
  Tensor pickedByLength(const Tensor &x, unsigned position,
                        const StaticValue &index, const Expr &which,
                        const Expr &expr);
  Tensor selected(const Tensor &x, unsigned position, int64_t number, Place at);
  Tensor slice(const Tensor &x, unsigned position, const Expr &range,
               const Expr &expr, const Environment *scope);
  Tensor sliced(const Tensor &x, unsigned position, int64_t offset,
                const Dim &length, const std::string &lengthName, Place at);
  Tensor gather(const Tensor &table, const Tensor &which, const Expr &expr);
  bool isFamilyIndex(const IndexExpr &index) const;

  //===- Calls.cpp --------------------------------------------------------===//
  Value call(const Expr &expr, const Environment *scope);
  Value callFunction(const FunctionClosure &function,
                     const Arguments &arguments, const Expr &expr);
  Value applyFunction(const FunctionClosure &function,
                      const Arguments &arguments, const Expr &expr);
  std::vector<Value> callInstance(const InstancePtr &instance,
                                  const Arguments &arguments, const Expr &expr);
  std::vector<Value> callEntry(const Entry &entry, const Environment *scope,
                               const Arguments &arguments, const Expr &expr);
  /// Binds `x[n, d]`: lengths that occur for the first time take their value
  /// from the argument.
  void bindParameter(const Parameter &parameter, const Value &argument,
                     Environment &scope, const std::set<std::string> &fixed,
                     const std::string &callee, const Expr &expr,
                     std::map<std::string, std::string> &outerNames);
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
  static void needArguments(size_t least, size_t most, const std::string &what,
                            size_t given, const Expr &expr);
  static void checkCount(const std::vector<Parameter> &parameters, size_t given,
                         const std::string &what, const Expr &expr);
  Value callBuiltin(const std::string &name, CallArguments &arguments,
                    const Expr &expr);
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
  Value tensorFunction(const std::string &name, CallArguments &arguments,
                       const Expr &expr);
  StaticValue numberArgument(const PrimitiveCall &call, size_t position,
                             const char *key);
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
  void needNumbers(const Tensor &kernel, const Expr &expr) const;
  Tensor windowsOf(const Tensor &x, const Dim &length, const Dim &width,
                   const std::vector<ExactScalar> &statics, Place at);
  Tensor matrixOf(const Tensor &kernel, Place at);
  const Tensor &kernelOf(const PrimitiveCall &call) const;
  bool isReflected(const PrimitiveCall &call, const StaticValue &pad) const;
  Value patchesOf(const PrimitiveCall &call);
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
  static void checkArguments(const std::string &name,
                             const CallArguments &arguments, const Expr &expr);
  /// Rejects vectors of tokens in arithmetic: tokens select rows; as numbers,
  /// they are read one by one with an index.
  Value realOf(Value value, const Expr &written);
  Tensor concatenated(const Tensor &x, const Expr &expr);
  Value either(const Arguments &arguments, const Expr &expr);
  StaticValue sameTensors(const std::string &tensor, const StaticValue &other);
  Value rounded(const Value &x, const std::string &dtype, const Expr &expr);

  //===- Body.cpp ---------------------------------------------------------===//
  /// The state after a statement: the scope, and the values if it returned.
  struct Flow {
    const Environment *scope;
    std::optional<std::vector<Value>> result;
  };
  Flow run(const Body &body, const Environment *scope);
  Flow runStatement(const Statement &statement, const Environment *scope);
  const Environment *loop(const Statement &statement, const Environment *scope);
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

  void declareParts(const std::vector<Part> &parts, Environment &scope);
  void declareWeights(const std::vector<Weight> &weights, Environment &scope);
  InstancePtr makeInstance(const Part &part, const Environment *scope,
                           const Value *index, const Expr *at);
  Value makeMember(const Part &part, const Environment *scope,
                   const Value &index, const Expr &at);
  BlockReference blockOf(const Part &part, const Environment *scope);
  const Binding *tableEntry(const Instance &instance,
                            const std::string &name) const;
  /// The scope of names in tables: indices first, then constants of the block,
  /// then those of the model.
  Environment *tableScope(const Environment *declaring,
                          const Instance &instance, const Members &members);
  TensorName prefixOf(const Instance &instance, const Members &members);
  void tensorNames(const Expr &source, const TensorName &prefix,
                   const Environment *scope,
                   const std::set<std::string> &indexNames,
                   std::vector<TensorName> &names);
  static std::set<std::string> indexNames(const Instance &instance);
  static Place namedAt(const Instance &instance, const Binding &binding);
  bool storesLinearsTransposed(const Instance &instance) const;
  const MatrixUse &matrixUseIn(const Block *block);
  Value weightValue(const WeightReference &reference, Place at);
  const TensorName *chosenTensor(const WeightReference &reference,
                                 const Binding &binding,
                                 const std::vector<TensorName> &names,
                                 bool &isMissing);
  void bindSplits(const Binding &binding, Environment *scope);
  std::vector<int64_t> selectedBy(const Binding &binding, Environment *scope);
  void notePlace(const std::string &prefix, const Instance &instance,
                 const Weight &weight);
  /// The storage of one member; nullopt if no tensor has the name.
  std::optional<Storage> bindMember(const WeightReference &reference,
                                    const Binding &binding,
                                    const Members &members,
                                    std::optional<int64_t> ownIndex,
                                    std::string &pattern);
  Members addFamilies(const Instance &instance, BoundWeight &bound,
                      Tensor &tensor);
  bool bindMembers(const WeightReference &reference, const Binding &binding,
                   Members &members, bool hasOwnIndex, BoundWeight &bound);
  std::vector<int64_t> noteMissing(const std::string &tensor,
                                   std::vector<int64_t> wanted);
  [[noreturn]] static void failUnclear(const Weight &weight,
                                       const Binding &binding);
  [[noreturn]] void failMissing(const WeightReference &reference,
                                const Binding &binding,
                                const std::vector<TensorName> &names);

  //===- Finish.cpp -------------------------------------------------------===//
  std::vector<std::string> whyNot(const Expr &expectation);
  std::optional<bool> isAsExpected(const Expr &expectation);

  //===- Errors.cpp -------------------------------------------------------===//
  std::string shown(const Axis &axis) const;
  std::string shown(const Tensor &x) const;
  std::string numbers(const Tensor &x) const;
  std::vector<std::string> shapeLines(
      const std::vector<std::pair<std::string, const Tensor *>> &tensors) const;
  static std::string kindOf(const Value &value);
  /// The first axis of size 0; null if there is none.
  static const Axis *emptyAxisOf(const Tensor &x);
  [[noreturn]] void failEmpty(const Axis &axis, const std::string &written,
                              Place at, Range underline = {}) const;
  const Definition *definitionOf(const std::string &name,
                                 const Environment *scope) const;
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
  std::string unreadKeyNear(const std::string &key);
  void mentionConfiguration();
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_ELABORATE_ELABORATOR_H
