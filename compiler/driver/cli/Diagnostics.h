// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports errors of passes as errors in the spec: with the location, the line
// and a caret.

#pragma once

#include <mlir/IR/Diagnostics.h>

#include <optional>
#include <string>

namespace transfold::driver {

/// Captures the errors of a context during its lifetime.
class Diagnostics {
public:
  /// Errors of `context`, which must outlive this, are not printed meanwhile.
  explicit Diagnostics(mlir::MLIRContext &context);
  /// Throws the first error as a spec::SpecError; std::runtime_error with
  /// `otherwise` if there was none.
  [[noreturn]] void raise(const std::string &otherwise);

private:
  std::optional<mlir::Diagnostic> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace transfold::driver
