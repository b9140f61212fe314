// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables say about storage, compared with the declarations on the
// page: every declared axis is stored exactly once, every other factor is
// selected by `at`. By the spelling of the axes only; their lengths are the
// elaborator's.

#ifndef TRANSFOLD_COMPILER_SPEC_NAMES_LAYOUTCHECK_H
#define TRANSFOLD_COMPILER_SPEC_NAMES_LAYOUTCHECK_H

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

/// The factors of the axes that one member of `weight` declares, in order, with
/// the splits of the table.
std::vector<AxisFactor> declaredFactors(const Weight &weight,
                                        const Binding &binding);

/// Factors of the stored shape that the declaration has not.
std::vector<AxisFactor> undeclaredFactors(const Weight &weight,
                                          const Binding &binding);

/// Throws SpecError where `binding` does not place every axis of `weight` once.
void checkLayout(const Weight &weight, const Binding &binding);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_NAMES_LAYOUTCHECK_H
