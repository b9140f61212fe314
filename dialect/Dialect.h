// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The xf dialect: types, attributes and operations.

#pragma once

#include "base/exact/ExactScalar.h"
#include "base/exact/IndexExpr.h"
#include "dialect/Enums.h"
#include "dialect/laws/GainLaw.h"
#include "dialect/laws/GaugeLaw.h"
#include "dialect/laws/ShiftLaw.h"

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/Attributes.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/IntegerSet.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Interfaces/CallInterfaces.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/FunctionInterfaces.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/LoopLikeInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "dialect/XfDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/XfTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/XfAttributes.h.inc"

namespace transfold::xf {

/// How an operation runs over several sequences whose rows are concatenated.
enum class BatchLaw {
  Rows,      // each row independently, whichever sequence it belongs to
  Sequences, // each sequence independently
};

/// Elementwise: each element of the result depends on one element of each
/// operand; an operand of lower rank is broadcast along the axes that it lacks.
template <typename Op>
struct Pointwise : mlir::OpTrait::TraitBase<Op, Pointwise> {};

/// Each row (last axis) of the result depends on the whole same row of the
/// first operand: norms, a softmax.
template <typename Op>
struct RowWise : mlir::OpTrait::TraitBase<Op, RowWise> {};

/// Where the first operand is zero, so is the result; for a product, where
/// either operand is zero. 0 · ∞ is not considered.
template <typename Op>
struct ZeroPreserving : mlir::OpTrait::TraitBase<Op, ZeroPreserving> {};

/// Counts through the rows of all sequences: row k of an operand or of the
/// result is not row k of the sequence that a kernel runs for.
template <typename Op>
struct ChosenRows : mlir::OpTrait::TraitBase<Op, ChosenRows> {};

/// The law of most operations: the gauges of the real operands and of the
/// result are equal.
void gaugesAgree(mlir::Operation *op, GaugeLaw &law);

} // namespace transfold::xf

// The generated interfaces and operations use BatchLaw, the traits and
// gaugesAgree, which are therefore declared above.
#include "dialect/XfInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/XfOps.h.inc"

namespace transfold::xf {

/// The axes of a RealType or IntegralType; each is an IntegerAttr, or a
/// StringAttr that names a length.
llvm::ArrayRef<mlir::Attribute> getShape(mlir::Type type);
/// The size of an axis; nullopt for a length.
std::optional<int64_t> getNumber(mlir::Attribute axis);
/// The attribute of an axis of `number` positions.
mlir::Attribute getAxis(mlir::MLIRContext *context, int64_t number);
/// The axis as printed: "n" or "384".
std::string printAxis(mlir::Attribute axis);

} // namespace transfold::xf
