// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds prefetches before each statement that loads a new line. Loops begin
// without known lines, since another iteration reads other lines.

#include "compiler/kernels/build/loads/LoadsAhead.h"
#include "compiler/kernels/build/loads/VectorLoads.h"

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

Stmt LoadsAhead::visit(const For *loop) {
  std::vector<Expr> outer;
  std::swap(outer, known);
  Stmt result = IRMutator::visit(loop);
  std::swap(outer, known);
  return result;
}

Stmt LoadsAhead::visit(const LetStmt *let) {
  return behindPrefetches(let->value, IRMutator::visit(let));
}

Stmt LoadsAhead::visit(const Store *store) {
  return behindPrefetches(store->value, store);
}

Stmt LoadsAhead::behindPrefetches(const Expr &value, const Stmt &stmt) {
  Stmt result = stmt;
  // Addresses are computed before the statement, where names that it binds are
  // not visible.
  const Expr whole = substitute_in_all_lets(value);
  for (const Load *load : newLinesIn(whole, buffer, known)) {
    Expr first = load->index.as<Ramp>()->base;
    Expr elements = (distance / load->type.bytes()) * prefetchSwitch();
    Expr ahead = first + elements;
    result = Block::make(prefetch(buffer, load->type, ahead), result);
  }
  return result;
}

} // namespace transfold::kernels
