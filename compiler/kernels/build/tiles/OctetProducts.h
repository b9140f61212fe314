// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces calls that build/tiles/TileCalls inserted by ARM's instructions for
// small matrices of bytes. This header does not depend on Halide, which
// contains another LLVM.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where dot is the product of two
/// octets of signed bytes. Octets k of rows 2 p and 2 p + 1 are adjacent, and
/// so are octets k of all columns. For each of sum, x and w a call passes the
/// buffer, the first place in it, and the step between rows of sums, between
/// pairs of rows of x, and between octets of w: in 32-bit values for sum, and
/// in octets for x and w; then the numbers of pairs of rows, columns and
/// octets.
constexpr const char *octetProductName = "transfold_octet_product";

/// Replaces all such calls by the i8mm instruction; returns false if there are
/// none. Throws std::runtime_error if a call does not have the required sizes.
bool replaceOctetProducts(llvm::Function &function);

} // namespace transfold::kernels
