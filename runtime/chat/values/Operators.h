// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on values, with Python's rules. All throw Error.

#pragma once

#include "runtime/chat/Nodes.h"
#include "runtime/chat/values/Builtin.h"

namespace transfold::runtime::chat {

/// a + b and the other binary operators.
Value calculate(Op op, const Value &a, const Value &b);
/// -value.
Value negated(const Value &value);
/// +value.
Value madeNumber(const Value &value);

/// object[first:end:step]
struct SliceBounds {
  std::optional<int64_t> first, end, step;
};
/// The slice of a text or a list. Throws Error for other values.
Value sliceOf(const Value &object, const SliceBounds &bounds);
/// object[index] of a text or a list; nullopt if there is no such item.
std::optional<Value> itemAt(const Value &object, Integer index);

} // namespace transfold::runtime::chat
