// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions as text, for messages and for comparing axes by their spelling.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <string>
#include <vector>

namespace transfold::spec {

/// The text of an expression with one space around operators and only the
/// necessary parentheses: equal trees have equal texts, however they were
/// typed.
std::string text(const Expr &expr);

/// The text of axes: "[h, d, d_k]".
std::string text(const std::vector<ExprPtr> &dims);

} // namespace transfold::spec
