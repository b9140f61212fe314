// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types !xf.real<n, 384> and !xf.integer<n>.

#include "dialect/Lengths.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/MathExtras.h>
#include <mlir/IR/DialectImplementation.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

#define GET_TYPEDEF_CLASSES
#include "dialect/XfTypes.cpp.inc"

void XfDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/XfTypes.cpp.inc"
      >();
}

ArrayRef<Attribute> xf::getShape(Type type) {
  if (auto real = dyn_cast<RealType>(type))
    return real.getShape();
  return cast<IntegralType>(type).getShape();
}

std::optional<int64_t> xf::getNumber(Attribute axis) {
  if (auto number = dyn_cast<IntegerAttr>(axis))
    return number.getInt();
  return std::nullopt;
}

Attribute xf::getAxis(MLIRContext *context, int64_t number) {
  return IntegerAttr::get(mlir::IntegerType::get(context, 64), number);
}

std::string xf::printAxis(Attribute axis) {
  if (auto number = getNumber(axis))
    return std::to_string(*number);
  return cast<StringAttr>(axis).getValue().str();
}

/// Emits an error unless each axis is a 64-bit integer of at least 1 or the
/// name of a length, which may be an expression of other lengths, and the
/// product of the fixed sizes fits in 64 bits. Passes multiply sizes without a
/// check of their own.
static LogicalResult verifyShape(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Attribute> shape) {
  int64_t entries = 1;
  for (Attribute axis : shape) {
    if (auto number = dyn_cast<IntegerAttr>(axis)) {
      if (!number.getType().isSignlessInteger(64) || number.getInt() < 1)
        return emitError()
               << "the size of an axis must be above 0 and fit 64 bits, found "
               << axis;
      if (llvm::MulOverflow(entries, number.getInt(), entries))
        return emitError()
               << "a value has more elements than 64 bits can count";
    } else if (!isa<StringAttr>(axis)) {
      return emitError()
             << "an axis must be a number or the name of a length, found "
             << axis;
    } else if (isDerived(axis)) {
      // Equal lengths must have equal names.
      auto size = getDim(axis);
      if (!size || axisOf(axis.getContext(), *size) != axis)
        return emitError()
               << "a length that is computed from others must be a sum of "
                  "products and quotients in normal form"
               << (size ? ", " + size->str() : "") << ", found " << axis;
    }
  }
  return success();
}

/// `<` (axis (`,` axis)*)? `>` with axis = natural number | identifier.
static FailureOr<SmallVector<Attribute>> parseShape(AsmParser &parser) {
  SmallVector<Attribute> shape;
  auto parseAxis = [&]() -> ParseResult {
    int64_t number;
    OptionalParseResult found = parser.parseOptionalInteger(number);
    if (found.has_value()) {
      if (failed(*found))
        return failure();
      shape.push_back(getAxis(parser.getContext(), number));
      return success();
    }
    std::string length;
    if (parser.parseKeywordOrString(&length))
      return failure();
    shape.push_back(StringAttr::get(parser.getContext(), length));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseAxis))
    return failure();
  return shape;
}

/// Prints what `parseShape` accepts; a length whose name is not a keyword is
/// quoted.
static void printShape(AsmPrinter &printer, ArrayRef<Attribute> shape) {
  printer << '<';
  llvm::interleaveComma(shape, printer.getStream(), [&](Attribute axis) {
    if (auto number = getNumber(axis))
      printer << *number;
    else
      printer.printKeywordOrString(cast<StringAttr>(axis).getValue());
  });
  printer << '>';
}

LogicalResult RealType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Attribute> shape) {
  return verifyShape(emitError, shape);
}

LogicalResult IntegralType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<Attribute> shape) {
  return verifyShape(emitError, shape);
}

/// Parses the shape of a type and verifies it.
template <typename Shaped> static Type parseShaped(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  auto shape = parseShape(parser);
  if (failed(shape))
    return {};
  return Shaped::getChecked([&] { return parser.emitError(loc); },
                            parser.getContext(), *shape);
}

Type RealType::parse(AsmParser &parser) {
  return parseShaped<RealType>(parser);
}

Type IntegralType::parse(AsmParser &parser) {
  return parseShaped<IntegralType>(parser);
}

void RealType::print(AsmPrinter &printer) const {
  printShape(printer, getShape());
}

void IntegralType::print(AsmPrinter &printer) const {
  printShape(printer, getShape());
}
