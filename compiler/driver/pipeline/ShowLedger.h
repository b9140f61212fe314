// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold ledger and transfold explain: show where the constants of a model
// went.

#pragma once

#include "compiler/driver/pipeline/Pipeline.h"

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

// Both throw std::exception with the message for the user.

/// Prints the ledger of a model.
void showLedger(const LedgerOptions &options);
/// Prints how one constant, a bias or a gain was folded.
void explainConstant(const LedgerOptions &options);

} // namespace transfold::driver
