// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loads touch a cache line first.

#include "compiler/kernels/build/loads/VectorLoads.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

/// The cache line of the processors that kernels are made for.
constexpr int lineBytes = 64;

namespace {
// Collects the dense vector loads of a buffer.
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

std::vector<const Load *> newLinesIn(const Expr &value,
                                     const std::string &buffer,
                                     std::vector<Expr> &known) {
  VectorLoads found(buffer);
  value.accept(&found);
  std::vector<const Load *> result;
  for (const Load *load : found.loads) {
    Expr first = load->index.as<Ramp>()->base;
    auto isOfLine = [&](const Expr &other) {
      auto apart = as_const_int(simplify(first - other));
      return apart && std::abs(*apart) * load->type.bytes() < lineBytes;
    };
    if (std::any_of(known.begin(), known.end(), isOfLine))
      continue;
    known.push_back(first);
    result.push_back(load);
  }
  return result;
}

Stmt prefetch(const std::string &buffer, Type type, const Expr &place) {
  return Evaluate::make(Call::make(
      type.element_of(), Call::prefetch,
      {Variable::make(Handle(), buffer), place, 1, 1}, Call::Intrinsic));
}

} // namespace transfold::kernels
