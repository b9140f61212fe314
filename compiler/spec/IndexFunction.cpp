// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/IndexFunction.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

namespace transfold::spec {

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

IndexExprPtr IndexExpr::operation(ScalarOp op,
                                  std::vector<IndexExprPtr> operands) {
  // What is decided already decides: `true and x` is x.
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

std::string IndexExpr::str(const std::vector<std::string> &names) const {
  std::string list;
  for (const IndexExprPtr &operand : operands)
    list += (list.empty() ? "" : ", ") + operand->str(names);
  switch (kind) {
  case Kind::Constant:
    if (boolean)
      return value != 0 ? "true" : "false";
    return exact ? exact->str() : fmt::format("{}", value);
  case Kind::Index:
    return index >= 0 && size_t(index) < names.size()
               ? names[index]
               : fmt::format("#{}", index);
  case Kind::Read:
    return fmt::format("%{}[{}]", array, list);
  case Kind::Operation:
    break;
  }
  if (op == ScalarOp::Select)
    return fmt::format("({} if {} else {})", operands[1]->str(names),
                       operands[0]->str(names), operands[2]->str(names));
  if (operands.size() == 2 && op < ScalarOp::Min)
    return fmt::format("({} {} {})", operands[0]->str(names), spec::name(op),
                       operands[1]->str(names));
  return fmt::format("{}({})", spec::name(op), list);
}

IndexFunction::IndexFunction(std::string name,
                             std::vector<std::string> indexNames,
                             IndexExprPtr body, unsigned families)
    : functionName(std::move(name)), indexNames(std::move(indexNames)),
      body(std::move(body)), leading(families) {}

static bool reads(const IndexExpr &expr) {
  if (expr.kind == IndexExpr::Kind::Read)
    return true;
  for (const IndexExprPtr &operand : expr.operands)
    if (reads(*operand))
      return true;
  return false;
}

bool IndexFunction::readsArrays() const { return reads(*body); }

static double valueOf(const IndexExpr &expr, std::span<const int64_t> indices,
                      const IndexFunction::Reader &reader) {
  switch (expr.kind) {
  case IndexExpr::Kind::Constant:
    return expr.value;
  case IndexExpr::Kind::Index:
    assert(size_t(expr.index) < indices.size());
    return double(indices[expr.index]);
  case IndexExpr::Kind::Read: {
    std::vector<int64_t> place;
    for (const IndexExprPtr &operand : expr.operands)
      place.push_back(int64_t(valueOf(*operand, indices, reader)));
    return reader(expr.array, place);
  }
  case IndexExpr::Kind::Operation:
    break;
  }
  // Only the branch that is taken: the other may divide by zero, or read beyond
  // the end of an array.
  if (expr.op == ScalarOp::Select) {
    bool taken = valueOf(*expr.operands[0], indices, reader) != 0;
    return valueOf(*expr.operands[taken ? 1 : 2], indices, reader);
  }
  std::array<double, 3> operands{};
  for (size_t k = 0; k < expr.operands.size(); ++k)
    operands[k] = valueOf(*expr.operands[k], indices, reader);
  return evaluate(expr.op, std::span(operands).first(expr.operands.size()));
}

double IndexFunction::at(std::span<const int64_t> indices,
                         const Reader &reader) const {
  return valueOf(*body, indices, reader);
}

std::string IndexFunction::str() const {
  std::string list;
  for (const std::string &index : indexNames)
    list += (list.empty() ? "" : ", ") + index;
  return fmt::format("[{}] = {}", list, body->str(indexNames));
}

} // namespace transfold::spec
