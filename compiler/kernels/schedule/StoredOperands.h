// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How what a kernel reads and writes is stored: attributes of its arguments and
// of its result.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_STOREDOPERANDS_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_STOREDOPERANDS_H

#include "compiler/kernels/schedule/Target.h"
#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::kernels {

/// Columns of a panel: tiles of every machine divide it, so that all variants
/// of a kernel read the same weights.
constexpr int64_t panelWidth = 32;

/// The launches of a kernel; none where something else uses it, too.
std::optional<llvm::SmallVector<xf::LaunchOp>> launchesOf(xf::KernelOp kernel);

/// Makes several kernels of one whose launches pass weights in several formats.
/// Returns how many it added.
unsigned splitByFormats(mlir::ModuleOp module);
/// Sets the storage of weights that are read in the format that the checkpoint
/// has.
void keepFormats(xf::KernelOp kernel);
/// Sets the storage of results and caches whose numbers kernels round. Returns
/// how many kernels write fewer bytes.
unsigned storeRounded(mlir::ModuleOp module);
/// Sets the storage of arguments that are such, after `splitByFormats`.
void readRounded(mlir::ModuleOp module);
/// Sets the storage of matrices of weights to panels, after `keepFormats`.
void packMatrices(xf::KernelOp kernel, bool isForGpu);

/// A table that is also a head is read from the panels of the head; one in
/// blocks lies in panels, too. Returns how many tables are.
unsigned shareTables(mlir::ModuleOp module);

/// Positions that a product sums over; 0 for a length.
int64_t summedSize(xf::ContractOp product);
/// Whether a product's matrix comes in panels.
bool isPacked(xf::KernelOp kernel, xf::ContractOp product);
/// The format of a product's matrix that is in blocks; else none.
std::optional<xf::Format> blocksOf(xf::KernelOp kernel, xf::ContractOp product);
/// Bytes of a number of a product's matrix that is packed and not in blocks.
int64_t bytesOfNumber(xf::KernelOp kernel, xf::ContractOp product);
/// Rows of a product's matrix that lie side by side.
int64_t interleavedRows(xf::KernelOp kernel, xf::ContractOp product);
/// Whether a product sums over single numbers of its matrix: it is a number of
/// them, and they lie neither in pairs nor in blocks.
bool sumsSingleNumbers(xf::KernelOp kernel, xf::ContractOp product);
/// Whether both products of an attention are of bfloat16.
bool attendsInPairs(xf::KernelOp kernel);
/// Whether what a kernel multiplies with pairs of bfloat16 is rounded to that.
bool multipliesPairs(xf::KernelOp kernel);
/// Whether what a kernel multiplies with a matrix in blocks is rounded to
/// integers.
bool multipliesIntegers(xf::KernelOp kernel);
/// Whether a kernel multiplies rows of such integers with columns of codes that
/// the machine's instructions for matrices take: integers of 8 bits with a sign
/// those of registers for them, all without a bias those for pairs of rows.
bool multipliesTiles(xf::KernelOp kernel, const Machine &machine);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_STOREDOPERANDS_H
