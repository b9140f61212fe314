// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of equations, on numbers and tensors: what each is called, what
// it takes, and which operation it is where it is one.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_FUNCTIONS_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_FUNCTIONS_H

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transfold::spec {

/// Operations on each number of a tensor by itself.
enum class Unary { Relu, Gelu, Sigmoid, Tanh, Abs, Exp, Log2, Negate };

struct Function {
  size_t least, most; // arguments
  /// The last ones, which may be given by name.
  std::vector<std::string> names = {};
  /// Of a tensor; none where it is another kind of operation.
  std::optional<Unary> unary = {};
};

/// Those of numbers and tensors; what asks a container counts by itself.
const std::map<std::string, Function> &functions();

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_FUNCTIONS_H
