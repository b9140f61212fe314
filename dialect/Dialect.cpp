// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialect, and the verifier of the attributes that
// arguments and results of entries and kernels carry. Any such attribute whose
// name begins with "xf." and is not listed here is an error, so a misspelled
// name does not stay unnoticed.

#include "dialect/Dialect.h"
#include "dialect/weights/Storage.h"

#include <llvm/ADT/StringSwitch.h>

using namespace mlir;
using namespace transfold::xf;

#include "dialect/XfDialect.cpp.inc"

void XfDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/XfOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

/// Whether an argument may have the attribute; nullopt if the name is unknown.
static std::optional<bool> isArgumentAttribute(StringRef name,
                                               Attribute value) {
  return llvm::StringSwitch<std::optional<bool>>(name)
      // Names in the equations and for callers.
      .Cases({"xf.name", "xf.external"}, isa<StringAttr>(value))
      // Exclusive upper bound of integer arguments; default if none is passed.
      .Cases({"xf.bound", "xf.default"}, isa<IntegerAttr>(value))
      // Each row depends only on rows up to itself.
      .Case("xf.causal", isa<UnitAttr>(value))
      // Of steps: the position of the first row, or the rows whose results are
      // requested, along a length.
      .Cases({"xf.first_of", "xf.wanted_of"}, isa<StringAttr>(value))
      // Of kernels: the memory layout of the argument, a weight in the
      // program's file.
      .Case("xf.storage", isa<transfold::xf::StorageAttr>(value))
      .Default(std::nullopt);
}

/// Whether a result may have the attribute; nullopt if the name is unknown.
static std::optional<bool> isResultAttribute(StringRef name, Attribute value) {
  return llvm::StringSwitch<std::optional<bool>>(name)
      .Cases({"xf.name", "xf.external"}, isa<StringAttr>(value))
      // Computed only if the caller requests it.
      .Case("xf.on_request", isa<UnitAttr>(value))
      // Of kernels: the memory layout of the result.
      .Case("xf.storage", isa<transfold::xf::StorageAttr>(value))
      .Default(std::nullopt);
}

/// Emits an error at `op` unless `isFit` returns true for the name and the
/// value of an attribute: nullopt means that `what`, "arguments" or "results",
/// have no attribute of that name, false that its value has the wrong kind.
static LogicalResult
checkAttribute(Operation *op, StringRef what, NamedAttribute attribute,
               std::optional<bool> (*isFit)(StringRef, Attribute)) {
  std::optional<bool> fits = isFit(attribute.getName(), attribute.getValue());
  if (!fits)
    return op->emitOpError()
           << what << " have no attribute " << attribute.getName();
  if (!*fits)
    return op->emitOpError() << "attribute " << attribute.getName() << " of "
                             << what << " cannot be " << attribute.getValue();
  return success();
}

/// Whether the layout consists of single elements, row by row.
static bool liesInRows(StorageAttr storage) {
  return !storage.getPanels() && !isInBlocks(storage.getFormat());
}

LogicalResult XfDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned number,
                                                  NamedAttribute attribute) {
  if (failed(checkAttribute(op, "arguments", attribute, isArgumentAttribute)))
    return failure();
  auto storage = dyn_cast<StorageAttr>(attribute.getValue());
  if (!storage)
    return success();
  auto type = dyn_cast<RealType>(
      cast<FunctionOpInterface>(op).getArgumentTypes()[number]);
  // A dimension that is known only when the program runs fits rows of single
  // elements, whose address is a multiple of the row. The padding of panels and
  // the number of whole blocks must be known when weights are placed.
  if (!type ||
      (!liesInRows(storage) && !llvm::all_of(type.getShape(), getNumber)))
    return op->emitOpError()
           << "argument " << number << " is not a weight: it has a length";
  if (PanelsAttr panels = storage.getPanels()) {
    if (type.getRank() < 2)
      return op->emitOpError() << "argument " << number
                               << " is not a matrix and cannot lie in panels";
    // Blocks run along the rows of a panel's columns, and a block must not be
    // cut between two columns.
    int64_t rows = panels.getExtents(type.getShape())[1];
    if (rows % blockSizeOf(storage.getFormat()).numbers)
      return op->emitOpError() << "argument " << number << " has " << rows
                               << " rows, which are not whole blocks of "
                               << stringifyFormat(storage.getFormat());
    if (panels.getInterleaved() > 1 && rows % PanelsAttr::distance)
      return op->emitOpError()
             << "argument " << number
             << " has rows that cannot all be interleaved in pairs";
  }
  return success();
}

LogicalResult XfDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attribute) {
  if (failed(checkAttribute(op, "results", attribute, isResultAttribute)))
    return failure();
  auto storage = dyn_cast<StorageAttr>(attribute.getValue());
  if (storage && !liesInRows(storage))
    return op->emitOpError("results must be rows of single elements");
  return success();
}
