// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that lie as arrays in a folder, by name.

#ifndef TRANSFOLD_COMPILER_DRIVER_READOUTPUTS_H
#define TRANSFOLD_COMPILER_DRIVER_READOUTPUTS_H

#include "compiler/driver/EvaluateModule.h"

#include <map>
#include <string>

namespace transfold::driver {

struct FoundOutputs {
  Outputs outputs;
  /// By name: why an array cannot be compared.
  std::map<std::string, std::string> problems;
};

/// NAME.npy or NAME_f64.npy for each of `expected` that is there, in the same
/// shape and without anything that is no number where a number is expected.
/// Throws runtime::Error where there is none of them.
FoundOutputs readOutputs(const std::string &folder, const Outputs &expected);

/// Rows behind the end of a sequence are zero in `expected`; others may have
/// anything there, and it becomes zero.
void ignorePadding(const Outputs &expected, Outputs &found);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_READOUTPUTS_H
