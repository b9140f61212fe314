// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equations of a model as text (--emit=equations), one line for each step,
// with its place in the spec. Values have numbers; products and sums are in
// index notation, rearrangements in that of einops:
//
//   %4[n, c] = Σ[k] %3[n, k] * %2[k, c]    // bert.xf:12:9
//   %6 = rearrange %5 "i n c -> n (i c)"    // bert.xf:14:16

#pragma once

#include <string>

namespace transfold::spec {

class Model;

/// All entries of `model`.
std::string equationText(const Model &model);

} // namespace transfold::spec
