// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints expressions with as few parentheses as the parser needs to read the
// same tree again: each expression has a binding power, and gets parentheses
// where its context requires a stronger one.

#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <optional>

using namespace transfold::spec;

namespace {
/// The spelling and the binding power of an infix operator.
struct Infix {
  const char *text;
  int power; // as in ParseExpr.cpp
};
} // namespace

/// The power of `-`, which lies between those of `*` and `^`.
static constexpr int minusPower = 8;
static constexpr int prefixPower = 9;
/// The power of calls, indices and literals, which never need parentheses.
static constexpr int postfixPower = 12;

/// The operator of a kind; its text is null for kinds that are not infix.
static Infix infix(ExprKind kind) {
  switch (kind) {
  case ExprKind::Or:
    return {"or", 2};
  case ExprKind::And:
    return {"and", 3};
  case ExprKind::Equal:
    return {"==", 5};
  case ExprKind::NotEqual:
    return {"!=", 5};
  case ExprKind::Less:
    return {"<", 5};
  case ExprKind::LessEqual:
    return {"<=", 5};
  case ExprKind::Greater:
    return {">", 5};
  case ExprKind::GreaterEqual:
    return {">=", 5};
  case ExprKind::In:
    return {"in", 5};
  case ExprKind::Default:
    return {"??", 6};
  case ExprKind::Add:
    return {"+", 7};
  case ExprKind::Subtract:
    return {"-", 7};
  case ExprKind::Multiply:
    return {"*", 8};
  case ExprKind::Divide:
    return {"/", 8};
  case ExprKind::Product:
    return {"@", 8};
  case ExprKind::IntegerDivide:
    return {"div", 8};
  case ExprKind::Modulo:
    return {"mod", 8};
  case ExprKind::Power:
    return {"^", 11};
  default:
    return {nullptr, 0};
  }
}

static std::string print(const Expr &expr, int power);

/// The operands from number `first`, separated by commas.
static std::string list(const std::vector<ExprPtr> &operands, size_t first) {
  std::string result;
  for (size_t i = first; i < operands.size(); ++i)
    result += (i > first ? ", " : "") + print(*operands[i], 0);
  return result;
}

/// "[a, b; c]": commas within a row, a semicolon before each further row.
static std::string stack(const Expr &expr) {
  std::string result = "[";
  size_t next = 0;
  for (size_t row = 0; row < expr.rowLengths.size(); ++row)
    for (size_t column = 0; column < expr.rowLengths[row]; ++column) {
      if (next)
        result += column ? ", " : "; ";
      result += print(*expr.operands[next++], 0);
    }
  return result + "]";
}

/// "{ k: v }"; the keys are spelled as in the spec.
static std::string record(const Expr &expr) {
  std::string result;
  for (size_t i = 0; i < expr.keys.size(); ++i)
    result += fmt::format("{}{}: {}", i ? ", " : "", expr.keys[i],
                          print(*expr.operands[i], 0));
  return result.empty() ? "{}" : "{ " + result + " }";
}

/// The text of a name, a literal or a keyword; nullopt for other expressions.
static std::optional<std::string> atom(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Number:
  case ExprKind::Name:
    return expr.text;
  case ExprKind::String:
    return "\"" + expr.text + "\"";
  case ExprKind::True:
    return "true";
  case ExprKind::False:
    return "false";
  case ExprKind::None:
    return "none";
  case ExprKind::Infinity:
    return "∞";
  case ExprKind::Config:
    return "config";
  case ExprKind::Generation:
    return "generation";
  default:
    return std::nullopt;
  }
}

/// The text without enclosing parentheses, and its binding power.
static std::pair<std::string, int> bare(const Expr &expr) {
  auto operand = [&](size_t i, int power) {
    return expr.operands[i] ? print(*expr.operands[i], power) : std::string();
  };
  if (Infix op = infix(expr.kind); op.text) {
    bool right = expr.kind == ExprKind::Power;
    const char *space = right ? "" : " ";
    return {fmt::format("{}{}{}{}{}", operand(0, op.power + right), space,
                        op.text, space, operand(1, op.power + !right)),
            op.power};
  }
  if (std::optional<std::string> text = atom(expr))
    return {*text, postfixPower};
  switch (expr.kind) {
  case ExprKind::Field:
    return {(expr.operands[0]->kind == ExprKind::Config
                 ? std::string()
                 : operand(0, postfixPower)) +
                "." + expr.text,
            postfixPower};
  case ExprKind::Call:
    return {operand(0, postfixPower) + "(" + list(expr.operands, 1) + ")",
            postfixPower};
  case ExprKind::Index:
    return {operand(0, postfixPower) + "[" + list(expr.operands, 1) + "]",
            postfixPower};
  case ExprKind::Named:
    return {expr.text + " = " + operand(0, 0), 0};
  case ExprKind::Given:
    return {operand(0, 1) + " | " + operand(1, 1), 0};
  case ExprKind::Slice:
    return {operand(0, 1) + ":" + operand(1, 1), 0};
  case ExprKind::Range:
    return {operand(0, 1) + " +: " + operand(1, 1), 0};
  case ExprKind::Transpose:
    return {operand(0, postfixPower) + "'", postfixPower};
  case ExprKind::Stack:
    return {stack(expr), postfixPower};
  case ExprKind::Record:
    return {record(expr), postfixPower};
  case ExprKind::Conditional:
    return {fmt::format("{} if {} else {}", operand(1, 2), operand(0, 2),
                        operand(2, 1)),
            1};
  case ExprKind::Not:
    return {"not " + operand(0, 4), 4};
  case ExprKind::Negate:
    return {"-" + operand(0, prefixPower), prefixPower};
  case ExprKind::Root:
    return {"√" + operand(0, postfixPower), postfixPower - 1};
  case ExprKind::Sum:
    return {"Σ_" + expr.text + " " + operand(0, minusPower), minusPower};
  default:
    return {"?", postfixPower};
  }
}

/// The text of `expr`, in parentheses if it binds weaker than `power`.
static std::string print(const Expr &expr, int power) {
  auto [text, own] = bare(expr);
  return own < power ? "(" + text + ")" : text;
}

std::string transfold::spec::text(const Expr &expr) { return print(expr, 0); }

std::string transfold::spec::text(const std::vector<ExprPtr> &dims) {
  return "[" + list(dims, 0) + "]";
}
