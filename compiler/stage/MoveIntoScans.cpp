// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-move-into-scans: large values of a recurrence exist for one position
// only.
//
//   S[t] = α[t] * S[t - 1] + k[t]' @ v[t],   o[t] = q[t] @ S[t]
//
// Before:
//   %kv = xf.multiply %k[i, t, a], %v[i, t, b] -> [i, t, a, b]
//   %S, %last = xf.scan (%kv_t in %kv axis 1, …) from (%s = %0) … {
//     …
//     xf.yield %next, %next
//   }
//   %o = xf.contract %q[i, t, a], %S[i, t, a, b] -> [i, t, b]
// After:
//   %o, %last = xf.scan (%k_t in %k axis 1, %v_t in %v axis 1, %q_t in %q …) …
//   {
//     %kv_t = xf.multiply %k_t[i, a], %v_t[i, b] -> [i, a, b]
//     …
//     %o_t = xf.contract %q_t[i, a], %next[i, a, b] -> [i, b]
//     xf.yield %o_t, %next
//   }
//
// For n positions, %kv and %S have n · d_k · d_v elements, %k, %v and %o only
// n · (d_k + 2 d_v). An operation moves if its values of a position are then
// fewer. Exact: each of these operations computes position t of its result from
// position t of its operands, so computing them position by position is the
// same.

#include "compiler/stage/IndexNotation.h"
#include "compiler/stage/Passes.h"
#include "dialect/Labels.h"
#include "dialect/WithoutAxis.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

namespace transfold::stage {
#define GEN_PASS_DEF_MOVEINTOSCANS
#include "compiler/stage/Passes.h.inc"
} // namespace transfold::stage

using namespace mlir;
using namespace transfold;
using stage::withLabels;

namespace {

/// A value, and its axis of positions; without one, it is the same at each
/// position.
struct Rows {
  Value value;
  std::optional<unsigned> axis;
};

/// The number of elements at one position.
int64_t sizeOf(const Rows &rows) {
  return rows.axis ? xf::countNumbers(
                         xf::withoutAxis(rows.value.getType(), *rows.axis))
                   : 0;
}

/// The operands of an operation that computes each position of its result by
/// itself, and whose positions are along `axis`; nullopt for other operations.
std::optional<SmallVector<Rows>> operandsOf(Operation *op, unsigned axis) {
  SmallVector<Rows> operands;
  bool isLabelled = withLabels(op, [&](auto labelled) {
    StringRef label = xf::getLabel(labelled.getLabels(), axis);
    operands = {
        {labelled.getLhs(), xf::findLabel(labelled.getLhsLabels(), label)},
        {labelled.getRhs(), xf::findLabel(labelled.getRhsLabels(), label)}};
  });
  if (isLabelled)
    return operands;
  if (!op->hasTrait<xf::Pointwise>() || op->getNumResults() != 1)
    return std::nullopt;
  for (Value operand : op->getOperands())
    operands.push_back({operand, operand.getType() == op->getResult(0).getType()
                                     ? std::optional(axis)
                                     : std::nullopt});
  return operands;
}

/// One recurrence.
class Mover {
public:
  explicit Mover(xf::ScanOp scan) : scan(scan) {}

  unsigned moved = 0;

  void run() {
    moveProducers();
    moveReaders();
  }

private:
  xf::ScanOp scan;

  //===--------------------------------------------------------------------===//
  // Values at one position
  //===--------------------------------------------------------------------===//

  /// The value of one position in the region: a row that is read, or the same
  /// value as outside.
  Value inside(const Rows &rows) {
    if (!rows.axis)
      return rows.value;
    for (auto [argument, value, axis] :
         llvm::zip(scan.getRowArguments(), scan.getRows(), scan.getRowAxes()))
      if (value == rows.value && axis == static_cast<int64_t>(*rows.axis))
        return argument;
    SmallVector<int64_t> axes(scan.getRowAxes());
    axes.push_back(*rows.axis);
    const unsigned number = scan.getRows().size();
    scan.getRowsMutable().append(rows.value);
    scan.setRowAxes(axes);
    return scan.getBody().front().insertArgument(
        number, xf::withoutAxis(rows.value.getType(), *rows.axis),
        rows.value.getLoc());
  }

  /// A copy of `op` at one position, on these operands.
  static Value atPosition(OpBuilder &builder, Operation *op, unsigned axis,
                          ValueRange operands) {
    Operation *copied = builder.clone(*op);
    copied->setOperands(operands);
    withLabels(copied, [&](auto labelled) {
      StringAttr label = cast<StringAttr>(labelled.getLabels()[axis]);
      auto without = [&](ArrayAttr labels) {
        SmallVector<Attribute> kept(labels.getValue());
        llvm::erase(kept, label);
        return builder.getArrayAttr(kept);
      };
      labelled.setLabelsAttr(without(labelled.getLabels()));
      labelled.setLhsLabelsAttr(without(labelled.getLhsLabels()));
      labelled.setRhsLabelsAttr(without(labelled.getRhsLabels()));
    });
    Value result = copied->getResult(0);
    result.setType(xf::withoutAxis(result.getType(), axis));
    return result;
  }

  //===--------------------------------------------------------------------===//
  // What computes the rows
  //===--------------------------------------------------------------------===//

  /// The fewest elements of a position by which these rows can be replaced, and
  /// the operations that then compute them in the region.
  int64_t leastSize(const Rows &rows,
                    llvm::SmallSetVector<Operation *, 8> &computed) {
    Operation *op = rows.value.getDefiningOp();
    const int64_t own = sizeOf(rows);
    if (!rows.axis || !op || op->getBlock() != scan->getBlock() ||
        !llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == scan || computed.contains(user);
        }))
      return own;
    auto operands = operandsOf(op, *rows.axis);
    if (!operands || isa<xf::ContractOp>(op))
      return own;
    llvm::SmallSetVector<Operation *, 8> inner = computed;
    inner.insert(op);
    int64_t total = 0;
    for (const Rows &operand : *operands)
      total += leastSize(operand, inner);
    if (total >= own)
      return own;
    computed = inner;
    return total;
  }

  /// The value of a position, computed in the region where `computed` says so.
  Value compute(const Rows &rows,
                const llvm::SmallSetVector<Operation *, 8> &computed,
                OpBuilder &builder) {
    Operation *op = rows.value.getDefiningOp();
    if (!rows.axis || !op || !computed.contains(op))
      return inside(rows);
    SmallVector<Value> operands;
    const SmallVector<Rows> read = *operandsOf(op, *rows.axis);
    for (const Rows &operand : read)
      operands.push_back(compute(operand, computed, builder));
    ++moved;
    return atPosition(builder, op, *rows.axis, operands);
  }

  void moveProducers() {
    for (unsigned number = 0; number < scan.getRows().size();) {
      Rows rows{scan.getRows()[number],
                static_cast<unsigned>(scan.getRowAxes()[number])};
      llvm::SmallSetVector<Operation *, 8> computed;
      if (leastSize(rows, computed) >= sizeOf(rows)) {
        ++number;
        continue;
      }
      OpBuilder builder = OpBuilder::atBlockBegin(&scan.getBody().front());
      Value made = compute(rows, computed, builder);
      scan.getRowArguments()[number].replaceAllUsesWith(made);
      dropRow(number);
    }
  }

  void dropRow(unsigned number) {
    SmallVector<int64_t> axes(scan.getRowAxes());
    axes.erase(axes.begin() + number);
    scan.getBody().front().eraseArgument(number);
    Operation *maker = scan.getRows()[number].getDefiningOp();
    scan.getRowsMutable().erase(number);
    scan.setRowAxes(axes);
    eraseUnused(maker);
  }

  static void eraseUnused(Operation *op) {
    if (!op || !isOpTriviallyDead(op))
      return;
    llvm::SmallSetVector<Operation *, 4> makers;
    for (Value operand : op->getOperands())
      makers.insert(operand.getDefiningOp());
    op->erase();
    for (Operation *maker : makers)
      eraseUnused(maker);
  }

  //===--------------------------------------------------------------------===//
  // What reads the results
  //===--------------------------------------------------------------------===//

  /// The first operation that reads a result, if it reads result `number` of
  /// the rows; null otherwise. Writes of states to caches move with the scan.
  Operation *readerOf(unsigned number) {
    Value result = scan.getRowResults()[number];
    Operation *first = nullptr;
    for (OpResult each : scan->getResults())
      for (Operation *user : each.getUsers()) {
        Operation *own = scan->getBlock()->findAncestorOpInBlock(*user);
        const bool moves = isa<xf::CacheWriteOp>(user) &&
                           llvm::is_contained(scan.getLastStates(), each);
        if (own && !moves && (!first || own->isBeforeInBlock(first)))
          first = own;
      }
    if (!first || !llvm::is_contained(first->getOperands(), result) ||
        first->getNumResults() != 1)
      return nullptr;
    return first;
  }

  /// The axis of positions of the result of `reader`, which reads `result`.
  static std::optional<unsigned> axisAfter(Operation *reader, Value result,
                                           unsigned axis) {
    std::optional<unsigned> found;
    bool isLabelled = withLabels(reader, [&](auto labelled) {
      bool isLeft = labelled.getLhs() == result;
      ArrayAttr own =
          isLeft ? labelled.getLhsLabels() : labelled.getRhsLabels();
      found = xf::findLabel(labelled.getLabels(), xf::getLabel(own, axis));
    });
    if (!isLabelled && reader->hasTrait<xf::Pointwise>())
      found = axis;
    return found;
  }

  void moveReaders() {
    for (unsigned number = 0; number < scan.getResultAxes().size();)
      if (!moveReader(number))
        ++number;
  }

  /// The value of a position, which is yielded if it is of a result.
  Value insideOrYielded(const Rows &rows) {
    for (auto [result, row] :
         llvm::zip(scan.getRowResults(), scan.getYieldedRows()))
      if (rows.value == result)
        return row;
    return inside(rows);
  }

  /// Whether an operand is a result of the recurrence at other positions than
  /// the one that is computed: S @ S' multiplies each row with all of them.
  bool isOfOtherPositions(const Rows &operand) {
    auto result = dyn_cast<OpResult>(operand.value);
    if (!result || result.getOwner() != scan)
      return false;
    ArrayRef<int64_t> axes = scan.getResultAxes();
    const unsigned number = result.getResultNumber();
    return number >= axes.size() || !operand.axis ||
           axes[number] != static_cast<int64_t>(*operand.axis);
  }

  /// Whether the entries of `reader` are computed from those of `result` with
  /// the same indices, or from sums of them. A product with a matrix makes
  /// others: it is faster for all positions at once.
  static bool keepsEntries(Operation *reader, Value result) {
    bool keeps = true;
    withLabels(reader, [&](auto labelled) {
      ArrayAttr own = labelled.getLhs() == result ? labelled.getLhsLabels()
                                                  : labelled.getRhsLabels();
      keeps = llvm::all_of(labelled.getLabels(), [&](Attribute label) {
        return llvm::is_contained(own, label);
      });
    });
    return keeps;
  }

  /// Replaces one reader by a result of the scan, which moves to its place.
  bool moveReader(unsigned number) {
    Operation *reader = readerOf(number);
    if (!reader)
      return false;
    Value result = scan.getRowResults()[number];
    auto axis = axisAfter(reader, result, scan.getResultAxes()[number]);
    if (!axis)
      return false;
    auto operands = operandsOf(reader, *axis);
    Rows own{reader->getResult(0), axis};
    if (!operands || !keepsEntries(reader, result) ||
        llvm::any_of(
            *operands,
            [&](const Rows &each) { return isOfOtherPositions(each); }) ||
        sizeOf(own) >= sizeOf({result, static_cast<unsigned>(
                                           scan.getResultAxes()[number])}))
      return false;
    // The operands exist at the place of the reader.
    scan->moveBefore(reader);
    for (Value last : scan.getLastStates())
      for (Operation *user : last.getUsers())
        if (isa<xf::CacheWriteOp>(user))
          user->moveAfter(scan);
    OpBuilder builder(scan.getBody().front().getTerminator());
    SmallVector<Value> made;
    for (const Rows &operand : *operands)
      made.push_back(insideOrYielded(operand));
    Value row = atPosition(builder, reader, *axis, made);
    addResult(reader, row, *axis);
    ++moved;
    if (scan.getRowResults()[number].use_empty())
      dropResult(number);
    return true;
  }

  /// A scan with other results, which has the region of this one. `kept` are
  /// the old results that remain.
  void rebuild(ArrayRef<Value> kept, ArrayRef<Type> types,
               ArrayRef<int64_t> axes, ArrayRef<unsigned> places) {
    OpBuilder builder(scan);
    auto made = xf::ScanOp::create(
        builder, scan.getLoc(), types, scan.getRows(), scan.getInits(),
        scan.getRowAxes(), axes, scan.getBackwards());
    made.getBody().takeBody(scan.getBody());
    for (auto [number, place] : llvm::enumerate(places)) {
      Value old = kept[number];
      old.replaceAllUsesWith(made.getResult(place));
    }
    scan.erase();
    scan = made;
  }

  void addResult(Operation *reader, Value row, unsigned axis) {
    SmallVector<Type> types(scan.getRowResults().getTypes());
    SmallVector<int64_t> axes(scan.getResultAxes());
    const unsigned place = types.size();
    types.push_back(reader->getResult(0).getType());
    axes.push_back(axis);
    types.append(scan.getLastStates().getTypes().begin(),
                 scan.getLastStates().getTypes().end());
    SmallVector<Value> kept(scan.getResults());
    SmallVector<unsigned> places;
    for (unsigned k = 0; k < kept.size(); ++k)
      places.push_back(k < place ? k : k + 1);
    scan.getBody().front().getTerminator()->insertOperands(place, row);
    rebuild(kept, types, axes, places);
    reader->getResult(0).replaceAllUsesWith(scan.getResult(place));
    reader->erase();
  }

  void dropResult(unsigned number) {
    SmallVector<Type> types(scan.getResults().getTypes());
    SmallVector<int64_t> axes(scan.getResultAxes());
    types.erase(types.begin() + number);
    axes.erase(axes.begin() + number);
    SmallVector<Value> kept;
    SmallVector<unsigned> places;
    for (unsigned k = 0; k < scan.getNumResults(); ++k)
      if (k != number) {
        places.push_back(kept.size());
        kept.push_back(scan.getResult(k));
      }
    scan.getBody().front().getTerminator()->eraseOperand(number);
    rebuild(kept, types, axes, places);
  }
};

struct MoveIntoScans : stage::impl::MoveIntoScansBase<MoveIntoScans> {
  using MoveIntoScansBase::MoveIntoScansBase;

  void runOnOperation() override {
    SmallVector<xf::ScanOp> scans;
    getOperation().walk([&](xf::ScanOp scan) { scans.push_back(scan); });
    for (xf::ScanOp scan : scans) {
      Mover mover(scan);
      mover.run();
      moved += mover.moved;
    }
  }
};

} // namespace
