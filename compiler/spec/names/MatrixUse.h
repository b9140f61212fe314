// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which weights are linear maps, that is, right operands of @: a table states
// the order of their axes once for all of them (`linear as [out, in]`).

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <set>
#include <string>

namespace transfold::spec {

/// How the equations use names: as the right operand of @, or otherwise.
struct MatrixUse {
  std::set<std::string> linear; // right operand of @ somewhere
  std::set<std::string> mixed;  // `linear`, and also used otherwise
  /// Never directly a right operand of @, but used under another name: as an
  /// argument of a function, or as the value of a definition.
  std::set<std::string> unclear;
};
/// The uses of names in the body of a block.
MatrixUse matrixUse(const Body &body);
/// The uses of a file's own top-level weights in all its equations.
MatrixUse matrixUse(const File &file);

} // namespace transfold::spec
