// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of passes that need the values of names.

#pragma once

#include <Halide.h>

#include <string>
#include <utility>
#include <vector>

namespace transfold::kernels {

/// A lowering pass that knows the values that are bound around the current
/// statement.
class PassWithLets : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *let) override {
    lets.emplace_back(let->name, let->value);
    Halide::Internal::Stmt result = IRMutator::visit(let);
    lets.pop_back();
    return result;
  }

  /// The names and their values, the innermost last.
  std::vector<std::pair<std::string, Halide::Expr>> lets;
};

} // namespace transfold::kernels
