// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations of the language. They are the same for static values,
// where they are exact as long as possible, and for index functions, where they
// are computed in double for each element.

#pragma once

#include "base/exact/ScalarOp.h"
#include "compiler/spec/values/StaticValue.h"
#include "compiler/spec/values/Symbols.h"

#include <optional>
#include <span>
#include <string_view>

namespace transfold::spec {

using transfold::evaluate;
using transfold::isComparison;
using transfold::name;
using transfold::scalarFunction;
using transfold::ScalarOp;

/// The rounding to a type: "bfloat16", "f32", "torch.float16"; nullopt for 64
/// bits. Throws std::domain_error for unknown types.
std::optional<ScalarOp> roundingTo(std::string_view dtype);

/// A static value as a scalar of an index function: a constant, or an
/// expression of lengths; null if the value is not a scalar or not known.
IndexExprPtr scalarOf(const StaticValue &value, const Symbols &symbols);

/// Throws std::domain_error if an operand is a boolean and `op` computes with
/// numbers, or vice versa. If `some` operands are not known, only booleans in
/// place of numbers are errors, because a number may stand for an unknown
/// value.
void checkKinds(ScalarOp op, std::span<const IndexExprPtr> operands,
                bool some = false);

/// Applies `op` to static values; exact if the result has an exact form. Throws
/// std::domain_error with the cause ("the logarithm of none").
StaticValue apply(ScalarOp op, const std::vector<StaticValue> &operands,
                  Symbols &symbols);

} // namespace transfold::spec
