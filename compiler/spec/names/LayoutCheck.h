// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what the tables state about storage with the declarations in the
// spec: every declared axis must be stored exactly once, every other factor
// must be selected by `at`. Axes are compared by their spelling only; the
// elaborator compares their sizes.

#pragma once

#include "compiler/spec/values/Layout.h"

#include <vector>

namespace transfold::spec {

/// The factors of all axes that one member of `weight` declares, in order.
std::vector<AxisFactor> declaredFactors(const Weight &weight,
                                        const Binding &binding);

/// The factors of the stored shape that the weight does not declare.
std::vector<AxisFactor> undeclaredFactors(const Weight &weight,
                                          const Binding &binding);

/// Throws SpecError if `binding` does not place every axis of `weight` exactly
/// once.
void checkLayout(const Weight &weight, const Binding &binding);

} // namespace transfold::spec
