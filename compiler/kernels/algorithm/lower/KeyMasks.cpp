// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks and bounds of keys from the IR's comparisons. Positions are below 2^30,
// so that differences of two fit in 32 bits; other linear forms are computed in
// 64 bits.

#include "compiler/kernels/algorithm/lower/KeyMasks.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

/// Whether comparison `c` holds for query i and key j. Differences of two
/// positions are between -mostPositions and mostPositions and fit in 32 bits;
/// other linear forms are computed in 64 bits.
static Expr holds(const xf::MaskAttr::Comparison &c, const Expr &i,
                  const Expr &j) {
  bool isNarrow =
      std::abs(c.query) <= 1 && std::abs(c.key) <= 1 && c.query * c.key <= 0;
  auto times = [&](int64_t factor, const Expr &position) {
    return isNarrow ? position * static_cast<int>(factor)
                    : Halide::cast<int64_t>(position) * Expr(factor);
  };
  Expr form = times(c.query, i) + times(c.key, j);
  int64_t bound = -c.constant;
  if (!isNarrow)
    return c.isEquality ? form == Expr(bound) : form >= Expr(bound);
  if (std::abs(bound) > xf::mostPositions)
    return !c.isEquality && bound < 0 ? Halide::Internal::const_true()
                                      : Halide::Internal::const_false();
  auto narrow = static_cast<int>(bound);
  return c.isEquality ? form == narrow : form >= narrow;
}

Mask kernels::maskOf(xf::MaskAttr attribute, const Expr &first) {
  if (!attribute)
    return nullptr;
  return [=](const Expr &row, const Expr &j) {
    Expr all, i = first.defined() ? row + first : row;
    for (const auto &comparison : attribute.getComparisons()) {
      Expr one = holds(comparison, i, j);
      all = all.defined() ? all && one : one;
    }
    return all;
  };
}

/// The value of a linear expression of the positions of a first and a last
/// query, with the integer width of these.
static Expr valueOf(AffineExpr expr, const Expr &first, const Expr &last) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == 0 ? first : last;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Halide::Internal::make_const(first.type(), constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = valueOf(binary.getLHS(), first, last);
  Expr rhs = valueOf(binary.getRHS(), first, last);
  // Halide's division rounds down, as floordiv does.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return lhs / rhs;
  case AffineExprKind::CeilDiv:
    return (lhs + (rhs - 1)) / rhs;
  default:
    throw std::runtime_error("a bound of keys is linear in their queries");
  }
}

/// The same in 32 bits; values beyond ±mostPositions are clamped.
static Expr boundedValueOf(AffineExpr expr, const Expr &first,
                           const Expr &last) {
  bool isNarrow = true;
  expr.walk([&](AffineExpr part) {
    auto constant = dyn_cast<AffineConstantExpr>(part);
    isNarrow &= !constant || std::abs(constant.getValue()) < xf::mostPositions;
    auto product = dyn_cast<AffineBinaryOpExpr>(part);
    if (product && product.getKind() == AffineExprKind::Mul) {
      auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
      isNarrow &= factor && std::abs(factor.getValue()) == 1;
    }
  });
  if (isNarrow)
    return valueOf(expr, first, last);
  Expr value =
      valueOf(expr, Halide::cast<int64_t>(first), Halide::cast<int64_t>(last));
  return Halide::cast<int>(
      clamp(value, Expr(-xf::mostPositions), Expr(xf::mostPositions)));
}

KeyBound kernels::boundOf(Attribute attribute, const Expr &start,
                          Expr (*join)(Expr, Expr)) {
  auto map = dyn_cast_or_null<AffineMapAttr>(attribute);
  if (!map || map.getValue().getNumResults() == 0)
    return nullptr;
  return [=](const Expr &firstRow, const Expr &lastRow) {
    Expr first = start.defined() ? firstRow + start : firstRow;
    Expr last = start.defined() ? lastRow + start : lastRow;
    Expr bound;
    for (AffineExpr result : map.getValue().getResults()) {
      Expr value = boundedValueOf(result, first, last);
      bound = bound.defined() ? join(bound, value) : value;
    }
    return bound;
  };
}
