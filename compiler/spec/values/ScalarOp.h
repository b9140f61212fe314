// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations of the language: the same for static values, where they
// are exact while they can be, and for index functions, where they are made in
// double for each element.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_SCALAROP_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_SCALAROP_H

#include "compiler/spec/values/StaticValue.h"
#include "compiler/spec/values/Symbols.h"
#include "dialect/exact/ScalarOp.h"

#include <optional>
#include <span>
#include <string_view>

namespace transfold::spec {

using transfold::evaluate;
using transfold::isComparison;
using transfold::name;
using transfold::scalarFunction;
using transfold::ScalarOp;

/// "bfloat16", "f32", "torch.float16" → the rounding; none for 64 bits. Throws
/// std::domain_error for what is no type.
std::optional<ScalarOp> roundingTo(std::string_view dtype);

/// A static value as a scalar of an index function: a constant, or made of
/// lengths; null for what is no scalar or not known.
IndexExprPtr scalarOf(const StaticValue &value, const Symbols &symbols);

/// Throws std::domain_error where an operand is true or false and `op` computes
/// with numbers, or the other way round. With `some` not known, numbers may
/// stand for anything.
void checkKinds(ScalarOp op, std::span<const IndexExprPtr> operands,
                bool some = false);

/// On static values: exact where the result has an exact form. Throws
/// std::domain_error with what is wrong ("the logarithm of none").
StaticValue apply(ScalarOp op, const std::vector<StaticValue> &operands,
                  Symbols &symbols);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_SCALAROP_H
