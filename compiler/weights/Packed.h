// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights as a program reads them.

#ifndef TRANSFOLD_COMPILER_WEIGHTS_PACKED_H
#define TRANSFOLD_COMPILER_WEIGHTS_PACKED_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
}
namespace transfold::runtime {
class OutputFile;
}

namespace transfold::weights {

/// Members of a stored weight: the product of its extents.
int64_t members(xf::StoredOp stored);

/// Weights that the program reads, in the order of their places; others are
/// there because these are computed from them.
llvm::SmallVector<xf::StoredOp> placed(mlir::ModuleOp module);

/// Numbers of one member as the program reads it, with those that fill panels.
int64_t packedNumbers(xf::StoredOp stored);
/// Bytes of one member as the program reads it, without padding behind it.
int64_t packedBytes(xf::StoredOp stored);

/// One member as the program reads it: in its packing and storage. Throws
/// reference::InterpreterError.
std::vector<std::byte> pack(xf::StoredOp stored, int64_t member,
                            const checkpoint::Checkpoint &checkpoint);

/// Size of the payload: the end of the last weight.
int64_t payloadBytes(mlir::ModuleOp module);

/// Changes with the code that packs and writes: part of every `hash` below.
const char *sourcesHash();

/// `path` is what `writeWeights` would write, number by number.
bool isWritten(mlir::ModuleOp module, const std::string &path,
               const std::string &hash);
/// The same without another look at the numbers.
bool isStillWritten(mlir::ModuleOp module, const std::string &path,
                    const std::string &hash);

/// Writes header, payload and checksums to `file` (see
/// runtime/files/WeightsFormat.h), one tensor at a time. `hash` has 16
/// characters. `progress` is told the bytes written so far. Throws
/// std::runtime_error with path and cause.
void writeWeights(mlir::ModuleOp module,
                  const checkpoint::Checkpoint &checkpoint,
                  runtime::OutputFile &file, const std::string &hash,
                  const std::function<void(int64_t)> &progress);

/// The same at the end of an executable.
void appendWeights(mlir::ModuleOp module,
                   const checkpoint::Checkpoint &checkpoint,
                   runtime::OutputFile &executable, const std::string &hash,
                   const std::function<void(int64_t)> &progress);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_PACKED_H
