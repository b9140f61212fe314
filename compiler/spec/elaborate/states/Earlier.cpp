// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of earlier positions: x[t - 1], and sums over them, Σ_j W[j] * x[t -
// j].

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// x[t - 1]
//===----------------------------------------------------------------------===//

std::optional<Elaborator::EarlierIndex>
Elaborator::earlierIndex(const IndexExpr &index) const {
  int found = 0;
  bool isSum = true;
  transfold::walk(index, [&](const IndexExpr &node) {
    if (node.kind == IndexExpr::Kind::Index)
      isSum &= std::exchange(found, node.index) == 0;
    else if (!node.isConstant())
      isSum &= node.kind == IndexExpr::Kind::Operation &&
               (node.op == ScalarOp::Add || node.op == ScalarOp::Subtract);
  });
  if (!isSum || found == 0 || !indices[found].range)
    return std::nullopt;
  std::vector<int64_t> place(indices.size(), 0);
  const double atZero = transfold::evaluate(index, place);
  place[found] = 1;
  if (transfold::evaluate(index, place) - atZero != 1 ||
      atZero != std::floor(atZero) || std::abs(atZero) > 1e9)
    return std::nullopt;
  return EarlierIndex{found, -static_cast<int64_t>(atZero)};
}

/// Whether `expr` names nothing but `index`. Without a checkpoint, numbers that
/// are not known yet have arbitrary values.
static bool isOfIndexOnly(const Expr &expr, const std::string &index) {
  if (expr.kind == ExprKind::Name && expr.text != index)
    return false;
  return std::ranges::all_of(expr.operands, [&](const ExprPtr &operand) {
    return !operand || isOfIndexOnly(*operand, index);
  });
}

Tensor Elaborator::earlierMember(const Tensor &x, const EarlierIndex &index,
                                 const Expr &written, const Expr &expr,
                                 const Environment *scope) {
  unsigned axis = x.visible[0];
  Tensor member =
      memberOf(x, *IndexExpr::variable(index.index), written, expr, scope);
  if (index.by < 0 &&
      (checkpoint || isOfIndexOnly(written, indices[index.index].name)))
    throw SpecError(
        Code::LaterMember, written.range.begin,
        fmt::format("{} is a later position than `{}`", spec::text(written),
                    indices[index.index].name),
        {fmt::format("Earlier positions can be read: {}[{} - 1], which is zero "
                     "before the first one.",
                     spec::text(*expr.operands[0]), indices[index.index].name)},
        written.range);
  if (index.by > 0) {
    member.value = emit(step::Delay{member.value, axis, index.by}, expr.at);
    member.markComputed();
  }
  return member;
}

bool Elaborator::isDelayed(const Value &value) const {
  const Tensor *tensor = value.tensor();
  return tensor && target && !target->empty() &&
         target->back().result == tensor->value &&
         std::holds_alternative<step::Delay>(target->back().operation);
}

void Elaborator::needZeroBefore(const Expr &expr, const Environment *scope) {
  StaticValue value = staticValue(expr, scope);
  if (value.isUnknown() || (value.isNumber() && value.toDouble() == 0))
    return;
  throw SpecError(
      Code::NotSupported, expr.range.begin,
      fmt::format("{} before the first position is not supported yet",
                  spec::text(expr)),
      {"Zero stands there: x[t - 1] ?? 0, or x[t - 1]."}, expr.range);
}

//===----------------------------------------------------------------------===//
// Sums over an index
//===----------------------------------------------------------------------===//

// Each term is a step of its own. Longer sums are products of matrices.
static constexpr int64_t mostTerms = 64;

/// The number of terms of Σ_j; 1 if that is not known without a checkpoint.
int64_t Elaborator::termsOf(const Expr &sum, const Environment *scope) {
  std::vector<Extent> found;
  llvm::SaveAndRestore ofElements(rangesOfElements, true);
  findExtents(*sum.operands[0], sum.text, scope, found);
  std::erase_if(found, [](const Extent &extent) { return extent.isShifted; });
  needOneRange(sum.text, sum.at, found);
  if (found.empty())
    throw SpecError(Code::UnknownRange, sum.at,
                    fmt::format("the range of `{}` is not known", sum.text),
                    {fmt::format("It is that of an axis with this index alone, "
                                 "as in W[{}].",
                                 sum.text)},
                    sum.range);
  auto count = found[0].size.asNumber();
  if (count ? *count > mostTerms : symbols.numberOf(found[0].size) != nullptr)
    throw SpecError(
        Code::TooLong, sum.at,
        fmt::format("Σ_{} has {} terms, but {} are the most", sum.text,
                    found[0].name, mostTerms),
        {"The product @ sums over any axis, and sum(…) over rows or members."},
        sum.range);
  return count.value_or(1);
}

Value Elaborator::sumOver(const Expr &expr, const Environment *scope) {
  const int64_t count = termsOf(expr, scope);
  Value total;
  for (int64_t k = 0; k < count; ++k) {
    Environment *inner = newEnvironment(scope);
    bind(*inner, expr.text, StaticValue(k));
    Value term = realOf(evaluate(*expr.operands[0], inner), *expr.operands[0]);
    total = k == 0 ? term : combine(ScalarOp::Add, total, term, expr);
  }
  return total;
}

} // namespace transfold::spec
