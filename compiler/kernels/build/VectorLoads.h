// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_VECTORLOADS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_VECTORLOADS_H

#include <Halide.h>

#include <string>
#include <vector>

namespace transfold::kernels {

/// The vectors of neighbours that `value` loads from a buffer, those of a cache
/// line once. `known` has where lines begin that were met before, in elements,
/// and grows.
std::vector<const Halide::Internal::Load *>
newLinesIn(const Halide::Expr &value, const std::string &buffer,
           std::vector<Halide::Expr> &known);

/// Asks for the line of element `place`.
Halide::Internal::Stmt prefetch(const std::string &buffer, Halide::Type type,
                                const Halide::Expr &place);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_VECTORLOADS_H
