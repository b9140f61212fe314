// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage of the values that a kernel reads and writes: attributes of its
// arguments and of its result.

#pragma once

#include "compiler/kernels/schedule/choose/Target.h"
#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::kernels {

/// Number of columns of a panel: the tiles of every machine divide it, so that
/// all variants of a kernel read the same weights.
constexpr int64_t panelWidth = 32;

/// The launches of a kernel; nullopt if anything else uses it, too.
std::optional<llvm::SmallVector<xf::LaunchOp>> launchesOf(xf::KernelOp kernel);

/// Splits each kernel whose launches pass weights in several formats into
/// several kernels. Returns the number of kernels added.
unsigned splitByFormats(mlir::ModuleOp module);
/// Sets the storage of weights that are read in the format of the checkpoint.
void keepFormats(xf::KernelOp kernel);
/// Sets the storage of results whose values kernels round, and with `inCaches`
/// that of caches. Returns the number of kernels that store fewer bytes.
unsigned storeRounded(mlir::ModuleOp module, bool inCaches);
/// Sets the storage of arguments that read such values, after `splitByFormats`.
void readRounded(mlir::ModuleOp module);
/// Sets the storage of matrices of weights to panels, after `keepFormats`, for
/// processors or for a device.
void packMatrices(xf::KernelOp kernel, const Machine &machine);

/// Makes kernels read a table that is also the output head from the panels of
/// the head, and a table in blocks from panels, too. Returns the number of such
/// tables.
unsigned shareTables(mlir::ModuleOp module);

/// Number of positions that a product sums over; 0 for a length.
int64_t summedSize(xf::ContractOp product);
/// Whether the matrix of a product is packed in panels.
bool isPacked(xf::KernelOp kernel, xf::ContractOp product);
/// The format of a product's matrix if it is in blocks; else nullopt.
std::optional<xf::Format> blocksOf(xf::KernelOp kernel, xf::ContractOp product);
/// Bytes of a value of a product's matrix that is packed and not in blocks.
int64_t bytesOfNumber(xf::KernelOp kernel, xf::ContractOp product);
/// Number of rows of a product's matrix that are interleaved.
int64_t interleavedRows(xf::KernelOp kernel, xf::ContractOp product);
/// Whether a product sums over single values of its matrix: over an axis of
/// known size, neither in pairs nor in blocks.
bool sumsSingleNumbers(xf::KernelOp kernel, xf::ContractOp product);
/// Whether both products of an attention multiply bfloat16 values.
bool attendsInPairs(xf::KernelOp kernel);
/// Whether the operand that a kernel multiplies with pairs of bfloat16 is
/// rounded to bfloat16.
bool multipliesPairs(xf::KernelOp kernel);
/// Whether the operand that a kernel multiplies with a matrix in blocks is
/// rounded to integers.
bool multipliesIntegers(xf::KernelOp kernel);
/// Whether a kernel multiplies rows of such integers with columns of codes that
/// the machine's matrix instructions take: signed 8-bit integers for matrix
/// registers, all codes without a bias for instructions on pairs of rows.
bool multipliesTiles(xf::KernelOp kernel, const Machine &machine);

} // namespace transfold::kernels
