// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a diagnostic of MLIR to an error of the spec. Only the first one is
// kept: those that follow are usually its consequences.

#include "compiler/driver/cli/Diagnostics.h"

#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Source.h"
#include "dialect/Places.h"

#include <mlir/IR/Location.h>

using namespace transfold;

driver::Diagnostics::Diagnostics(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        if (!first)
          first = std::move(diagnostic);
        return mlir::success();
      }) {
  context.printOpOnDiagnostic(false);
}

void driver::Diagnostics::raise(const std::string &otherwise) {
  if (!first)
    throw std::runtime_error(otherwise);
  auto place = xf::placeOf(first->getLocation());
  if (!place && first->getNotes().empty()) // a location that is not in a spec
    throw std::runtime_error(first->str());
  spec::Place at;
  if (place)
    at = {spec::Source::load(place.getFilename().str()), place.getLine(),
          place.getColumn()};
  std::vector<std::string> notes;
  for (mlir::Diagnostic &note : first->getNotes())
    notes.push_back(note.str());
  throw spec::SpecError(spec::Code::Unproven, at, first->str(), notes);
}
