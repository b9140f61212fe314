// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree as text, one node a line, children indented: what the parser
// understood, before any name has a meaning (--emit=ast).

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_TREETEXT_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_TREETEXT_H

#include "compiler/spec/syntax/Ast.h"

#include <string>

namespace transfold::spec {

std::string treeText(const File &file);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_TREETEXT_H
