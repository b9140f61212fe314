// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a spec into its syntax tree.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

/// Parses a file. Throws SpecError at the first token that violates the
/// grammar.
File parse(std::shared_ptr<const Source> source);

/// The pieces of a String's text around the inserted values: "blk.{l}." has the
/// two pieces "blk." and ".", and its one operand is inserted between them.
std::vector<std::string> stringPieces(const Expr &string);

} // namespace transfold::spec
