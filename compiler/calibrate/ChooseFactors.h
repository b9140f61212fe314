// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of xf.channels, and what the errors of quantised weights count.

#ifndef TRANSFOLD_COMPILER_CALIBRATE_CHOOSEFACTORS_H
#define TRANSFOLD_COMPILER_CALIBRATE_CHOOSEFACTORS_H

#include "compiler/calibrate/Samples.h"

namespace transfold::calibrate {

struct Options {
  bool integerProducts = false; // x is rounded to 8 bits, too
  /// A weight whose products lose more than this (NMSE) gets more bits, or
  /// stays; 0: none does.
  double most = 0;
};

/// What was found, for the user.
struct Report {
  int64_t measured = 0;  // members of weights whose products were looked at
  unsigned factors = 0;  // vectors of them that are another than 1
  unsigned moreBits = 0; // weights that got them, or stay
  /// Mean of what products lose (NMSE) without looking at samples, and with.
  double before = 0, after = 0;
};

/// Fills the numbers of all xf.channels, and adds those of `weighing`. Throws
/// InterpreterError.
Report chooseFactors(mlir::ModuleOp module,
                     const checkpoint::Checkpoint &checkpoint,
                     const Samples &samples, const Options &options);

} // namespace transfold::calibrate

#endif // TRANSFOLD_COMPILER_CALIBRATE_CHOOSEFACTORS_H
