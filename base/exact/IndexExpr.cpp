// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, evaluation and analysis of definitions by index. Evaluation
// defines their meaning: kernels and proofs must agree with it.

#include "base/exact/IndexExpr.h"

#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

using namespace transfold;

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

IndexExprPtr IndexExpr::constant(const ExactScalar &value) {
  auto expr = std::make_shared<IndexExpr>();
  expr->value = value.toDouble();
  expr->exact = value;
  return expr;
}

IndexExprPtr IndexExpr::constant(double value) {
  auto expr = std::make_shared<IndexExpr>();
  expr->value = value;
  return expr;
}

IndexExprPtr IndexExpr::truth(bool value) {
  auto expr = std::make_shared<IndexExpr>();
  expr->value = value;
  expr->boolean = true;
  return expr;
}

IndexExprPtr IndexExpr::variable(int index) {
  auto expr = std::make_shared<IndexExpr>();
  expr->kind = Kind::Index;
  expr->index = index;
  return expr;
}

/// The exact value of an operation on exact constants that is the text of a
/// constant (IndexExprText.cpp): a fraction, a root, log2(e), or a multiple of
/// it. Other operations stay as they are written.
static std::optional<ExactScalar>
foldedExactly(ScalarOp op, const std::vector<IndexExprPtr> &operands) {
  for (const IndexExprPtr &operand : operands)
    if (op == ScalarOp::Log2 && operand->isOperation(ScalarOp::Exp) &&
        operand->operands[0]->isConstant() && operand->operands[0]->value == 1)
      return ExactScalar::log2OfE();
    else if (!operand->isConstant() || !operand->exact ||
             operand->exact->isZero())
      return std::nullopt;
  std::optional<ExactScalar> result;
  if (op == ScalarOp::Divide) {
    result = *operands[0]->exact / *operands[1]->exact;
    return result->decimal() ? std::nullopt : result;
  }
  if (op == ScalarOp::Multiply && !operands[1]->exact->log2e.isZero())
    return *operands[0]->exact * *operands[1]->exact;
  if (op == ScalarOp::Sqrt)
    result = operands[0]->exact->power({1, 2});
  else if (auto exponent = op == ScalarOp::Power
                               ? operands[1]->exact->asRational()
                               : std::nullopt)
    result =
        operands[0]->exact->power({static_cast<int64_t>(exponent->first),
                                   static_cast<int64_t>(exponent->second)});
  return result && result->isRational() ? std::nullopt : result;
}

IndexExprPtr IndexExpr::operation(ScalarOp op,
                                  std::vector<IndexExprPtr> operands) {
  try {
    if (auto exact = foldedExactly(op, operands))
      return constant(*exact);
  } catch (const std::overflow_error &) {
    // An exponent that needs more than 63 bits: it stays an operation.
  }
  // Constant operands of logical operations are folded: `true and x` is x.
  if (op == ScalarOp::And || op == ScalarOp::Or)
    for (size_t k = 0; k < 2; ++k)
      if (operands[k]->isConstant())
        return (operands[k]->value != 0) == (op == ScalarOp::And)
                   ? operands[1 - k]
                   : operands[k];
  if (op == ScalarOp::Select && operands[0]->isConstant())
    return operands[operands[0]->value != 0 ? 1 : 2];
  auto expr = std::make_shared<IndexExpr>();
  expr->kind = Kind::Operation;
  expr->op = op;
  expr->boolean = isComparison(op) || op == ScalarOp::And ||
                  op == ScalarOp::Or || op == ScalarOp::Not ||
                  (op == ScalarOp::Select && operands[1]->boolean);
  expr->operands = std::move(operands);
  return expr;
}

IndexExprPtr IndexExpr::read(int array, std::vector<IndexExprPtr> indices) {
  auto expr = std::make_shared<IndexExpr>();
  expr->kind = Kind::Read;
  expr->array = array;
  expr->operands = std::move(indices);
  return expr;
}

IndexExprPtr IndexExpr::length(std::string name) {
  auto expr = std::make_shared<IndexExpr>();
  expr->kind = Kind::Length;
  expr->name = std::move(name);
  return expr;
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// An index that is not representable is past the end of every array.
static int64_t placeOf(double number) {
  bool isPlace = number > -0x1p63 && number < 0x1p63;
  return isPlace ? int64_t(number) : std::numeric_limits<int64_t>::max();
}

double transfold::evaluate(const IndexExpr &expr,
                           std::span<const int64_t> indices,
                           const ArrayReader &reader) {
  switch (expr.kind) {
  case IndexExpr::Kind::Constant:
    return expr.value;
  case IndexExpr::Kind::Index:
    assert(size_t(expr.index) < indices.size());
    return double(indices[expr.index]);
  case IndexExpr::Kind::Read: {
    std::vector<int64_t> place;
    for (const IndexExprPtr &operand : expr.operands)
      place.push_back(placeOf(evaluate(*operand, indices, reader)));
    return reader(expr.array, place);
  }
  case IndexExpr::Kind::Length:
    assert(false && "a length has no value yet");
    return 0;
  case IndexExpr::Kind::Operation:
    break;
  }
  auto value = [&](const IndexExpr &operand) {
    return evaluate(operand, indices, reader);
  };
  return evaluateOperation(expr, value, value);
}

bool transfold::isGuarded(const IndexExpr &expr, size_t operand) {
  return operand > 0 &&
         (expr.isOperation(ScalarOp::Select) ||
          expr.isOperation(ScalarOp::And) || expr.isOperation(ScalarOp::Or));
}

void transfold::walk(const IndexExpr &expr,
                     const std::function<void(const IndexExpr &)> &visit) {
  for (const IndexExprPtr &operand : expr.operands)
    walk(*operand, visit);
  visit(expr);
}

bool transfold::dependsOnLengths(const IndexExpr &expr) {
  bool depends = false;
  walk(expr, [&](const IndexExpr &node) {
    depends |= node.kind == IndexExpr::Kind::Length;
  });
  return depends;
}

//===----------------------------------------------------------------------===//
// Linear forms
//===----------------------------------------------------------------------===//

/// The integer that a constant is; nullopt for anything else. Above 2^52 a
/// double may stand for a rounded integer, so a linear form could be wrong.
static std::optional<int64_t> integerOf(const IndexExpr &expr) {
  if (!expr.isConstant() || expr.boolean || std::fabs(expr.value) > 0x1p52 ||
      expr.value != std::nearbyint(expr.value))
    return std::nullopt;
  return int64_t(expr.value);
}

/// a + factor · b; nullopt on 64-bit overflow.
static std::optional<LinearForm> combined(const LinearForm &a,
                                          const LinearForm &b, int64_t factor) {
  LinearForm sum = a;
  bool overflows = false;
  auto add = [&](int64_t &to, int64_t number) {
    int64_t product = 0;
    overflows |= __builtin_mul_overflow(factor, number, &product) ||
                 __builtin_add_overflow(to, product, &to);
  };
  for (size_t k = 0; k < sum.coefficients.size(); ++k)
    add(sum.coefficients[k], b.coefficients[k]);
  add(sum.constant, b.constant);
  return overflows ? std::nullopt : std::optional(sum);
}

std::optional<LinearForm> transfold::linearForm(const IndexExpr &expr,
                                                size_t count) {
  LinearForm zero{std::vector<int64_t>(count, 0), 0};
  if (expr.kind == IndexExpr::Kind::Index) {
    zero.coefficients[expr.index] = 1;
    return zero;
  }
  // Tested before the operations, so that each recursive call ends at an index
  // or an integer constant.
  if (auto number = integerOf(expr)) {
    zero.constant = *number;
    return zero;
  }
  if (expr.kind != IndexExpr::Kind::Operation)
    return std::nullopt;
  if (expr.op == ScalarOp::Multiply)
    for (size_t k = 0; k < 2; ++k)
      if (auto factor = integerOf(*expr.operands[k])) {
        auto other = linearForm(*expr.operands[1 - k], count);
        if (other)
          return combined(zero, *other, *factor);
      }
  bool isSum = expr.op == ScalarOp::Add || expr.op == ScalarOp::Subtract;
  if (!isSum && expr.op != ScalarOp::Negate)
    return std::nullopt;
  auto first = linearForm(*expr.operands[0], count);
  if (!first)
    return std::nullopt;
  if (expr.op == ScalarOp::Negate)
    return combined(zero, *first, -1);
  auto second = linearForm(*expr.operands[1], count);
  if (!second)
    return std::nullopt;
  return combined(*first, *second, expr.op == ScalarOp::Add ? 1 : -1);
}

bool transfold::dependsOnDistanceOnly(const IndexExpr &expr, int a, int b,
                                      size_t count) {
  auto isInvariant = [&](const LinearForm &form) {
    return form.coefficients[a] + form.coefficients[b] == 0;
  };
  if (auto form = linearForm(expr, count))
    return isInvariant(*form);
  // A comparison such as j <= i depends on the difference of its sides.
  if (expr.kind == IndexExpr::Kind::Operation && isComparison(expr.op)) {
    auto left = linearForm(*expr.operands[0], count);
    auto right = linearForm(*expr.operands[1], count);
    if (left && right)
      if (auto difference = combined(*left, *right, -1))
        return isInvariant(*difference);
  }
  // Neither linear nor a comparison of linear forms: the expression depends on
  // the distance only if each operand does. This is sufficient, not necessary.
  for (const IndexExprPtr &operand : expr.operands)
    if (!dependsOnDistanceOnly(*operand, a, b, count))
      return false;
  return true;
}
