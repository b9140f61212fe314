// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ARM's instructions for small matrices of bytes, where build/TileCalls left a
// call. Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_OCTETPRODUCTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_OCTETPRODUCTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where a dot is of two octets of bytes
/// with a sign. Octets k of rows 2 p and 2 p + 1 lie side by side, and so do
/// those of all columns. Of sum, x and w a call passes the buffer, the first
/// place in it and the step from a row of sums, from a pair of rows of x and
/// from an octet of w to the next: in numbers of 32 bits, and in octets; then
/// how many pairs of rows, columns and octets.
constexpr const char *octetProductName = "transfold_octet_product";

/// Replaces all such calls by i8mm's instructions; false where there is none.
/// Throws std::runtime_error where one does not fit.
bool replaceOctetProducts(llvm::Function &function);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_OCTETPRODUCTS_H
