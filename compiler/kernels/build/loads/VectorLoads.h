// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and prefetches by cache line, which two passes share.

#pragma once

#include <Halide.h>

#include <string>
#include <vector>

namespace transfold::kernels {

/// The dense vector loads of a buffer in `value`, one for each cache line.
/// `known` has the first elements of the lines that were met before, and is
/// extended.
std::vector<const Halide::Internal::Load *>
newLinesIn(const Halide::Expr &value, const std::string &buffer,
           std::vector<Halide::Expr> &known);

/// A prefetch of the cache line of element `place`.
Halide::Internal::Stmt prefetch(const std::string &buffer, Halide::Type type,
                                const Halide::Expr &place);

} // namespace transfold::kernels
