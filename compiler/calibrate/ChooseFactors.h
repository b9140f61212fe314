// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the values of xf.channel_scales, and the weights of errors of
// quantized weights.

#pragma once

#include "compiler/calibrate/Samples.h"

namespace transfold::calibrate {

/// Options of `chooseFactors`.
struct Options {
  bool integerProducts = false; // x is rounded to 8 bits too
  /// A weight whose products have a larger error (NMSE) than this gets more
  /// bits, or is not quantized; 0: no limit.
  double most = 0;
};

/// The results, for the user.
struct Report {
  int64_t measured = 0;  // members of weights that were measured
  unsigned factors = 0;  // vectors of factors other than 1
  unsigned moreBits = 0; // weights with more bits, or unquantized
  /// Mean error of products (NMSE) without the use of samples, and with it.
  double before = 0, after = 0;
};

/// Sets the values of all xf.channel_scales, and adds those of `weighing`.
/// Throws InterpreterError.
Report chooseFactors(mlir::ModuleOp module,
                     const checkpoint::Checkpoint &checkpoint,
                     const Samples &samples, const Options &options);

} // namespace transfold::calibrate
