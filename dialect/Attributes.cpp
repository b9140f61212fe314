// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing, printing and verifying #xf.exact<"1/sqrt(32)"> and
// #xf.layout<([384:1], [12:12288, 32:384]) + 64>.

#include "dialect/Dialect.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/MathExtras.h>
#include <mlir/IR/DialectImplementation.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

#include "dialect/XfEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/XfAttributes.cpp.inc"

void XfDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/XfAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Exact
//===----------------------------------------------------------------------===//

ExactAttr ExactAttr::get(MLIRContext *context, const ExactScalar &value) {
  return Base::get(context, value.str());
}

ExactScalar ExactAttr::getValue() const {
  return *ExactScalar::parse(std::string_view(getText()));
}

double ExactAttr::toDouble() const { return getValue().toDouble(); }

/// The text is a quoted string: MLIR's lexer has no tokens for exact scalars.
Attribute ExactAttr::parse(AsmParser &parser, Type) {
  std::string text;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<ExactScalar> value = ExactScalar::parse(text);
  if (!value) {
    parser.emitError(loc)
        << "'" << text
        << "' is not an exact scalar; write 8, 11/50, 1/sqrt(32)";
    return {};
  }
  return ExactAttr::get(parser.getContext(), *value);
}

void ExactAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getText() << "\">";
}

//===----------------------------------------------------------------------===//
// Definitions by index; their assembly is in Positions.cpp
//===----------------------------------------------------------------------===//

DefinitionAttr DefinitionAttr::get(MLIRContext *context,
                                   const IndexDefinition &value) {
  return Base::get(context, value.str());
}

IndexDefinition DefinitionAttr::getValue() const {
  return *IndexDefinition::parse(std::string_view(getText()));
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Whether the element count of a layout and the offset of its last element fit
/// in 64 bits. Sizes are at least 1.
static bool isCountable(int64_t offset, ArrayRef<int64_t> sizes,
                        ArrayRef<int64_t> strides) {
  int64_t numbers = 1, last = offset;
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    int64_t way = 0;
    if (llvm::MulOverflow(numbers, size, numbers) ||
        llvm::MulOverflow(size - 1, stride, way) ||
        llvm::AddOverflow(last, way, last))
      return false;
  }
  return true;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t offset, ArrayRef<int64_t> factorCounts,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides) {
  if (sizes.size() != strides.size())
    return emitError() << "a layout must have one stride for each size";
  int64_t factors = 0;
  for (int64_t count : factorCounts)
    factors += count;
  if (factors != static_cast<int64_t>(sizes.size()))
    return emitError() << "the axes of a layout have " << factors
                       << " factors in total, found " << sizes.size();
  if (offset < 0)
    return emitError() << "the offset of a layout must not be negative, found "
                       << offset;
  for (int64_t size : sizes)
    if (size < 1)
      return emitError() << "a factor of a layout must be at least 1, found "
                         << size;
  for (int64_t stride : strides)
    if (stride < 0)
      return emitError() << "a stride of a layout must not be negative, found "
                         << stride;
  if (!isCountable(offset, sizes, strides))
    return emitError() << "a layout has more elements than 64 bits can count";
  return success();
}

int64_t LayoutAttr::getExtent(unsigned axis) const {
  int64_t first = 0, extent = 1;
  for (unsigned k = 0; k < axis; ++k)
    first += getFactorCounts()[k];
  for (int64_t k = 0; k < getFactorCounts()[axis]; ++k)
    extent *= getSizes()[first + k];
  return extent;
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t offset = 0;
  SmallVector<int64_t> counts, sizes, strides;
  auto parseFactor = [&]() -> ParseResult {
    return failure(parser.parseInteger(sizes.emplace_back()) ||
                   parser.parseColon() ||
                   parser.parseInteger(strides.emplace_back()));
  };
  auto parseAxis = [&]() -> ParseResult {
    size_t before = sizes.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseFactor))
      return failure();
    counts.push_back(sizes.size() - before);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis))
    return {};
  if (succeeded(parser.parseOptionalPlus()) && parser.parseInteger(offset))
    return {};
  if (parser.parseGreater())
    return {};
  return LayoutAttr::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), offset, counts, sizes,
                                strides);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<(";
  unsigned factor = 0;
  llvm::interleaveComma(getFactorCounts(), printer.getStream(),
                        [&](int64_t count) {
                          printer << '[';
                          for (int64_t k = 0; k < count; ++k, ++factor)
                            printer << (k ? ", " : "") << getSizes()[factor]
                                    << ':' << getStrides()[factor];
                          printer << ']';
                        });
  printer << ')';
  if (getOffset())
    printer << " + " << getOffset();
  printer << '>';
}
