// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which weights are linear: a table says once, for all that stand right of @,
// how they lie.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_MATRIXUSE_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_MATRIXUSE_H

#include "compiler/spec/syntax/Ast.h"

#include <set>
#include <string>

namespace transfold::spec {

/// How the equations use names: right of @, or otherwise.
struct MatrixUse {
  std::set<std::string> linear; // right of @ somewhere
  std::set<std::string> mixed;  // there, and otherwise in another place
  /// Nowhere there, but under another name somewhere: an argument of a
  /// function, a definition.
  std::set<std::string> unclear;
};
MatrixUse matrixUse(const Body &body);
/// Of a file's own top-level weights, in all its equations.
MatrixUse matrixUse(const File &file);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_MATRIXUSE_H
