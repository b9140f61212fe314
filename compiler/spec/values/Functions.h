// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of equations, on scalars and tensors: their names, their
// arguments and, for elementwise functions, the operation.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transfold::spec {

/// Elementwise operations.
enum class Unary { Relu, Gelu, Sigmoid, Tanh, Abs, Exp, Log2, Log1p, Negate };

/// The signature of a function.
struct Function {
  size_t least, most; // arguments
  /// Names of the last parameters, which may be given by name.
  std::vector<std::string> names = {};
  /// The operation on a tensor; nullopt if it is not elementwise.
  std::optional<Unary> unary = {};
};

/// The functions of scalars and tensors, by name. Functions that query a
/// container check their arguments themselves.
const std::map<std::string, Function> &functions();

} // namespace transfold::spec
