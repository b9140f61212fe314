// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index variables, and the order of arguments: the equations write the
// innermost axis last, Halide first.

#include "compiler/kernels/algorithm/tensor/TensorValue.h"

#include <fmt/format.h>

using namespace Halide;

namespace transfold::kernels {

/// The same names in every function, so that an expression of one can be used
/// in the definition of another.
std::vector<Var> indexVariables(size_t rank) {
  std::vector<Var> variables;
  variables.reserve(rank);
  for (size_t i = 0; i < rank; ++i)
    variables.emplace_back(fmt::format("i{}", i));
  return variables;
}

std::vector<Var> innermostFirst(const std::vector<Var> &variables,
                                const std::optional<Var> &piece) {
  std::vector<Var> all(variables.rbegin(), variables.rend());
  if (piece)
    all.push_back(*piece);
  return all;
}

std::vector<Expr> innermostFirst(const Indices &indices,
                                 const std::optional<Var> &piece) {
  std::vector<Expr> all(indices.rbegin(), indices.rend());
  if (piece)
    all.emplace_back(*piece);
  return all;
}

Entry entriesOf(const Func &function, const std::optional<Var> &piece) {
  return [=](const Indices &i) -> Expr {
    return function(innermostFirst(i, piece));
  };
}

Indices withoutLast(const Indices &indices) {
  return {indices.begin(), indices.end() - 1};
}

} // namespace transfold::kernels
