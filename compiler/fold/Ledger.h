// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ledger: where every constant of the equations was folded into. It is part
// of the module, as xf.folded and xf.moved operations, from which it is
// printed.

#pragma once

#include "compiler/fold/solve/Solve.h"

#include <nlohmann/json.hpp>

namespace transfold::fold {

/// Appends the ledger of a solution to the module. Of the constants that stay,
/// those in `far` stay because float32 cannot represent them elsewhere.
void writeLedger(mlir::ModuleOp module, const Problem &problem,
                 const Solution &solution, const llvm::StringSet<> &keep,
                 const llvm::StringSet<> &far);

/// The ledger as JSON, according to docs/ledger.schema.json.
nlohmann::ordered_json ledgerJson(mlir::ModuleOp module);
/// One line of it, xf.folded or xf.moved.
nlohmann::ordered_json ledgerJson(mlir::Operation *line);

/// The ledger as a table of at most `width` columns.
std::string ledgerTable(mlir::ModuleOp module, unsigned width = 80);

/// A line of the ledger, xf.folded or xf.moved, in one line of text:
/// "'√d' = 6*sqrt(2); PE ^-1 (1/2 ulp)".
std::string ledgerLine(mlir::Operation *line);

/// Describes one constant in prose; empty if no constant is written as
/// `written`.
std::string explain(mlir::ModuleOp module, llvm::StringRef written);

} // namespace transfold::fold
