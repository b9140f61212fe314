// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of a spec as locations of operations.
//
// An operation of an inlined block is at a call site location: where its own
// equation is written, and the calls that led there, the innermost first. An
// operation that stands for several others has a fused location of theirs:
// columns of one matrix that were several, or a kernel that several launches
// share. So every operation of every stage leads back to equations, and passes
// only have to pass locations on.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/Location.h>

namespace transfold::xf {

/// Where the equation of an operation is written: the innermost place of its
/// first location. Null if it is not in a file.
mlir::FileLineColLoc placeOf(mlir::Location location);

/// The same as a location, which is equal for all calls of one equation;
/// unknown if it is not in a file.
mlir::Location writtenAt(mlir::Location location);

/// A place and the calls that led there, the innermost first.
using PlaceChain = llvm::SmallVector<mlir::FileLineColLoc>;

/// All chains of a location, without repetitions.
llvm::SmallVector<PlaceChain> chainsOf(mlir::Location location);

/// Adds the equations of `other` to those of `op`.
void addPlaces(mlir::Operation *op, mlir::Location other);

} // namespace transfold::xf
