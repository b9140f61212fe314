// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index, rotations and windows: assembly, verifiers and batch
// laws.

#include "dialect/Labels.h"
#include "dialect/Lengths.h"

#include <mlir/IR/DialectImplementation.h>

#include <stdexcept>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// A definition in quotes; null after an error was emitted.
static DefinitionAttr parseQuoted(AsmParser &parser) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return {};
  std::optional<IndexDefinition> value = IndexDefinition::parse(text);
  if (!value) {
    parser.emitError(loc) << "'" << text
                          << "' is not a definition by index; write \"[i, j] = "
                             "j - i\", with %0[…] for an array";
    return {};
  }
  return DefinitionAttr::get(parser.getContext(), *value);
}

Attribute DefinitionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DefinitionAttr definition = parseQuoted(parser);
  if (!definition || parser.parseGreater())
    return {};
  return definition;
}

void DefinitionAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getText() << "\">";
}

ParseResult xf::parseDefinition(OpAsmParser &parser,
                                DefinitionAttr &definition) {
  definition = parseQuoted(parser);
  return success(definition != nullptr);
}

void xf::printDefinition(OpAsmPrinter &printer, Operation *,
                         DefinitionAttr definition) {
  printer << '"' << definition.getText() << '"';
}

ParseResult
xf::parseSameType(OpAsmParser &parser, Type &type,
                  const std::optional<OpAsmParser::UnresolvedOperand> &operand,
                  Type &operandType) {
  RealType real;
  if (parser.parseCustomTypeWithFallback(real))
    return failure();
  type = real;
  if (operand)
    operandType = type;
  return success();
}

void xf::printSameType(OpAsmPrinter &printer, Operation *, Type type, Value,
                       Type) {
  printer.printStrippedAttrOrType(cast<RealType>(type));
}

ParseResult xf::parseSink(OpAsmParser &parser,
                          std::optional<OpAsmParser::UnresolvedOperand> &sink,
                          Type &type) {
  // The parser calls this only after the keyword `sink`, so an operand must
  // follow.
  sink.emplace();
  RealType real;
  if (parser.parseOperand(*sink) || parser.parseColon() ||
      parser.parseCustomTypeWithFallback(real))
    return failure();
  type = real;
  return success();
}

void xf::printSink(OpAsmPrinter &printer, Operation *, Value sink, Type type) {
  printer << sink << " : ";
  printer.printStrippedAttrOrType(cast<RealType>(type));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult TabulateOp::verify() {
  IndexDefinition definition = getDefinition().getValue();
  if (definition.indices.size() != getResult().getType().getRank())
    return emitOpError() << "has " << definition.indices.size()
                         << " indices for a result with "
                         << getResult().getType().getRank() << " axes";
  if (getFirst() && !getPositionAxis())
    return emitOpError("begins at a position but has no axis with a length");
  if (definition.body->boolean)
    return emitOpError("is true or false, not a number");
  std::string problem;
  transfold::walk(*definition.body, [&](const IndexExpr &expr) {
    if (expr.kind != IndexExpr::Kind::Read || !problem.empty())
      return;
    if (expr.array >= static_cast<int>(getArrays().size())) {
      problem = "reads array " + std::to_string(expr.array) + " of " +
                std::to_string(getArrays().size());
      return;
    }
    size_t rank = getShape(getArrays()[expr.array].getType()).size();
    if (rank != expr.operands.size())
      problem = "reads array " + std::to_string(expr.array) + " with " +
                std::to_string(expr.operands.size()) + " indices, it has " +
                std::to_string(rank) + " axes";
  });
  if (!problem.empty())
    return emitOpError(problem);
  return success();
}

std::optional<unsigned> TabulateOp::getPositionAxis() {
  ArrayRef<Attribute> shape = getResult().getType().getShape();
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (!getNumber(shape[axis]))
      return axis;
  return std::nullopt;
}

/// Positions restart in each sequence.
BatchLaw TabulateOp::getBatchLaw() {
  return llvm::any_of(getResult().getType().getShape(),
                      [](Attribute axis) { return !getNumber(axis); })
             ? BatchLaw::Sequences
             : BatchLaw::Rows;
}

LogicalResult LengthOp::verify() {
  ArrayRef<Attribute> shape = getShape(getInput().getType());
  if (getAxis() >= shape.size())
    return emitOpError() << "counts axis " << getAxis() << " of "
                         << shape.size();
  if (getNumber(shape[getAxis()]))
    return emitOpError() << "counts an axis that has "
                         << printAxis(shape[getAxis()])
                         << " positions in every sequence, which is a constant";
  return success();
}

/// The length of one sequence, not of all rows of a batch.
BatchLaw LengthOp::getBatchLaw() { return BatchLaw::Sequences; }

LogicalResult RotateOp::verify() {
  ArrayRef<Attribute> shape = getInput().getType().getShape();
  if (shape.size() < 2)
    return emitOpError("must rotate the rows of a matrix");
  auto columns = getNumber(shape.back());
  if (!columns || *columns % 2)
    return emitOpError() << "must rotate pairs of columns, not "
                         << printAxis(shape.back());
  ArrayRef<Attribute> angles = getCosines().getType().getShape();
  if (angles.size() != 2 || angles[0] != shape[shape.size() - 2] ||
      getNumber(angles[1]) != *columns / 2)
    return emitOpError() << "needs one angle for each row and pair, <"
                         << printAxis(shape[shape.size() - 2]) << ", "
                         << *columns / 2 << ">, not " << getCosines().getType();
  return success();
}

/// The number of windows, (rows + 2 · pad - size) div stride + 1; nullopt if
/// the number of rows is not an expression, or too large.
static std::optional<Dim> windowsOf(UnfoldOp op, int64_t size) {
  auto rows = getDim(op.getInput().getType().getShape()[0]);
  const int64_t stride = op.getStride(), pad = op.getPad();
  if (!rows)
    return std::nullopt;
  try {
    return (*rows + Dim(pad) * Dim(2) - Dim(size)).floorQuotient(stride) +
           Dim(1);
  } catch (const std::overflow_error &) {
    return std::nullopt;
  }
}

LogicalResult UnfoldOp::verify() {
  ArrayRef<Attribute> from = getInput().getType().getShape();
  ArrayRef<Attribute> to = getResult().getType().getShape();
  int64_t stride = getStride(), pad = getPad();
  if (from.empty() || from.size() > 2 || to.size() != from.size() + 1 ||
      from.drop_front() != to.drop_front(2) || !getNumber(to[1]) ||
      stride < 1 || pad < 0)
    return emitOpError("must make [rows, size, columns] from [rows, columns], "
                       "or [rows, size] from [rows]");
  auto rows = getNumber(from[0]);
  if (getReflected() && rows && pad >= *rows)
    return emitOpError() << "of " << *rows << " rows cannot reflect " << pad;
  // The last window must end within the padded rows.
  auto count = windowsOf(*this, *getNumber(to[1]));
  if (!count)
    return emitOpError() << "cannot count the windows of " << printAxis(from[0])
                         << " rows";
  auto number = count->asNumber();
  if (axisOf(getContext(), *count) != to[0] || (number && *number < 1))
    return emitOpError() << "of " << printAxis(from[0]) << " rows are "
                         << count->str() << ", not " << printAxis(to[0]);
  return success();
}

/// Windows read only rows of their own sequence.
BatchLaw UnfoldOp::getBatchLaw() {
  return getNumber(getInput().getType().getShape()[0]) ? BatchLaw::Rows
                                                       : BatchLaw::Sequences;
}

LogicalResult DelayOp::verify() {
  ArrayRef<Attribute> from = getInput().getType().getShape();
  ArrayRef<Attribute> to = getResult().getType().getShape();
  uint64_t axis = getAxis();
  if (axis >= from.size() || static_cast<int64_t>(getBy()) < 1)
    return emitOpError() << "must delay one of " << from.size()
                         << " axes by at least one position";
  auto others = [&](ArrayRef<Attribute> shape) {
    SmallVector<Attribute> rest(shape);
    rest.erase(rest.begin() + axis);
    return rest;
  };
  if (to.size() != from.size() || others(from) != others(to) ||
      (!getFirst() && from[axis] != to[axis]))
    return emitOpError() << "must keep the shape " << getInput().getType()
                         << (getFirst() ? ", except for the delayed axis" : "")
                         << ", not make " << getResult().getType();
  if (getFirst() && (getNumber(from[axis]) || getNumber(to[axis])))
    return emitOpError("from a position must delay an axis with a length");
  return success();
}

/// Rows are read from their own sequence only.
BatchLaw DelayOp::getBatchLaw() {
  return getNumber(getInput().getType().getShape()[getAxis()])
             ? BatchLaw::Rows
             : BatchLaw::Sequences;
}

/// Verifies that the sink is one score per member (head), independent of the
/// row and of the length of the sequence.
static LogicalResult verifySink(SoftmaxOp op) {
  if (!op.getSink())
    return success();
  ArrayRef<Attribute> own = getShape(op.getSink().getType());
  ArrayRef<Attribute> shape = op.getInput().getType().getShape();
  bool isOfMembers =
      own.size() < shape.size() && own == shape.take_front(own.size()) &&
      llvm::all_of(
          own, [](Attribute axis) { return getNumber(axis).has_value(); });
  if (isOfMembers)
    return success();
  return op.emitOpError() << "has a sink of type " << op.getSink().getType()
                          << ", but a sink must have the first axes of "
                          << op.getInput().getType()
                          << ": those of families, without the rows";
}

LogicalResult SoftmaxOp::verify() {
  if (getRounded() && *getRounded() != Format::BF16)
    return emitOpError() << "must round to bf16, not to "
                         << stringifyFormat(*getRounded());
  if (getMask() && getInput().getType().getRank() < 2)
    return emitOpError("a mask needs queries and keys: two axes at least");
  if (Value among = getAmong()) {
    if (getMask())
      return emitOpError("must have a mask or chosen entries, not both");
    if (among.getType() != getInput().getType())
      return emitOpError() << "must choose among the entries of "
                           << getInput().getType() << ", not of "
                           << among.getType();
  }
  return verifySink(*this);
}
