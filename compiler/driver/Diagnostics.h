// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that refuses the equations says where in the spec: its message is the
// spec's, with the line and a caret.

#ifndef TRANSFOLD_COMPILER_DRIVER_DIAGNOSTICS_H
#define TRANSFOLD_COMPILER_DRIVER_DIAGNOSTICS_H

#include <mlir/IR/Diagnostics.h>

#include <optional>
#include <string>

namespace transfold::driver {

/// Takes the errors of a context while it lives.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext &context);
  /// Throws the first error as a spec::SpecError; std::runtime_error with
  /// `otherwise` where nothing was said.
  [[noreturn]] void raise(const std::string &otherwise);

private:
  std::optional<mlir::Diagnostic> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_DIAGNOSTICS_H
