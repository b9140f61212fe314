// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes strides from the stored shape that a table gives for a tensor.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/values/BoundWeight.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace transfold::spec {

/// One factor of an axis: `d_k` of h * d_k. The second d of a declaration has
/// the key d'.
struct AxisFactor {
  std::string key;
  ExprPtr expr;
};

/// For each axis that one member of `weight` declares: its factors, in order,
/// after the table's splits (`axis d_k = 2 * f`) are applied.
std::vector<std::vector<AxisFactor>> declaredAxes(const Weight &weight,
                                                  const Binding &binding);

/// The part of a tensor that a weight takes: piece `chosen` of `total`; one of
/// one if it takes the whole tensor.
struct Piece {
  int64_t total = 1;
  std::vector<int64_t> chosen;
};

/// The storage of `weight` in a tensor of shape `stored`. `sizeOf` evaluates a
/// factor; `reversed`: there is no `as`, and the axes are stored in the
/// opposite order; `selected` is the value of `at`. Throws SpecError if the
/// shapes do not fit; `tensor` is its name for the message. Sets `piece`.
Storage layOut(const Weight &weight, const Binding &binding,
               const std::string &tensor, const std::vector<int64_t> &stored,
               bool reversed, const std::vector<int64_t> &selected,
               const std::function<int64_t(const Expr &)> &sizeOf,
               Piece &piece);

/// The shape that the tensor must have according to its names; arguments as
/// above.
std::vector<int64_t>
storedShape(const Weight &weight, const Binding &binding, bool reversed,
            const std::function<int64_t(const Expr &)> &sizeOf);

/// The factors of a product: h * d_k.
std::vector<ExprPtr> factorsOf(const ExprPtr &expr);
/// The terms of a sum: N + 1.
std::vector<ExprPtr> termsOf(const ExprPtr &expr);

} // namespace transfold::spec
