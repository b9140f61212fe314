// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces sums of products of bytes that algorithm/product/WordDot.h marked by
// instructions. This header does not depend on Halide, which contains another
// LLVM.

#pragma once

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace transfold::kernels {

/// Replaces all marked products by the instructions of the machine; returns
/// false if there are none. Throws std::runtime_error if a mark is left.
bool replaceWordDots(llvm::Function &function,
                     const llvm::TargetMachine &machine);

} // namespace transfold::kernels
