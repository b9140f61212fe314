// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a weight comes from and how it is stored in the program's file:
// #xf.source<…>, #xf.chain<…>, #xf.panels<…>, #xf.storage<…>.

#include "dialect/weights/Storage.h"
#include "base/numeric/BlockFormat.h"
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
    return emitError() << "a tensor must have a name";
  if (step.value_or(0) < 0)
    return emitError() << "the step through a tensor must not be negative";
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

/// The operand of `from`: a source without its angle brackets.
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
           << "tensors must be numbered by indices, with one extent for each";
  if (size < 1 || llvm::any_of(extents, [](int64_t n) { return n < 1; }))
    return emitError() << "tensors must have at least one element, and each "
                          "index at least one value";
  return success();
}

LogicalResult ChainAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayAttr parts, int64_t skipped) {
  if (parts.empty() || !llvm::all_of(parts, llvm::IsaPred<FlatSymbolRefAttr>))
    return emitError() << "a chain must consist of names of weights";
  if (skipped < 0)
    return emitError()
           << "the number of skipped members of a chain must not be negative";
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t interleaved) {
  if (width < 1 || interleaved < 1)
    return emitError() << "panels must have at least one column and interleave "
                          "at least one row";
  return success();
}

SmallVector<int64_t> PanelsAttr::getExtents(ArrayRef<Attribute> shape) const {
  // The members of a family follow one another as further rows.
  int64_t rows = 1;
  for (Attribute axis : shape.drop_back())
    rows *= *getNumber(axis);
  return {getWidth(), rows / getInterleaved(),
          static_cast<int64_t>(
              llvm::divideCeil(*getNumber(shape.back()), getWidth()))};
}

const BlockFormat *xf::blockFormatOf(Format format) {
  StringRef name = stringifyFormat(format);
  return findBlockFormat({name.data(), name.size()});
}

Format xf::heldIn(Format format) {
  switch (format) {
  case Format::TQ1_0:
  case Format::TQ2_0:
    return Format::F16; // the values are -d, 0 or d with a float16 d
  case Format::IQ1_S:
  case Format::IQ1_M:
  case Format::IQ2_XXS:
  case Format::IQ2_XS:
  case Format::IQ2_S:
  case Format::IQ3_XXS:
  case Format::IQ3_S:
    return Format::F32;
  default:
    return format;
  }
}

BlockSize xf::blockSizeOf(Format format) {
  format = heldIn(format);
  switch (format) {
  case Format::F64:
    return {1, 8};
  case Format::F32:
    return {1, 4};
  case Format::F16:
  case Format::BF16:
  case Format::Int16_Scaled:
    return {1, 2};
  case Format::Int8_Scaled:
    return {1, 1};
  default:
    const BlockFormat *blocks = blockFormatOf(format);
    return {blocks->numbers, blocks->bytes};
  }
}

bool xf::isInBlocks(Format format) { return blockSizeOf(format).numbers > 1; }

bool xf::isReadByKernels(Format format) {
  return format != Format::F64 && format != Format::Int8_Scaled &&
         format != Format::Int16_Scaled && heldIn(format) == format;
}

bool xf::canBeRoundedTo(Format format) {
  const BlockFormat *blocks = blockFormatOf(format);
  return blocks ? isWritten(*blocks)
                : format == Format::BF16 || format == Format::F16;
}

bool xf::hasWholeBlocks(StoredOp stored) {
  const unsigned rank = stored.getLayout().getRank();
  auto format = stored.getExactFormat();
  return rank >= 2 && format &&
         hasWholeBlocks(stored, rank - 2, blockSizeOf(*format).numbers);
}

bool xf::hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers) {
  return hasWholeBlocks(stored, axis, numbers,
                        stored.getRounded() ? stored.getApart().value_or(1)
                                            : 1);
}

bool xf::hasWholeBlocks(StoredOp stored, unsigned axis, int64_t numbers,
                        int64_t apart) {
  SourceAttr source = stored.getSource().value_or(SourceAttr());
  LayoutAttr layout = stored.getLayout();
  if (!source || source.getTensors())
    return false;
  // The factors of an axis follow those of the axes before it.
  ArrayRef<int64_t> counts = layout.getFactorCounts();
  size_t end = 0;
  for (int64_t count : counts.take_front(axis + 1))
    end += count;
  const size_t begin = end - counts[axis];
  // The fastest factors of the axis that are contiguous (at stride `apart`) act
  // as one factor.
  int64_t dense = apart;
  size_t first = end;
  ArrayRef<int64_t> sizes = layout.getSizes(), strides = layout.getStrides();
  while (first > begin &&
         (sizes[first - 1] == 1 || strides[first - 1] == dense))
    dense *= sizes[--first];
  // All other factors must step over whole blocks, or within one group of
  // `apart` interleaved blocks.
  const int64_t whole = numbers * apart;
  int64_t between = layout.getOffset() % whole;
  // The axis must contain whole blocks, and each member must begin with a
  // block.
  if (dense % whole || source.getStep().value_or(0) % whole)
    return false;
  for (size_t i = 0; i < strides.size(); ++i)
    if ((i < first || i >= end) && sizes[i] > 1 && strides[i] % whole)
      // The largest offset, within a block, that the other axes can reach. If
      // it is below `apart`, it stays among the first elements of `apart`
      // interleaved blocks, and no block begins in the middle.
      between += strides[i] * (sizes[i] - 1);
  return between < apart;
}

BlockPlaces xf::blockPlacesOf(StoredOp stored) {
  return {blockSizeOf(*stored.getRounded()).numbers,
          static_cast<int64_t>(stored.getApart().value_or(1))};
}

LogicalResult StorageAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Format format, PanelsAttr panels) {
  if (!isReadByKernels(format))
    return emitError() << "kernels cannot read " << stringifyFormat(format);
  if (isInBlocks(format) && (!panels || panels.getWidth() != blockPanelWidth))
    return emitError() << stringifyFormat(format) << " must lie in panels of "
                       << blockPanelWidth;
  if (panels && panels.getInterleaved() != 1 &&
      (format != Format::BF16 || panels.getInterleaved() != 2))
    return emitError()
           << "only rows of bf16 can be interleaved, and only in pairs";
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
  auto [numbers, bytes] = blockSizeOf(getFormat());
  return getNumbers(shape) / numbers * bytes;
}

SmallVector<int64_t> StorageAttr::getExtents(ArrayRef<Attribute> shape) const {
  if (isInBlocks(getFormat())) {
    auto [numbers, bytes] = blockSizeOf(getFormat());
    SmallVector<int64_t> extents = getPanels().getExtents(shape);
    // The blocks of the 32 columns of a panel lie together; a panel's row is
    // the words of one block of each column.
    return {bytes * blockPanelWidth / wordBytes, extents[1] / numbers,
            extents[2]};
  }
  if (getPanels())
    return getPanels().getExtents(shape);
  SmallVector<int64_t> extents;
  for (Attribute axis : llvm::reverse(shape))
    extents.push_back(*getNumber(axis));
  return extents;
}

unsigned StorageAttr::getPlaceBits() const {
  if (isInBlocks(getFormat()))
    return wordBytes * 8;
  return blockSizeOf(getFormat()).bytes * 8 *
         (getPanels() ? getPanels().getInterleaved() : 1);
}

bool StorageAttr::isPlaceFloat() const {
  return getFormat() != Format::BF16 && !isInBlocks(getFormat());
}

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef space, BufferKind, int64_t index) {
  if (space.empty() || index < 0)
    return emitError()
           << "a buffer must have a memory and an index that is not negative";
  return success();
}
