// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree as text, one node per line, children indented: the result of
// the parser, before names are resolved (--emit=ast).

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <string>

namespace transfold::spec {

/// The text of a file's syntax tree.
std::string treeText(const File &file);

} // namespace transfold::spec
