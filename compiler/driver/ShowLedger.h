// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold ledger and transfold explain: show where the constants of a model
// went.

#ifndef TRANSFOLD_COMPILER_DRIVER_SHOWLEDGER_H
#define TRANSFOLD_COMPILER_DRIVER_SHOWLEDGER_H

#include "compiler/driver/Pipeline.h"

#include <string>

namespace transfold::driver {

/// The options of both commands.
struct LedgerOptions {
  std::string model;
  std::string spec;
  std::string constant; // for explain
  bool json = false;
  FoldOptions fold;
};

// Print to standard output. Throw std::exception with the message for the user.
void showLedger(const LedgerOptions &options);
void explainConstant(const LedgerOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_SHOWLEDGER_H
