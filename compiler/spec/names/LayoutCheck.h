// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what the tables state about storage with the declarations in the
// spec: every declared axis must be stored exactly once, every other factor
// must be selected by `at`. Axes are compared by their spelling only; the
// elaborator compares their sizes.

#pragma once

#include "compiler/spec/syntax/Ast.h"

#include <string>
#include <vector>

namespace transfold::spec {

/// One factor of an axis: `d_k` of h * d_k. The second d of a declaration has
/// the key d'.
struct AxisFactor {
  std::string key;
  ExprPtr expr;
};

/// The factors of the axes that one member of `weight` declares, in order,
/// after the table's splits (`axis d_k = 2 * f`) are applied.
std::vector<AxisFactor> declaredFactors(const Weight &weight,
                                        const Binding &binding);

/// The factors of the stored shape that the weight does not declare.
std::vector<AxisFactor> undeclaredFactors(const Weight &weight,
                                          const Binding &binding);

/// Throws SpecError if `binding` does not place every axis of `weight` exactly
/// once.
void checkLayout(const Weight &weight, const Binding &binding);

} // namespace transfold::spec
