// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traverses an entry in program order. An operation whose operand lacks a row
// either states what its result lacks, or is compensated: the row is added to a
// bias that is added to its operand anyway, or by a new addition.
//
// In a loop a layer reads what the previous one yields. The row that a carried
// value lacks therefore becomes a carried value too, which is computed from
// weights alone:
//   xf.layers %l < 6 (%x = %x0, %s = %β0) { … xf.yield %y, %β }
// Deriving weights (DeriveWeights.cpp) removes it from the loop again.

#include "compiler/fold/solve/Shifts.h"
#include "compiler/fold/solve/Problem.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;
using xf::Shift;

std::optional<bool> fold::biasIsRight(xf::AddOp add) {
  // A row that a state lacks would accumulate from position to position.
  if (isa<xf::ScanOp>(add->getParentOp()))
    return std::nullopt;
  bool right = xf::isWeightOnly(add.getRhs());
  if (right == xf::isWeightOnly(add.getLhs()))
    return std::nullopt;
  if ((right ? add.getLhsLabels() : add.getRhsLabels()) != add.getLabels())
    return std::nullopt;
  return right;
}

xf::WeightOp fold::firstWeight(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto weight = dyn_cast_or_null<xf::WeightOp>(op))
    return weight;
  if (!op || isa<xf::LayersOp>(op))
    return {};
  for (Value operand : op->getOperands())
    if (auto weight = firstWeight(operand))
      return weight;
  return {};
}

ShiftMove::ShiftMove(xf::AddOp source)
    : source(source), build(source.getContext()) {}

void ShiftMove::set(Shifts &shifts, Value value, const Shift &shift) {
  shifts[value] = shift;
  shifted.insert(value);
}

LogicalResult ShiftMove::objects(Operation *op) {
  if (!objection)
    objection = op;
  return failure();
}

LogicalResult ShiftMove::run() {
  bool right = *biasIsRight(source);
  Value bias = right ? source.getRhs() : source.getLhs();
  removed = numbersIn(source.getType()) * iterationsAround(source);
  // The source's result lacks the bias.
  build.setInsertionPoint(source);
  Shifts shifts;
  auto shift =
      source.shiftLaw(right ? source.getRhsMutable() : source.getLhsMutable(),
                      {llvm::to_vector(llvm::seq<unsigned>(
                           0, xf::getShape(bias.getType()).size())),
                       bias, false},
                      *this);
  set(shifts, source.getResult(), *shift);
  Block &block = *source->getBlock();
  if (failed(sweep(block, std::next(source->getIterator()), shifts)))
    return failure();
  if (auto layers = dyn_cast<xf::LayersOp>(block.getParentOp()))
    if (failed(leave(layers, shifts)))
      return failure();
  source.getResult().replaceAllUsesWith(right ? source.getLhs()
                                              : source.getRhs());
  source.erase();
  return success();
}

LogicalResult ShiftMove::sweep(Block &block, Block::iterator from,
                               Shifts &shifts) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(from, block.end()))) {
    if (isa<xf::YieldOp>(op))
      continue;
    if (auto layers = dyn_cast<xf::LayersOp>(op)) {
      if (failed(enter(layers, shifts)))
        return failure();
    } else if (failed(visit(op, shifts))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ShiftMove::visit(Operation &op, Shifts &shifts) {
  SmallVector<OpOperand *> lacking;
  for (OpOperand &operand : op.getOpOperands())
    if (shifts.contains(operand.get()))
      lacking.push_back(&operand);
  // Values that the region of a recurrence reads as a whole.
  if (auto scan = dyn_cast<xf::ScanOp>(op);
      scan && scan.getBody()
                  .walk([&](Operation *inner) {
                    return llvm::any_of(inner->getOperands(),
                                        [&](Value operand) {
                                          return shifts.contains(operand);
                                        })
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted())
    return objects(&op);
  if (lacking.empty())
    return success();
  ++readers;
  // A product of two values of the sequence is one of an attention.
  if (auto product = dyn_cast<xf::ContractOp>(op))
    isAveraged |= !xf::isWeightOnly(product.getLhs()) &&
                  !xf::isWeightOnly(product.getRhs());
  build.setInsertionPoint(&op);
  // An existing addition of a bias absorbs the row.
  if (auto add = dyn_cast<xf::AddOp>(op); add && add != source)
    if (auto right = biasIsRight(add)) {
      auto shift = add.shiftLaw(*lacking[0], shifts[lacking[0]->get()], *this);
      // The shift of the result is compared with the bias of the same addition,
      // so its axes are those of the result.
      if (succeeded(shift) && shift->row) {
        absorbInto(add, *right, *shift);
        return success();
      }
    }
  auto law = dyn_cast<xf::ShiftLawInterface>(op);
  std::optional<Shift> total;
  for (OpOperand *operand : lacking) {
    Shift shift = shifts[operand->get()];
    FailureOr<Shift> result =
        law ? law.shiftLaw(*operand, shift, *this) : FailureOr<Shift>();
    if (failed(result)) {
      if (failed(compensate(*operand, shift)))
        return objects(&op);
    } else if (!result->isZero) {
      total = total ? *both(&op, *total, *result) : *result;
    }
  }
  if (total)
    set(shifts, op.getResult(0), *total);
  return success();
}

/// Labels for axes, derived from their indices.
static ArrayAttr labelsOf(OpBuilder &builder, ArrayRef<unsigned> axes) {
  SmallVector<Attribute> labels;
  for (unsigned axis : axes)
    labels.push_back(builder.getStringAttr("a" + Twine(axis)));
  return builder.getArrayAttr(labels);
}

FailureOr<Shift> ShiftMove::both(Operation *op, const Shift &a,
                                 const Shift &b) {
  Shift sum;
  llvm::append_range(sum.axes, a.axes);
  for (unsigned axis : b.axes)
    if (!a.variesAlong(axis))
      sum.axes.push_back(axis);
  llvm::sort(sum.axes);
  if (a.row && b.row)
    sum.row = xf::AddOp::create(
        build, op->getLoc(), a.row, b.row, labelsOf(build, a.axes),
        labelsOf(build, b.axes), labelsOf(build, sum.axes));
  return sum;
}

//===----------------------------------------------------------------------===//
// Compensation
//===----------------------------------------------------------------------===//

/// Moves the computation of `value` before `op` if it comes after it. Returns
/// whether `value` is then available.
static bool makeAvailable(Value value, Operation *op) {
  Operation *defined = value.getDefiningOp();
  if (!defined || defined->getBlock() != op->getBlock() ||
      defined->isBeforeInBlock(op))
    return true;
  if (isa<xf::LayersOp>(defined) ||
      !llvm::all_of(defined->getOperands(),
                    [&](Value operand) { return makeAvailable(operand, op); }))
    return false;
  defined->moveBefore(op);
  return true;
}

LogicalResult ShiftMove::compensate(OpOperand &use, const Shift &shift) {
  Value value = use.get();
  if (!shift.row)
    return failure();
  Operation *op = use.getOwner();
  if (value.hasOneUse() && value.getParentBlock() == op->getBlock() &&
      absorb(value, shift))
    return success();
  // The result of a loop, or an argument, would need a pass over memory of its
  // own, which costs more than all the additions that were fused into other
  // kernels.
  if (isa<BlockArgument>(value) || value.getDefiningOp<xf::LayersOp>())
    return failure();
  auto all = llvm::to_vector(
      llvm::seq<unsigned>(0, xf::getShape(value.getType()).size()));
  ArrayAttr labels = labelsOf(build, all);
  (void)objects(op);
  build.setInsertionPoint(op);
  Value sum = xf::AddOp::create(build, source.getLoc(), value, shift.row,
                                labels, labelsOf(build, shift.axes), labels);
  added += numbersIn(value.getType()) * iterationsAround(op);
  noteDestination(shift.row, !shift.row.getDefiningOp<xf::WeightOp>());
  use.set(sum);
  return success();
}

/// A bias that others are added to keeps its name. A new row that is computed
/// from weights has the name that DeriveWeights gives it.
void ShiftMove::noteDestination(Value row, bool isComputed) {
  auto weight = firstWeight(row);
  if (!weight)
    return;
  std::string name = weight.getStored().str() + (isComputed ? ".derived" : "");
  if (!llvm::is_contained(destinations, name))
    destinations.push_back(name);
}

/// Adds the row to a bias of `value`, or of an addend that has no other use.
bool ShiftMove::absorb(Value value, const Shift &shift) {
  auto add = value.getDefiningOp<xf::AddOp>();
  if (!add || add == source)
    return false;
  if (auto right = biasIsRight(add)) {
    if (!makeAvailable(shift.row, add))
      return false;
    absorbInto(add, *right, shift);
    return true;
  }
  for (auto [addend, labels] : {std::pair(add.getRhs(), add.getRhsLabels()),
                                std::pair(add.getLhs(), add.getLhsLabels())}) {
    if (!addend.hasOneUse() || addend.getParentBlock() != add->getBlock())
      continue;
    Shift own = {{}, shift.row, false};
    for (unsigned axis : shift.axes)
      if (auto at = xf::findLabel(labels, xf::getLabel(add.getLabels(), axis)))
        own.axes.push_back(*at);
    if (own.axes.size() == shift.axes.size() && llvm::is_sorted(own.axes) &&
        absorb(addend, own))
      return true;
  }
  return false;
}

/// Replaces the bias b by b + s.
void ShiftMove::absorbInto(xf::AddOp add, bool isRight, const Shift &shift) {
  OpBuilder::InsertionGuard guard(build);
  build.setInsertionPoint(add);
  Value bias = isRight ? add.getRhs() : add.getLhs();
  ArrayAttr own = isRight ? add.getRhsLabels() : add.getLhsLabels();
  SmallVector<Attribute> row, sum;
  for (auto [axis, label] : llvm::enumerate(add.getLabels())) {
    if (shift.variesAlong(axis))
      row.push_back(label);
    if (shift.variesAlong(axis) ||
        xf::findLabel(own, cast<StringAttr>(label).getValue()))
      sum.push_back(label);
  }
  // If the existing bias is a constant, the computed bias counts as the moved
  // one.
  noteDestination(firstWeight(bias) ? bias : shift.row,
                  /*isComputed=*/!firstWeight(bias));
  Value both =
      xf::AddOp::create(build, add.getLoc(), bias, shift.row, own,
                        build.getArrayAttr(row), build.getArrayAttr(sum));
  (isRight ? add.getRhsMutable() : add.getLhsMutable()).set(both);
  if (isRight)
    add.setRhsLabelsAttr(build.getArrayAttr(sum));
  else
    add.setLhsLabelsAttr(build.getArrayAttr(sum));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value ShiftMove::zeros(xf::LayersOp before, Type type) {
  build.setInsertionPoint(before);
  IndexDefinition zero;
  for (unsigned axis = 0; axis < xf::getShape(type).size(); ++axis)
    zero.indices.push_back("i" + std::to_string(axis));
  zero.body = IndexExpr::constant(ExactScalar(int64_t(0)));
  return xf::TabulateOp::create(
      build, source.getLoc(), cast<xf::RealType>(type),
      xf::DefinitionAttr::get(build.getContext(), zero), ValueRange());
}

/// Adds one carried value, as the last one.
xf::LayersOp ShiftMove::addCarried(xf::LayersOp layers, Value init,
                                   Value next) {
  IRRewriter rewriter(build);
  auto more = layers.replaceWithAdditionalYields(
      rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{next};
      });
  return cast<xf::LayersOp>(*more);
}

LogicalResult ShiftMove::sweepBody(xf::LayersOp &layers, const Shifts &shifts,
                                   Shifts &inner, Shifts *outer) {
  for (unsigned k = 0, end = layers.getInits().size(); k < end; ++k) {
    auto lacking = shifts.find(outer ? layers.getYieldedValues()[k]
                                     : layers.getInits()[k]);
    if (lacking == shifts.end())
      continue;
    Shift shift = lacking->second;
    if (!shift.row || layers->getParentOfType<xf::LayersOp>())
      return objects(layers);
    Value nothing = zeros(layers, shift.row.getType());
    layers = outer ? addCarried(layers, nothing, shift.row)
                   : addCarried(layers, shift.row, nothing);
    shift.row = layers.getCarried().back();
    set(inner, layers.getCarried()[k], shift);
    if (!outer)
      continue;
    shift.row = layers.getResults().back();
    set(*outer, layers.getResult(k), shift);
  }
  Block &body = layers.getBody().front();
  if (failed(sweep(body, body.begin(), inner)))
    return failure();
  for (Value next : layers.getYieldedValues())
    if (inner.contains(next))
      return objects(layers);
  return success();
}

/// Handles a carried value that lacks a row when the loop begins, but not
/// afterwards.
LogicalResult ShiftMove::enter(xf::LayersOp layers, Shifts &shifts) {
  bool isRead = false;
  layers.walk([&](Operation *op) {
    isRead |= llvm::any_of(op->getOperands(),
                           [&](Value x) { return shifts.contains(x); });
  });
  if (!isRead)
    return success();
  Shifts inner = shifts;
  return sweepBody(layers, shifts, inner, /*outer=*/nullptr);
}

/// Handles a yielded value that lacks a row: the carried value of the next
/// layer and the result of the loop then lack it too.
LogicalResult ShiftMove::leave(xf::LayersOp layers, const Shifts &shifts) {
  Shifts inner, outer;
  if (failed(sweepBody(layers, shifts, inner, &outer)))
    return failure();
  return sweep(*layers->getBlock(), std::next(layers->getIterator()), outer);
}
