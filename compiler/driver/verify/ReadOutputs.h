// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads results stored as arrays in a folder, by name.

#pragma once

#include "compiler/driver/evaluate/EvaluateModule.h"

#include <map>
#include <string>

namespace transfold::driver {

/// The results that were found.
struct FoundOutputs {
  Outputs outputs;
  /// By name: the reason why an array cannot be compared.
  std::map<std::string, std::string> problems;
};

/// Reads NAME.npy or NAME_f64.npy for each of `expected` that exists, with the
/// same shape and without NaN where a number is expected. Throws Error
/// if none exists.
FoundOutputs readOutputs(const std::string &folder, const Outputs &expected);

/// Sets rows of `found` to zero where those of `expected` are zero, i.e. past
/// the end of a sequence: other software may have any values there.
void ignorePadding(const Outputs &expected, Outputs &found);

} // namespace transfold::driver
