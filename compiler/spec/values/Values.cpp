// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and the destructor of values, which all files of the elaboration use.

#include "compiler/spec/values/Values.h"

namespace transfold::spec {

Value::Value() = default;
Value::Value(const Value &) = default;
Value::Value(Value &&) noexcept = default;
Value &Value::operator=(const Value &) = default;
Value &Value::operator=(Value &&) noexcept = default;
Value::~Value() = default;

} // namespace transfold::spec
