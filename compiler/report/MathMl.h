// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations as MathML, which browsers typeset: fractions, roots, subscripts and
// sums as in a paper. Each operator has the attribute data-at, "LINE:COLUMN" of
// the spec, so that an operation can be found in its equation. All text of a
// spec is escaped.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <string>
#include <vector>

namespace transfold::report {

/// `name[i, j] = value`, without the definitions of its `where`.
std::string mathMlOf(const spec::Definition &definition);
/// `return value, value`.
std::string mathMlOfReturn(const std::vector<spec::ExprPtr> &values);
/// `for variable < bound`.
std::string mathMlOfLoop(const std::string &variable, const spec::Expr &bound);
/// An expression.
std::string mathMlOf(const spec::Expr &expr);

} // namespace transfold::report
