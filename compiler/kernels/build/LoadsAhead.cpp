// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/build/LoadsAhead.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

constexpr int lineBytes = 64;

namespace {
/// Vectors that are loaded from a buffer.
class VectorLoads : public IRGraphVisitor {
public:
  explicit VectorLoads(const std::string &buffer) : buffer(buffer) {}
  std::vector<const Load *> loads;

protected:
  using IRGraphVisitor::visit;
  void visit(const Load *load) override {
    const auto *ramp = load->index.as<Ramp>();
    if (load->name == buffer && ramp && is_const_one(ramp->stride))
      loads.push_back(load);
    IRGraphVisitor::visit(load);
  }

private:
  const std::string &buffer;
};
} // namespace

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
  VectorLoads found(buffer);
  value.accept(&found);
  Stmt result = stmt;
  for (const Load *load : found.loads) {
    const int bytes = load->type.bytes();
    Expr first = load->index.as<Ramp>()->base;
    auto isOfLine = [&](const Expr &other) {
      auto apart = as_const_int(simplify(first - other));
      return apart && std::abs(*apart) * bytes < lineBytes;
    };
    if (std::any_of(known.begin(), known.end(), isOfLine))
      continue;
    known.push_back(first);
    Expr ahead = Call::make(load->type.element_of(), Call::prefetch,
                            {Variable::make(Handle(), buffer),
                             simplify(first + distance / bytes), 1, 1},
                            Call::Intrinsic);
    result = Block::make(Evaluate::make(ahead), result);
  }
  return result;
}

} // namespace transfold::kernels
