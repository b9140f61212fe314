// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a weight comes from and how it lies in the program's file:
// #xf.source<…>, #xf.chain<…>, #xf.panels<…>, #xf.storage<…>.

#include "dialect/Storage.h"
#include "dialect/Labels.h"

#include <mlir/IR/DialectImplementation.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

//===----------------------------------------------------------------------===//
// Source
//===----------------------------------------------------------------------===//

LogicalResult SourceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, Format, TensorsAttr,
                                 std::optional<int64_t> step, ExactAttr) {
  if (name.getValue().empty())
    return emitError() << "a tensor has a name";
  if (step.value_or(0) < 0)
    return emitError() << "steps backwards through its tensor";
  return success();
}

/// "name" (in format)? (each <tensors>)? (step number)? (plus <exact>)?
FailureOr<SourceAttr> SourceAttr::parseBody(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  Format format = Format::F32;
  TensorsAttr tensors;
  std::optional<int64_t> step;
  ExactAttr added;
  if (parser.parseString(&name))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    auto parsed = FieldParser<Format>::parse(parser);
    if (failed(parsed))
      return failure();
    format = *parsed;
  }
  if (succeeded(parser.parseOptionalKeyword("each")) &&
      parser.parseCustomAttributeWithFallback(tensors))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("step")) &&
      parser.parseInteger(step.emplace()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("plus")) &&
      parser.parseCustomAttributeWithFallback(added))
    return failure();
  auto source = getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      StringAttr::get(parser.getContext(), name), format, tensors, step, added);
  if (!source)
    return failure();
  return source;
}

void SourceAttr::printBody(AsmPrinter &printer) const {
  printer << getName();
  if (getFormat() != Format::F32)
    printer << " in " << getFormat();
  if (getTensors()) {
    printer << " each ";
    printer.printStrippedAttrOrType(getTensors());
  }
  if (getStep())
    printer << " step " << *getStep();
  if (getAdded()) {
    printer << " plus ";
    printer.printStrippedAttrOrType(getAdded());
  }
}

Attribute SourceAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SourceAttr> source = parseBody(parser);
  if (failed(source) || parser.parseGreater())
    return {};
  return *source;
}

void SourceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBody(printer);
  printer << '>';
}

/// What stands behind `from`: a source without its angle brackets.
ParseResult xf::parseSource(OpAsmParser &parser, SourceAttr &source) {
  FailureOr<SourceAttr> parsed = SourceAttr::parseBody(parser);
  if (failed(parsed))
    return failure();
  source = *parsed;
  return success();
}

void xf::printSource(OpAsmPrinter &printer, Operation *, SourceAttr source) {
  source.printBody(printer);
}

int64_t TensorsAttr::getCount() const {
  return llvm::product_of(getExtents(), int64_t{1});
}

LogicalResult TensorsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayAttr indices, ArrayRef<int64_t> extents,
                                  int64_t size) {
  if (indices.empty() || indices.size() != extents.size() ||
      !llvm::all_of(indices, llvm::IsaPred<StringAttr>))
    return emitError()
           << "tensors are counted by indices, each with its extent";
  if (size < 1 || llvm::any_of(extents, [](int64_t n) { return n < 1; }))
    return emitError() << "there is at least one tensor, with a number";
  return success();
}

LogicalResult ChainAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayAttr parts, int64_t skipped) {
  if (parts.empty() || !llvm::all_of(parts, llvm::IsaPred<FlatSymbolRefAttr>))
    return emitError() << "a chain has the names of weights";
  if (skipped < 0)
    return emitError() << "a chain skips a natural number of members";
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t interleaved) {
  if (width < 1 || interleaved < 1)
    return emitError() << "panels have columns and interleave rows, at least "
                          "one";
  return success();
}

SmallVector<int64_t> PanelsAttr::getExtents(ArrayRef<Attribute> shape) const {
  int64_t rows = 1;
  for (Attribute axis : shape.drop_back())
    rows *= *getNumber(axis);
  return {getWidth(), rows / getInterleaved(),
          static_cast<int64_t>(
              llvm::divideCeil(*getNumber(shape.back()), getWidth()))};
}

static unsigned bitsOf(Format format) {
  switch (format) {
  case Format::F64:
    return 64;
  case Format::F32:
    return 32;
  case Format::F16:
  case Format::BF16:
    return 16;
  }
  llvm_unreachable("all formats are above");
}

bool xf::isReadByKernels(Format format) {
  return llvm::is_contained({Format::F32, Format::F16, Format::BF16}, format);
}

LogicalResult StorageAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Format format, PanelsAttr panels) {
  if (!isReadByKernels(format))
    return emitError() << "kernels read no " << stringifyFormat(format);
  if (panels && panels.getInterleaved() != 1 &&
      (format != Format::BF16 || panels.getInterleaved() != 2))
    return emitError() << "only rows of bf16 are interleaved, by two";
  return success();
}

int64_t StorageAttr::getNumbers(ArrayRef<Attribute> shape) const {
  int64_t numbers = 1;
  for (Attribute axis : shape)
    numbers *= *getNumber(axis);
  if (!getPanels())
    return numbers;
  int64_t columns = *getNumber(shape.back());
  return numbers / columns * llvm::alignTo(columns, getPanels().getWidth());
}

int64_t StorageAttr::getBytes(ArrayRef<Attribute> shape) const {
  return getNumbers(shape) * bitsOf(getFormat()) / 8;
}

SmallVector<int64_t> StorageAttr::getExtents(ArrayRef<Attribute> shape) const {
  if (getPanels())
    return getPanels().getExtents(shape);
  SmallVector<int64_t> extents;
  for (Attribute axis : llvm::reverse(shape))
    extents.push_back(*getNumber(axis));
  return extents;
}

unsigned StorageAttr::getPlaceBits() const {
  return bitsOf(getFormat()) * (getPanels() ? getPanels().getInterleaved() : 1);
}

bool StorageAttr::isPlaceFloat() const { return getFormat() != Format::BF16; }

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef space, BufferKind, int64_t index) {
  if (space.empty() || index < 0)
    return emitError() << "a buffer has a memory and a natural number";
  return success();
}
