// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide 21 has operations that keep their rounding (strict_add, …), but no
// fused multiply-add among them. a · b + c is therefore written as
//
//   strict_add(bits(strict_mul(a, b)) ^ mark, c)
//
// which no pass of LLVM changes; FusedProducts.cpp turns it into an fma.

#include "compiler/kernels/algorithm/product/Roundings.h"

#include "compiler/kernels/algorithm/product/ProductMark.h"

#include <map>
#include <set>

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

/// Devices keep the roundings of their compilers, and processors without an fma
/// would need a call of a library.
bool hasFixedRoundings(const Target &target) {
  // Every ARM processor of 64 bits has an fma.
  const bool hasFma =
      target.arch == Target::ARM ||
      (target.arch == Target::X86 && target.has_feature(Target::FMA));
  return hasFma && target.bits == 64 && !target.has_gpu_feature();
}

namespace {
// Replaces operations on floats by strict ones, and products in sums by marked
// ones.
class RoundAsWritten : public Internal::IRGraphMutator {
  using IRGraphMutator::visit;

  static Expr strict(Call::IntrinsicOp op, Expr a, Expr b) {
    Type type = a.type();
    return Call::make(type, op, {std::move(a), std::move(b)},
                      Call::PureIntrinsic);
  }

  // Exact, and not an instruction of its own if something is added to it.
  static Expr negated(const Expr &x) {
    return strict(Call::strict_mul, x, Internal::make_const(x.type(), -1));
  }

  static Expr fused(const Expr &a, const Expr &b, const Expr &c) {
    Expr bits = reinterpret<uint32_t>(strict(Call::strict_mul, a, b));
    return strict(Call::strict_add,
                  reinterpret<float>(bits ^ Expr(productMark)), c);
  }

  /// `x` as a product, if an fma can add to it; else null.
  static const Internal::Mul *productOf(const Expr &x) {
    const auto *product = x.as<Internal::Mul>();
    bool isOne =
        product && x.type() == Float(32) &&
        !(Internal::is_const(product->a) && Internal::is_const(product->b));
    return isOne ? product : nullptr;
  }

  Expr visit(const Internal::Add *op) override {
    if (!op->type.is_float())
      return IRGraphMutator::visit(op);
    if (const auto *product = productOf(op->a))
      return fused(mutate(product->a), mutate(product->b), mutate(op->b));
    if (const auto *product = productOf(op->b))
      return fused(mutate(product->a), mutate(product->b), mutate(op->a));
    return strict(Call::strict_add, mutate(op->a), mutate(op->b));
  }

  Expr visit(const Internal::Sub *op) override {
    if (!op->type.is_float())
      return IRGraphMutator::visit(op);
    if (Internal::is_const_zero(op->a))
      return negated(mutate(op->b));
    if (const auto *product = productOf(op->a))
      return fused(mutate(product->a), mutate(product->b),
                   negated(mutate(op->b)));
    if (const auto *product = productOf(op->b))
      return fused(negated(mutate(product->a)), mutate(product->b),
                   mutate(op->a));
    return strict(Call::strict_sub, mutate(op->a), mutate(op->b));
  }

  Expr visit(const Internal::Mul *op) override {
    if (!op->type.is_float())
      return IRGraphMutator::visit(op);
    return strict(Call::strict_mul, mutate(op->a), mutate(op->b));
  }

  Expr visit(const Internal::Div *op) override {
    if (!op->type.is_float())
      return IRGraphMutator::visit(op);
    return strict(Call::strict_div, mutate(op->a), mutate(op->b));
  }
};
} // namespace

void fixRoundings(const Algorithm &algorithm) {
  // Sums that Halide turns into one instruction, which determines its own
  // rounding.
  std::set<std::string> instructions;
  for (const Contraction &contraction : algorithm.contractions)
    if (contraction.isOf(PairTerms::Dots))
      instructions.insert(contraction.sum.name());
  RoundAsWritten mutator;
  std::map<std::string, Internal::Function> all;
  for (const Func &result : algorithm.results())
    all.merge(Internal::find_transitive_calls(result.function()));
  for (auto &[name, function] : all)
    if (!instructions.contains(name)) {
      Internal::Function own = function;
      own.mutate(&mutator);
    }
}

} // namespace transfold::kernels
