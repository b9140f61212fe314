// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that a program maps its weights from.

#ifndef TRANSFOLD_COMPILER_WEIGHTS_WRITEWEIGHTS_H
#define TRANSFOLD_COMPILER_WEIGHTS_WRITEWEIGHTS_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

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

/// The modules of a program, one for each of its targets; they share a file.
using Modules = llvm::ArrayRef<mlir::ModuleOp>;

/// Weights that the program reads, each once, in the order of their places;
/// others are there because these are computed from them.
llvm::SmallVector<xf::StoredOp> placed(Modules modules);

/// Size of the payload: the end of the last weight.
int64_t payloadBytes(Modules modules);

/// Changes with the code that packs and writes: part of every `hash` below.
const char *sourcesHash();

/// `path` is what `writeWeights` would write, number by number.
bool isWritten(Modules modules, const std::string &path,
               const std::string &hash);
/// The same without another look at the numbers.
bool isStillWritten(Modules modules, const std::string &path,
                    const std::string &hash);

/// Writes header, payload and checksums to `file` (see
/// runtime/files/WeightsFormat.h), packed by `threads` threads in blocks of a
/// few MiB. `hash` has 16 characters. `progress` is told the bytes written so
/// far. Returns which tensors have blocks whose scale is infinite or no number
/// (Pack.h). Throws std::runtime_error with path and cause.
std::vector<std::string>
writeWeights(Modules modules, const checkpoint::Checkpoint &checkpoint,
             runtime::OutputFile &file, const std::string &hash,
             unsigned threads, const std::function<void(int64_t)> &progress);

/// The same at the end of an executable.
std::vector<std::string>
appendWeights(Modules modules, const checkpoint::Checkpoint &checkpoint,
              runtime::OutputFile &executable, const std::string &hash,
              unsigned threads, const std::function<void(int64_t)> &progress);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_WRITEWEIGHTS_H
