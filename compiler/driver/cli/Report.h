// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints diagnostics to standard error: as text for people, or with
// --diagnostics=json as one JSON object a line for programs.

#pragma once

#include "compiler/spec/syntax/Diagnostic.h"

#include <exception>
#include <span>

namespace transfold::driver {

/// The formats of messages.
enum class DiagnosticFormat { Text, Json };

/// Sets the format of all that is reported afterwards.
void setDiagnosticFormat(DiagnosticFormat format);

/// Prints diagnostics in the chosen format.
void report(std::span<const spec::Diagnostic> diagnostics);

/// Reports why a command ends. Exceptions other than SpecError are errors with
/// a message only.
void reportFailure(const std::exception &failure);

/// Prints the page of a kind of mistake to standard output.
void explain(const spec::CodePage &page);

} // namespace transfold::driver
