// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the file that a program maps its weights from.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
}
namespace transfold {
class OutputFile;
}

namespace transfold::weights {

/// The modules of a program, one for each of its targets; they share a file.
using Modules = llvm::ArrayRef<mlir::ModuleOp>;

/// The weights that the program reads, each once, in the order of their places;
/// other stored weights only serve to compute these.
llvm::SmallVector<xf::StoredOp> placed(Modules modules);

/// The size of the payload: the end of the last weight.
int64_t payloadBytes(Modules modules);

/// A hash of the code that packs and writes weights: part of every `hash`
/// below.
const char *sourcesHash();

/// Whether `path` contains what `writeWeights` would write, verified by
/// checksums.
bool isWritten(Modules modules, const std::string &path,
               const std::string &hash);
/// The same without verifying the contents.
bool isStillWritten(Modules modules, const std::string &path,
                    const std::string &hash);

/// Writes header, payload and checksums to `file` (see
/// runtime/weights/WeightsFormat.h), packed by `threads` threads in
/// blocks of a few MiB. `hash` has 16 characters. `progress` is called with the
/// bytes written so far. Returns the tensors that have blocks whose scale is
/// infinite or NaN (Pack.h). Throws std::runtime_error with path and cause.
std::vector<std::string>
writeWeights(Modules modules, const checkpoint::Checkpoint &checkpoint,
             OutputFile &file, const std::string &hash, unsigned threads,
             const std::function<void(int64_t)> &progress);

/// The same at the end of an executable.
std::vector<std::string>
appendWeights(Modules modules, const checkpoint::Checkpoint &checkpoint,
              OutputFile &executable, const std::string &hash, unsigned threads,
              const std::function<void(int64_t)> &progress);

} // namespace transfold::weights
