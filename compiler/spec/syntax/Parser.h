// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a spec into its syntax tree.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

/// Parses a file. Throws SpecError with all mistakes that were found.
File parse(std::shared_ptr<const Source> source);

/// The same, but adds the mistakes to `errors`; the result has the items and
/// statements without mistakes.
File parse(std::shared_ptr<const Source> source, Errors &errors);

/// The pieces of a String's text around the inserted values: "blk.{l}." has the
/// two pieces "blk." and ".", and its one operand is inserted between them.
std::vector<std::string> stringPieces(const Expr &string);

} // namespace transfold::spec
