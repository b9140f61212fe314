// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrences: assembly and verifier.

#include "dialect/WithoutAxis.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// "%k in %K axis 1"
static ParseResult
parseRow(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
         SmallVectorImpl<OpAsmParser::UnresolvedOperand> &rows,
         SmallVectorImpl<int64_t> &axes) {
  return failure(
      parser.parseArgument(arguments.emplace_back()) ||
      parser.parseKeyword("in") || parser.parseOperand(rows.emplace_back()) ||
      parser.parseKeyword("axis") || parser.parseInteger(axes.emplace_back()));
}

/// (%k in %K axis 1, …) from (%S = %S0, …) : (row types), (state types) ->
/// (type axis 1, …) { … }
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments, states;
  SmallVector<OpAsmParser::UnresolvedOperand> rows, inits;
  SmallVector<int64_t> rowAxes, resultAxes;
  SmallVector<Type> rowTypes, stateTypes, resultTypes;
  auto parseState = [&]() -> ParseResult {
    return failure(parser.parseArgument(states.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  auto parseResult = [&]() -> ParseResult {
    return failure(parser.parseType(resultTypes.emplace_back()) ||
                   parser.parseKeyword("axis") ||
                   parser.parseInteger(resultAxes.emplace_back()));
  };
  auto parseTypes = [&](SmallVectorImpl<Type> &types) -> ParseResult {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
      return parser.parseType(types.emplace_back());
    });
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] { return parseRow(parser, arguments, rows, rowAxes); }) ||
      parser.parseKeyword("from") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseState) ||
      parser.parseColon() || parseTypes(rowTypes) || parser.parseComma() ||
      parseTypes(stateTypes) || parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseResult) ||
      parser.resolveOperands(rows, rowTypes, loc, result.operands) ||
      parser.resolveOperands(inits, stateTypes, loc, result.operands))
    return failure();
  for (auto [argument, type, axis] :
       llvm::zip_equal(arguments, rowTypes, rowAxes))
    argument.type = withoutAxis(type, axis);
  for (auto [state, type] : llvm::zip_equal(states, stateTypes))
    state.type = type;
  arguments.append(states);
  result.addTypes(resultTypes);
  result.addTypes(stateTypes);
  auto &properties = result.getOrAddProperties<Properties>();
  properties.row_axes = builder.getDenseI64ArrayAttr(rowAxes);
  properties.result_axes = builder.getDenseI64ArrayAttr(resultAxes);
  properties.operandSegmentSizes = {static_cast<int32_t>(rows.size()),
                                    static_cast<int32_t>(inits.size())};
  return failure(parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

void ScanOp::print(OpAsmPrinter &printer) {
  raw_ostream &stream = printer.getStream();
  printer << " (";
  llvm::interleaveComma(llvm::zip(getRowArguments(), getRows(), getRowAxes()),
                        stream, [&](auto row) {
                          printer << std::get<0>(row) << " in "
                                  << std::get<1>(row) << " axis "
                                  << std::get<2>(row);
                        });
  printer << ") from (";
  llvm::interleaveComma(
      llvm::zip(getStates(), getInits()), stream, [&](auto state) {
        printer << std::get<0>(state) << " = " << std::get<1>(state);
      });
  printer << ") : (" << getRows().getTypes() << "), (" << getInits().getTypes()
          << ") -> (";
  llvm::interleaveComma(llvm::zip(getRowResults(), getResultAxes()), stream,
                        [&](auto result) {
                          printer << std::get<0>(result).getType() << " axis "
                                  << std::get<1>(result);
                        });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getRowAxesAttrName(), getResultAxesAttrName(),
                                 getOperandSegmentSizesAttrName()});
}

OperandRange ScanOp::getYieldedRows() {
  return getBody().front().getTerminator()->getOperands().take_front(
      getResultAxes().size());
}

OperandRange ScanOp::getNextStates() {
  return getBody().front().getTerminator()->getOperands().drop_front(
      getResultAxes().size());
}

Attribute ScanOp::getPositions() {
  return getShape(getRows()[0].getType())[getRowAxes()[0]];
}

/// Verifies that the values of one position are those of all positions without
/// the axis of positions, which has the same size everywhere.
static LogicalResult verifyRows(ScanOp op, TypeRange all, TypeRange ofOne,
                                ArrayRef<int64_t> axes, StringRef what) {
  if (all.size() != axes.size() || ofOne.size() != axes.size())
    return op.emitOpError()
           << "must have an axis of positions for each of its " << what;
  for (auto [type, one, axis] : llvm::zip(all, ofOne, axes)) {
    ArrayRef<Attribute> shape = getShape(type);
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return op.emitOpError()
             << "has positions along axis " << axis << " of " << type;
    if (shape[axis] != op.getPositions())
      return op.emitOpError()
             << "runs over " << printAxis(op.getPositions())
             << " positions, but " << type << " has " << printAxis(shape[axis]);
    if (one != withoutAxis(type, axis))
      return op.emitOpError() << "has " << one << " at a position of " << type;
  }
  return success();
}

LogicalResult ScanOp::verify() {
  Block &body = getBody().front();
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("must end with xf.yield");
  size_t states = getInits().size(), results = getResultAxes().size();
  if (getRows().empty() || getRowAxes().empty())
    return emitOpError("must read the rows of a value");
  if (body.getNumArguments() != getRows().size() + states ||
      getNumResults() != results + states ||
      yield.getNumOperands() != results + states)
    return emitOpError("must take the rows and states of a position, and yield "
                       "its results and the next states");
  if (failed(verifyRows(
          *this, getRows().getTypes(),
          TypeRange(body.getArgumentTypes()).take_front(getRows().size()),
          getRowAxes(), "rows")) ||
      failed(verifyRows(*this, getRowResults().getTypes(),
                        getYieldedRows().getTypes(), getResultAxes(),
                        "results")))
    return failure();
  TypeRange types = getInits().getTypes();
  if (types != TypeRange(body.getArgumentTypes()).take_back(states) ||
      types != getNextStates().getTypes() ||
      types != getLastStates().getTypes())
    return emitOpError("must keep the type of a state");
  return success();
}
