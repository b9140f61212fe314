// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold report: the equations of a model and what each stage makes of them,
// as a page or as JSON.

#pragma once

#include "compiler/driver/output/Compile.h"

namespace transfold::driver {

/// The options of `report`.
struct ReportOptions {
  /// Model, spec, target, folding, output and threads. Without an output, a
  /// page is written to report.html, and JSON to standard output.
  CompileOptions compile;
  bool json = false;
  bool run = false; ///< measure times and errors
};

/// Throws std::exception with the message for the user.
void writeReport(const ReportOptions &options);

} // namespace transfold::driver
