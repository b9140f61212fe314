// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where every constant of the equations went. The ledger is part of the module,
// as xf.folded operations: what prints it reads them.

#ifndef TRANSFOLD_COMPILER_FOLD_LEDGER_H
#define TRANSFOLD_COMPILER_FOLD_LEDGER_H

#include "compiler/fold/Solve.h"

#include <nlohmann/json.hpp>

namespace transfold::fold {

/// Writes the ledger of a solution to the end of the module. Of the constants
/// that stay, those in `far` do because float32 has no room for them elsewhere.
void writeLedger(mlir::ModuleOp module, const Problem &problem,
                 const Solution &solution, const llvm::StringSet<> &keep,
                 const llvm::StringSet<> &far);

/// As docs/ledger.schema.json says.
nlohmann::ordered_json ledgerJson(mlir::ModuleOp module);

/// As a table of at most `width` columns.
std::string ledgerTable(mlir::ModuleOp module, unsigned width = 80);

/// One constant's story; empty where none is written like that.
std::string explain(mlir::ModuleOp module, llvm::StringRef written);

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_LEDGER_H
