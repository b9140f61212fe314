// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of a spec to its syntax tree.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSER_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSER_H

#include "compiler/spec/syntax/Ast.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

/// Throws SpecError at the first thing that the grammar does not have.
File parse(std::shared_ptr<const Source> source);

/// The text of a String around what it inserts: "blk.{l}." has the two pieces
/// "blk." and ".", and its one operand stands between them.
std::vector<std::string> stringPieces(const Expr &string);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSER_H
