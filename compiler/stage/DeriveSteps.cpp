// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-derive-steps: derives, from causal entries over whole sequences, entries
// that continue a sequence (decode steps).
//
// Before:
//   xf.entry @decode(%tokens: <n> {xf.causal}) -> <n, 160> {
//     …
//     %S = xf.contract %Q[i, r, k], %K[i, c, k] -> [i, r, c]
//            : <2, n, 16>, <2, n, 16>
//     %P = xf.softmax %S where [j <= i] : <2, n, n>
//
// After, beside it:
//   xf.cache @decode.0 : <2, n, 16>
//   xf.entry @decode.step(%tokens: <n>, %wanted: <n.wanted>, %first: <>)
//       -> <n.wanted, 160> {
//     …
//     xf.cache_write %K in @decode.0 from %first : <2, n, 16>
//     %all = xf.cache_read @decode.0 : <2, n.seen, 16>
//     %S = xf.contract %Q[i, r, k], %all[i, c, k] -> [i, r, c]
//            : <2, n, 16>, <2, n.seen, 16>
//     %P = xf.softmax %S from %first where [j <= i] : <2, n, n.seen>
//
// In the new entry `n` counts the rows of this step, which begin at position
// `first`; `n.seen` counts these and all earlier rows. A value over pairs of
// positions has rows of this step and all keys.
//
// Exact, operation by operation. Let v[t] be row t of a value of @decode. An
// operation that processes rows independently computes row t of its result from
// rows t of its operands: applied to the rows of this step it computes rows
// first … of @decode. A table by position is the same table from a later
// position. A softmax whose mask hides all keys after i from row i reads scores
// of keys 0 … i: all of them are in `n.seen`, and the later ones are hidden in
// @decode too. Caches hold rows that the same program computed for the earlier
// positions. An operation that needs later rows is rejected, with its location.
// A row some positions earlier is in the cache, or before the first row, which
// is zero in @decode too.
// A definition by index may read its own row of a value, T[t] = x[t] * t, and
// for pairs that of its key: the same values are in the rows of this step and
// in the cache.
//
// Values that depend on no row of the sequence, e.g. the keys and values of an
// encoder's memory, are computed once per request by an entry @decode.begin.

#include "compiler/stage/BindingTimes.h"
#include "compiler/stage/Caches.h"
#include "compiler/stage/Passes.h"
#include "compiler/stage/RowReads.h"
#include "compiler/stage/StagedEntry.h"
#include "compiler/stage/WantedRows.h"
#include "dialect/Labels.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

namespace transfold::stage {
#define GEN_PASS_DEF_DERIVESTEPS
#include "compiler/stage/Passes.h.inc"
} // namespace transfold::stage

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

namespace {

//===----------------------------------------------------------------------===//
// The entry of a step
//===----------------------------------------------------------------------===//

/// Builds the entry of a step beside the entry over whole sequences, operation
/// by operation. `mapping` leads from a value of the latter to its rows of this
/// step, `seenValues` to all its rows so far.
class StepBuilder {
public:
  StepBuilder(xf::EntryOp whole, StringAttr length, const BindingTimes &moments,
              Caches &caches)
      : whole(whole), length(length), seenLength(xf::EntryOp::getSeen(length)),
        moments(moments), caches(caches), builder(whole.getContext()) {}

  /// Values that are computed once per request and that steps read.
  llvm::SetVector<Value> fromRequest;

  /// Creates the entry; fails with an error at the first operation that needs
  /// later rows.
  FailureOr<xf::EntryOp> build() {
    xf::EntryOp step = makeStep();
    builder.setInsertionPointToStart(&step.getBody().front());
    Block &body = whole.getBody().front();
    if (failed(buildBlock(body)))
      return failure();
    SmallVector<Value> results;
    for (Value result : body.getTerminator()->getOperands()) {
      if (axesAlong(result.getType(), length) != SmallVector<unsigned>{0})
        return refuse(body.getTerminator(),
                      "a result of the entry does not have one row for each "
                      "position, on its first axis");
      results.push_back(mapping.lookup(result));
    }
    auto end =
        xf::ReturnOp::create(builder, body.getTerminator()->getLoc(), results);
    // First all rows of the results, then only those requested: the operations
    // between are moved after the selection.
    selectWantedRows(end, length, wanted);
    IRRewriter rewriter(builder);
    (void)runRegionDCE(rewriter, step->getRegions());
    return step;
  }

private:
  /// The signature: the arguments with rows of the sequence, then `wanted` and
  /// `first`; results have as many rows as `wanted`. The limit of the length
  /// holds for all rows so far, too.
  xf::EntryOp makeStep() {
    Signature arguments, results;
    auto attributes = [&](StringRef name) {
      return builder.getDictionaryAttr(
          {builder.getNamedAttr(("xf." + name + "_of").str(), length),
           builder.getNamedAttr("xf.name", builder.getStringAttr(name)),
           builder.getNamedAttr("xf.external", builder.getStringAttr(name))});
    };
    for (BlockArgument argument : whole.getBody().getArguments())
      if (moments[argument] == BindingTime::Step)
        arguments.add(argument.getType(),
                      whole.getArgAttrDict(argument.getArgNumber()));
    auto wantedLength = builder.getStringAttr(length.getValue() + ".wanted");
    arguments.add(xf::IntegralType::get(builder.getContext(), {wantedLength}),
                  attributes("wanted"));
    arguments.add(xf::IntegralType::get(builder.getContext(), {}),
                  attributes("first"));
    for (unsigned k = 0; k < whole.getNumResults(); ++k) {
      Type type = whole.getFunctionType().getResult(k);
      results.add(withAxes(type, axesAlong(type, length), wantedLength),
                  whole.getResultAttrDict(k));
    }
    xf::EntryOp step = makeEntry(whole, xf::Stage::Step, arguments, results);
    unsigned next = 0;
    for (BlockArgument argument : whole.getBody().getArguments())
      if (moments[argument] == BindingTime::Step)
        mapping.map(argument, step.getArgument(next++));
    wanted = step.getArgument(next);
    first = step.getArgument(next + 1);
    if (DictionaryAttr limits = whole.getLimitsAttr())
      if (Attribute limit = limits.get(length))
        step.setLimitsAttr(builder.getDictionaryAttr(
            {builder.getNamedAttr(length.getValue(), limit),
             builder.getNamedAttr(seenLength.getValue(), limit)}));
    return step;
  }

  /// Emits an error that names the entry; the location is that of the equation.
  LogicalResult refuse(Operation *op, const Twine &reason) {
    return op->emitError() << "'" << whole.getSymName()
                           << "' cannot be computed step by step: " << reason;
  }

  /// Builds the operations of a block. Operations without rows along the
  /// sequence, such as reading a weight, are copied unchanged.
  LogicalResult buildBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (moments.of(&op) == BindingTime::Request)
        continue; // part of @decode.begin
      LogicalResult done = success();
      if (auto layers = dyn_cast<xf::LayersOp>(op))
        done = buildLayers(layers);
      else if (auto scan = dyn_cast<xf::ScanOp>(op);
               scan && scan.getPositions() == length)
        buildScan(scan);
      else if (rowsAlong(&op))
        done = buildRows(&op);
      else
        copy(&op);
      if (failed(done))
        return failure();
    }
    return success();
  }

  /// Builds a loop over the same layers, with the step's rows of the carried
  /// values.
  LogicalResult buildLayers(xf::LayersOp layers) {
    SmallVector<Value> inits;
    for (Value init : layers.getInits())
      inits.push_back(value(init));
    xf::LayersOp copied = makeLoop(builder, layers, inits);
    Block &from = layers.getBody().front();
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&copied.getBody());
    for (BlockArgument argument : from.getArguments())
      mapping.map(argument,
                  body->addArgument(argument.getType(), argument.getLoc()));
    if (failed(buildBlock(from)))
      return failure();
    SmallVector<Value> next;
    for (Value operand : from.getTerminator()->getOperands())
      next.push_back(value(operand));
    xf::YieldOp::create(builder, from.getTerminator()->getLoc(), next);
    for (auto [old, made] : llvm::zip(layers.getResults(), copied.getResults()))
      mapping.map(old, made);
    return success();
  }

  /// Builds a recurrence that continues with the states after the last position
  /// so far.
  void buildScan(xf::ScanOp scan) {
    SmallVector<xf::CacheOp> states;
    IRMapping own;
    scan->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand.getParentRegion() != &scan.getBody())
          own.map(operand, value(operand));
    });
    for (auto [init, last] : llvm::zip(scan.getInits(), scan.getLastStates())) {
      states.push_back(caches[last]);
      states.back().setState(true);
      own.map(init, stateBefore(init, states.back(), indicesOf(last)));
    }
    auto copied = cast<xf::ScanOp>(builder.clone(*scan, own));
    for (auto [old, made] : llvm::zip(scan.getResults(), copied.getResults()))
      mapping.map(old, made);
    for (auto [cache, last] : llvm::zip(states, copied.getLastStates()))
      xf::CacheWriteOp::create(builder, scan.getLoc(), last, cache.getSymName(),
                               indicesOf(scan.getResult(0)), Value());
  }

  /// The state of `cache`, or that before the first position if the step begins
  /// there: [i, j] = init[i, j] if first == 0 else state[i, j].
  Value stateBefore(Value init, xf::CacheOp cache, ValueRange layers) {
    auto state = xf::CacheReadOp::create(builder, init.getLoc(), init.getType(),
                                         cache.getSymName(), layers);
    SmallVector<Value> arrays = {state, first, value(init)};
    std::vector<IndexExprPtr> place;
    IndexDefinition definition;
    for (int axis = 0;
         axis < static_cast<int>(xf::getShape(init.getType()).size()); ++axis) {
      definition.indices.push_back(
          std::string(1, static_cast<char>('a' + axis)));
      place.push_back(IndexExpr::variable(axis));
    }
    IndexExprPtr before = IndexExpr::read(2, place);
    if (auto table = init.getDefiningOp<xf::TabulateOp>();
        table && table.getDefinition().getValue().body->isConstant()) {
      before = table.getDefinition().getValue().body;
      arrays.pop_back();
    }
    auto isFirst = IndexExpr::operation(
        ScalarOp::Equal,
        {IndexExpr::read(1, {}), IndexExpr::constant(ExactScalar(int64_t(0)))});
    definition.body = IndexExpr::operation(
        ScalarOp::Select, {isFirst, before, IndexExpr::read(0, place)});
    return xf::TabulateOp::create(
        builder, init.getLoc(), cast<xf::RealType>(init.getType()),
        xf::DefinitionAttr::get(builder.getContext(), definition), arrays);
  }

  /// Whether `op` reads or computes rows along the sequence.
  bool rowsAlong(Operation *op) {
    auto along = [&](Type type) { return !axesAlong(type, length).empty(); };
    return llvm::any_of(op->getOperandTypes(), along) ||
           llvm::any_of(op->getResultTypes(), along);
  }

  //===--------------------------------------------------------------------===//
  // Operations over rows
  //===--------------------------------------------------------------------===//

  /// Builds an operation that reads or computes rows. Those that depend on
  /// positions get `first`; of the others only those are accepted whose law
  /// treats each row alone.
  LogicalResult buildRows(Operation *op) {
    if (auto contract = dyn_cast<xf::ContractOp>(op))
      return buildContraction(contract);
    if (auto softmax = dyn_cast<xf::SoftmaxOp>(op))
      return buildSoftmax(softmax);
    if (auto table = dyn_cast<xf::TabulateOp>(op))
      return buildTable(table);
    if (auto delay = dyn_cast<xf::DelayOp>(op);
        delay && delay.getType().getShape()[delay.getAxis()] == length)
      return buildDelay(delay);
    if (auto slice = dyn_cast<xf::SliceOp>(op))
      if (axesAlong(slice.getInput().getType(), length).empty()) {
        auto copied = cast<xf::SliceOp>(copy(op));
        copied.getFirstMutable().assign(first);
        return success();
      }
    auto law = dyn_cast<xf::BatchLawInterface>(op);
    if (!law || law.getBatchLaw() != xf::BatchLaw::Rows)
      return refuse(op, op->getName().stripDialect() +
                            " reads rows of the sequence other than its own");
    copy(op);
    return success();
  }

  /// Builds a product. An operand along the label of the keys is replaced by
  /// all rows so far: for the scores Q K' that is K, for the mixture P V it is
  /// V. Any other sum over the length is refused.
  LogicalResult buildContraction(xf::ContractOp op) {
    SmallVector<unsigned> axes = axesAlong(op.getType(), length);
    // The label of the keys: for values over pairs of positions, the last.
    std::optional<StringRef> keys;
    if (axes.size() == 2)
      keys = xf::getLabel(op.getLabels(), axes[1]);
    auto pairs = axesAlong(op.getLhs().getType(), length);
    if (pairs.size() == 2)
      keys = xf::getLabel(op.getLhsLabels(), pairs[1]);
    // A value may be rows on one side and keys on the other.
    SmallVector<Value> operands;
    for (auto [operand, labels] : {std::pair(op.getLhs(), op.getLhsLabels()),
                                   {op.getRhs(), op.getRhsLabels()}}) {
      auto along = axesAlong(operand.getType(), length);
      StringRef label =
          along.size() == 1 ? xf::getLabel(labels, along[0]) : StringRef();
      if (!label.empty() && label == keys)
        operands.push_back(seen(operand));
      else if (label.empty() || xf::findLabel(op.getLabels(), label))
        operands.push_back(value(operand));
      else
        return refuse(op, "this product sums over all positions");
    }
    Operation *copied = builder.clone(*op);
    copied->setOperands(operands);
    finish(op, copied);
    return success();
  }

  /// Builds a softmax: over the keys of a causal mask, whose rows now begin at
  /// `first`, or over columns that are not positions of the sequence. The rows
  /// of a mask are the last axis but one; if they are not the positions, such
  /// as those of a matrix that each position has, they begin at 0 in a step,
  /// too.
  LogicalResult buildSoftmax(xf::SoftmaxOp op) {
    ArrayRef<Attribute> shape = op.getType().getShape();
    xf::MaskAttr mask = op.getMaskAttr();
    const bool areRows = shape.size() > 1 && shape[shape.size() - 2] == length;
    if (shape.back() == length) {
      if (axesAlong(op.getType(), length).size() != 2)
        return refuse(op, "this softmax is over all positions");
      if (!mask || !mask.isCausal() || !areRows)
        return refuse(op, "this softmax lets a position see later ones");
    }
    auto copied = cast<xf::SoftmaxOp>(copy(op));
    if (mask && areRows)
      copied.getFirstMutable().assign(first);
    return success();
  }

  /// Builds a table by index. One that reads no rows of the sequence is the
  /// same table from position `first` on.
  LogicalResult buildTable(xf::TabulateOp op) {
    bool readsRows = llvm::any_of(op.getArrays(), [&](Value array) {
      return !axesAlong(array.getType(), length).empty();
    });
    std::optional<unsigned> rows = op.getPositionAxis();
    if (rows && op.getType().getShape()[*rows] != length)
      return refuse(op, "this definition has keys of the sequence for rows of "
                        "another");
    if (readsRows)
      return buildTableOfRows(op, rows);
    auto copied = cast<xf::TabulateOp>(copy(op));
    copied.getFirstMutable().assign(first);
    return success();
  }

  /// Builds y[t] = x[t - j]: the rows of this step, from all rows so far.
  LogicalResult buildDelay(xf::DelayOp op) {
    if (axesAlong(op.getType(), length).size() != 1)
      return refuse(op, "this reads earlier rows of a value over pairs of "
                        "positions");
    auto made = xf::DelayOp::create(builder, op.getLoc(), op.getType(),
                                    seen(op.getInput()), first, op.getAxis(),
                                    op.getBy());
    mapping.map(op.getResult(), made.getResult());
    return success();
  }

  /// The operands of a table in the step, numbered on demand.
  struct OperandsOfTable {
    SmallVector<Value> values;
    /// The number of an operand in the new definition.
    int numberOf(Value value) {
      auto *found = llvm::find(values, value);
      if (found == values.end())
        values.push_back(value), found = values.end() - 1;
      return static_cast<int>(found - values.begin());
    }
  };

  /// Builds T[t, c] = x[t, c] * t. Rows are counted from the beginning of the
  /// step here, as those of x are: t becomes `t + first` everywhere but in x[t,
  /// c].
  LogicalResult buildTableOfRows(xf::TabulateOp op,
                                 std::optional<unsigned> rows) {
    OperandsOfTable operands;
    IndexDefinition definition = op.getDefinition().getValue();
    definition.body = inStep(*definition.body, op, rows, operands);
    if (!definition.body)
      return refuse(op, "this definition reads rows of the sequence other than "
                        "its own");
    auto made = xf::TabulateOp::create(
        builder, op.getLoc(), op.getType(),
        xf::DefinitionAttr::get(builder.getContext(), definition),
        operands.values);
    finish(op, made);
    return success();
  }

  /// `expr` of a table in the step; null if it reads arbitrary rows.
  IndexExprPtr inStep(const IndexExpr &expr, xf::TabulateOp op,
                      std::optional<unsigned> rows, OperandsOfTable &operands) {
    auto copied = std::make_shared<IndexExpr>(expr);
    std::optional<unsigned> own; // axis with unchanged index
    if (expr.kind == IndexExpr::Kind::Read) {
      Value array = op.getArrays()[expr.array];
      auto along = axesAlong(array.getType(), length);
      if (along.size() > 1)
        return nullptr;
      Value made;
      if (along.empty()) {
        made = value(array);
      } else {
        auto index = indexOfRead(expr, along[0]);
        if (!index || op.getType().getShape()[*index] != length)
          return nullptr;
        // The array is read at the index of the table's rows, hence of this
        // step, or at that of its keys, hence of all rows so far.
        const bool isOfRow = index == rows;
        if (!isOfRow && !isa<xf::RealType>(array.getType()))
          return nullptr; // caches hold no integers
        own = along[0];
        made = isOfRow ? value(array) : seen(array);
      }
      copied->array = operands.numberOf(made);
    }
    for (auto [k, operand] : llvm::enumerate(copied->operands))
      if (k != own && !(operand = inStep(*operand, op, rows, operands)))
        return nullptr;
    if (expr.kind == IndexExpr::Kind::Index && rows &&
        expr.index == static_cast<int>(*rows))
      return IndexExpr::operation(
          ScalarOp::Add,
          {copied, IndexExpr::read(operands.numberOf(first), {})});
    return copied;
  }

  /// Clones an operation on the step's values.
  Operation *copy(Operation *op) {
    IRMapping own;
    for (Value operand : op->getOperands())
      own.map(operand, value(operand));
    Operation *copied = builder.clone(*op, own);
    finish(op, copied);
    return copied;
  }

  /// Gives values over pairs of positions all keys.
  void finish(Operation *op, Operation *copied) {
    for (auto [old, made] : llvm::zip(op->getResults(), copied->getResults())) {
      auto axes = axesAlong(old.getType(), length);
      if (axes.size() == 2)
        made.setType(withAxes(old.getType(), {axes[1]}, seenLength));
      mapping.map(old, made);
    }
  }

  //===--------------------------------------------------------------------===//
  // Values of the request and of earlier steps
  //===--------------------------------------------------------------------===//

  /// The counterpart of a value of the entry over whole sequences: its rows of
  /// this step.
  Value value(Value old) {
    if (Value made = mapping.lookupOrNull(old))
      return made;
    // A value of the request: recalled, for the layer of the surrounding loop.
    Value cut = cheapestCut(old);
    fromRequest.insert(cut);
    return rebuilt(old, cut, [&] {
      return xf::CacheReadOp::create(builder, cut.getLoc(), cut.getType(),
                                     caches[cut].getSymName(), indicesOf(cut));
    });
  }

  /// The same for all positions so far.
  Value seen(Value old) {
    if (Value made = seenValues.lookup(old))
      return made;
    if (Operation *op = old.getDefiningOp();
        op && moments[old] == BindingTime::Step && isTable(op)) {
      // The same table, from position 0.
      Operation *copied = builder.clone(*op, mapping);
      return seenValues[old] = withSeen(copied);
    }
    // Columns of rows that are kept anyway are not kept a second time.
    if (auto slice = old.getDefiningOp<xf::SliceOp>();
        slice && !slice.getFirst() && seenValues.contains(slice.getInput())) {
      IRMapping own;
      own.map(slice.getInput(), seenValues[slice.getInput()]);
      return seenValues[old] = withSeen(builder.clone(*slice, own));
    }
    Value cut = cheapestCut(old);
    OpBuilder::InsertionGuard guard(builder);
    Value rows = mapping.lookup(cut);
    if (Operation *maker = rows.getDefiningOp())
      builder.setInsertionPointAfter(maker);
    StringRef cache = caches[cut].getSymName();
    SmallVector<Value> indices = indicesOf(cut);
    xf::CacheWriteOp::create(builder, cut.getLoc(), rows, cache, indices,
                             first);
    return seenValues[old] = rebuilt(old, cut, [&] {
             return xf::CacheReadOp::create(
                 builder, cut.getLoc(),
                 withAxes(cut.getType(), axesAlong(cut.getType(), length),
                          seenLength),
                 cache, indices);
           });
  }

  /// Whether an operation computes its rows from weights and positions alone.
  /// Such rows are recomputed from position 0 instead of being kept for each
  /// sequence.
  static bool isTable(Operation *op) {
    auto table = dyn_cast<xf::TabulateOp>(op);
    auto slice = dyn_cast<xf::SliceOp>(op);
    return (table && table.getArrays().empty()) ||
           (slice && slice.getInput().getDefiningOp<xf::WeightOp>());
  }

  /// Gives the result of a cloned operation all rows so far.
  Value withSeen(Operation *copied) {
    Value result = copied->getResult(0);
    result.setType(withAxes(result.getType(),
                            axesAlong(result.getType(), length), seenLength));
    return result;
  }

  /// Recomputes `old` from its cached cut, which `recall` reads.
  Value rebuilt(Value old, Value cut, function_ref<Value()> recall) {
    if (old == cut)
      return recall();
    Operation *op = old.getDefiningOp();
    Value input = rebuilt(op->getOperand(0), cut, recall);
    IRMapping own;
    own.map(op->getOperand(0), input);
    return withSeenOf(builder.clone(*op, own), input);
  }

  /// Rearrangements and repetitions keep the length of their input.
  Value withSeenOf(Operation *copied, Value input) {
    return axesAlong(input.getType(), seenLength).empty() ? copied->getResult(0)
                                                          : withSeen(copied);
  }

  /// The layers of the step's loops around the counterpart of `old`, which
  /// select the member of a cache.
  SmallVector<Value> indicesOf(Value old) {
    SmallVector<Value> indices;
    for (xf::LayersOp loop : loopsAround(old))
      indices.push_back(mapping.lookup(loop.getLayer()));
    return indices;
  }

  xf::EntryOp whole;
  StringAttr length, seenLength;
  const BindingTimes &moments;
  Caches &caches;
  OpBuilder builder;
  // From values of `whole` to those of the step; in a loop also its layer.
  IRMapping mapping;
  // From values of `whole` to all their rows so far.
  llvm::DenseMap<Value, Value> seenValues;
  Value wanted, first;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct DeriveSteps : stage::impl::DeriveStepsBase<DeriveSteps> {
  using DeriveStepsBase::DeriveStepsBase;

  void runOnOperation() override {
    SmallVector<xf::EntryOp> entries(getOperation().getOps<xf::EntryOp>());
    for (xf::EntryOp entry : entries)
      if (StringAttr length = lengthOf(entry); length && !entry.getStage())
        if (failed(derive(entry, length)))
          return signalPassFailure();
  }

  /// The length of the causal argument, along which steps proceed; null without
  /// one.
  static StringAttr lengthOf(xf::EntryOp entry) {
    for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (entry.getArgAttr(number, "xf.causal"))
        for (Attribute axis : xf::getShape(type))
          if (auto length = dyn_cast<StringAttr>(axis))
            return length;
    return {};
  }

  /// Adds the entries of steps, and of the request if steps read values of it.
  LogicalResult derive(xf::EntryOp entry, StringAttr length) {
    BindingTimes moments(entry, length);
    Caches kept(getOperation(), entry);
    StepBuilder builder(entry, length, moments, kept);
    if (failed(builder.build()))
      return failure();
    if (!builder.fromRequest.empty())
      buildBegin(entry, builder.fromRequest, moments, kept);
    caches += kept.size();
    return success();
  }
};

} // namespace
