// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layer loop: assembly, verifier, and its carried values.

#include "dialect/Dialect.h"

#include <llvm/ADT/BitVector.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

void LayersOp::build(OpBuilder &builder, OperationState &state, TypeRange types,
                     int64_t count, ValueRange inits) {
  build(builder, state, types, /*begin=*/0, count, inits,
        /*gauges=*/ArrayAttr());
}

/// 2 <= %l < 6 (%x = %x0, …) : types { … }; the lower bound is omitted if 0.
ParseResult LayersOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::Argument layer;
  int64_t begin = 0, end;
  OptionalParseResult hasBegin = parser.parseOptionalInteger(begin);
  if (hasBegin.has_value() &&
      (failed(*hasBegin) || parser.parseLess() || parser.parseEqual()))
    return failure();
  if (parser.parseArgument(layer) || parser.parseLess() ||
      parser.parseInteger(end))
    return failure();
  layer.type = builder.getIndexType();
  SmallVector<OpAsmParser::Argument> arguments = {layer};
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  auto parseCarried = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseCarried) ||
      parser.parseOptionalColonTypeList(types) ||
      parser.resolveOperands(inits, types, loc, result.operands))
    return failure();
  for (auto [argument, type] :
       llvm::zip(MutableArrayRef(arguments).drop_front(), types))
    argument.type = type;
  result.addAttribute(getBeginAttrName(result.name),
                      builder.getI64IntegerAttr(begin));
  result.addAttribute(getEndAttrName(result.name),
                      builder.getI64IntegerAttr(end));
  result.addTypes(types);
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return success();
}

void LayersOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (getBegin())
    printer << getBegin() << " <= ";
  printer << getLayer() << " < " << getEnd() << " (";
  llvm::interleaveComma(
      llvm::zip(getCarried(), getInits()), printer.getStream(), [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ')';
  if (!getInits().empty())
    printer << " : " << getInits().getTypes();
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getBeginAttrName(), getEndAttrName()});
}

LogicalResult LayersOp::verify() {
  Block &body = getBody().front();
  auto begin = static_cast<int64_t>(getBegin()),
       end = static_cast<int64_t>(getEnd());
  if (end <= begin)
    return emitOpError() << "must run at least once, not " << end - begin
                         << " times";
  if (begin < 0)
    return emitOpError() << "must begin with layer 0 or later, not " << begin;
  if (body.getNumArguments() != getInits().size() + 1 ||
      !body.getArgument(0).getType().isIndex())
    return emitOpError("its region must take the layer and the carried values");
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("must end with xf.yield");
  auto carried = TypeRange(body.getArgumentTypes()).drop_front();
  if (TypeRange(getInits()) != TypeRange(getResults()) ||
      TypeRange(carried) != TypeRange(getResults()) ||
      TypeRange(yield.getOperands()) != TypeRange(getResults()))
    return emitOpError(
        "a carried value must keep its type from layer to layer");
  if (!getGauges())
    return success();
  if (getGauges()->size() != getInits().size())
    return emitOpError("must have one list of gauges for each carried value");
  for (auto list : getGauges()->getAsRange<ArrayAttr>())
    if (list.size() != getCount() || !llvm::all_of(list, [](Attribute gauge) {
          return isa<ExactAttr>(gauge);
        }))
      return emitOpError()
             << "has " << getCount()
             << " layers and must have one gauge after each of them";
  return success();
}

//===----------------------------------------------------------------------===//
// Loop interface and carried values
//===----------------------------------------------------------------------===//

SmallVector<Region *> LayersOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> LayersOp::getLoopInductionVars() {
  return SmallVector<Value>{getLayer()};
}

/// A layer index as a loop bound.
static SmallVector<OpFoldResult> bound(LayersOp op, uint64_t number) {
  return {Builder(op.getContext()).getIndexAttr(static_cast<int64_t>(number))};
}

std::optional<SmallVector<OpFoldResult>> LayersOp::getLoopLowerBounds() {
  return bound(*this, getBegin());
}

std::optional<SmallVector<OpFoldResult>> LayersOp::getLoopUpperBounds() {
  return bound(*this, getEnd());
}

std::optional<SmallVector<OpFoldResult>> LayersOp::getLoopSteps() {
  return bound(*this, 1);
}

Block::BlockArgListType LayersOp::getRegionIterArgs() { return getCarried(); }

std::optional<MutableArrayRef<OpOperand>> LayersOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<ResultRange> LayersOp::getLoopResults() { return getResults(); }

/// Creates a loop with other carried values and moves the body of `old` into
/// it. Drops `gauges`, which are not known for the new carried values.
static LayersOp withInits(OpBuilder &builder, LayersOp old, ValueRange inits) {
  auto loop = LayersOp::create(builder, old.getLoc(), inits.getTypes(),
                               old.getBegin(), old.getEnd(), inits,
                               /*gauges=*/ArrayAttr());
  loop.getBody().takeBody(old.getBody());
  return loop;
}

FailureOr<LoopLikeOpInterface> LayersOp::replaceWithAdditionalYields(
    RewriterBase &rewriter, ValueRange newInitOperands,
    bool replaceInitOperandUsesInLoop,
    const NewYieldValuesFn &newYieldValuesFn) {
  SmallVector<Value> inits(getInits());
  llvm::append_range(inits, newInitOperands);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  LayersOp loop = withInits(rewriter, *this, inits);
  Block &body = loop.getBody().front();
  SmallVector<BlockArgument> carried;
  for (Value init : newInitOperands)
    carried.push_back(body.addArgument(init.getType(), init.getLoc()));
  Operation *yield = body.getTerminator();
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next = newYieldValuesFn(rewriter, loop.getLoc(), carried);
  yield->insertOperands(yield->getNumOperands(), next);
  if (replaceInitOperandUsesInLoop)
    for (auto [init, argument] : llvm::zip(newInitOperands, carried))
      rewriter.replaceUsesWithIf(init, argument, [&](OpOperand &use) {
        return loop->isProperAncestor(use.getOwner());
      });
  rewriter.replaceOp(*this, loop.getResults().take_front(getNumResults()));
  return cast<LoopLikeOpInterface>(loop.getOperation());
}

LayersOp LayersOp::withoutCarried(const llvm::BitVector &gone) {
  SmallVector<Value> inits, kept;
  llvm::BitVector arguments(1);
  for (auto [k, init] : llvm::enumerate(getInits())) {
    arguments.push_back(gone.test(k));
    if (gone.test(k))
      continue;
    inits.push_back(init);
    kept.push_back(getResult(k));
  }
  OpBuilder builder(*this);
  LayersOp loop = withInits(builder, *this, inits);
  Block &body = loop.getBody().front();
  body.getTerminator()->eraseOperands(gone);
  body.eraseArguments(arguments);
  for (auto [old, result] : llvm::zip(kept, loop.getResults()))
    old.replaceAllUsesWith(result);
  erase();
  return loop;
}
