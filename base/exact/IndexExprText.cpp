// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index as text, with the operators of the spec language and as
// few parentheses as possible.

#include "base/exact/IndexExpr.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

using namespace transfold;

namespace {

/// Precedence of operators, weakest first, as in the spec language.
enum Binding {
  Conditional,
  Disjunction,
  Conjunction,
  Negation,
  Comparison,
  Sum,
  Product,
  Minus,
  Power,
  Primary
};

/// The text of a constant, and how tightly its outermost operator binds.
struct ConstantText {
  std::string text;
  Binding binding = Primary;
};

/// A fraction above 0: "0.25", "1 / 3".
ConstantText fractionText(const ExactScalar &value) {
  if (auto decimal = value.decimal())
    return {*decimal};
  auto fraction = value.asRational();
  if (!fraction) // too long
    return {fmt::format("{}", value.toDouble())};
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << fraction->first;
  if (fraction->second == ExactScalar::Integer(1))
    return {text};
  stream << " / " << fraction->second;
  return {text, Product};
}

/// An exact number above 0 so that it is the same number when it is read:
/// "1 / 3", "√(8)", "(2 / 3)^0.25", "2.5 * log2(exp(1))".
ConstantText exactText(const ExactScalar &value) {
  const bool isFactor = value.log2e == Exponent{1};
  if (isFactor || value.log2e == Exponent{-1}) {
    ExactScalar rest = value;
    rest.log2e = Exponent{0};
    if (isFactor && rest.isOne())
      return {"log2(exp(1))"};
    return {exactText(rest).text + (isFactor ? " * " : " / ") + "log2(exp(1))",
            Product};
  }
  int64_t order = value.log2e.denominator; // of the root that it is
  for (const ExactScalar::Factor &factor : value.factors)
    order = std::lcm(order, factor.exponent.denominator);
  auto power = value.power({order, 1});
  if (order == 1 || !power)
    return fractionText(value);
  const ConstantText base = exactText(*power);
  if (order == 2)
    return {fmt::format("√({})", base.text)};
  auto inBrackets = [](const ConstantText &inner) {
    return inner.binding == Primary ? inner.text : "(" + inner.text + ")";
  };
  return {inBrackets(base) + "^" +
              inBrackets(fractionText(ExactScalar(1) / ExactScalar(order))),
          ::Power};
}

/// A negative constant is printed with a minus sign and binds like one: (-2)^2
/// keeps its parentheses.
ConstantText textOf(const IndexExpr &constant) {
  if (constant.boolean)
    return {constant.value != 0 ? "true" : "false"};
  const bool isNegative = std::signbit(constant.value);
  if (!constant.exact || constant.exact->isZero())
    return {fmt::format("{}", constant.value), isNegative ? Minus : Primary};
  if (!isNegative)
    return exactText(*constant.exact);
  const ConstantText positive = exactText(-*constant.exact);
  return {positive.binding < Minus ? "-(" + positive.text + ")"
                                   : "-" + positive.text,
          Minus};
}

/// How tightly the outermost operator of an expression binds that is not a
/// constant.
Binding bindingOf(const IndexExpr &expr) {
  if (expr.kind != IndexExpr::Kind::Operation)
    return Primary;
  switch (expr.op) {
  case ScalarOp::Select:
    return Conditional;
  case ScalarOp::Or:
    return Disjunction;
  case ScalarOp::And:
    return Conjunction;
  case ScalarOp::Not:
    return Negation;
  case ScalarOp::Add:
  case ScalarOp::Subtract:
    return Sum;
  case ScalarOp::Multiply:
  case ScalarOp::Divide:
  case ScalarOp::IntegerDivide:
  case ScalarOp::Modulo:
    return Product;
  case ScalarOp::Negate:
    return Minus;
  case ScalarOp::Power:
    return ::Power;
  default:
    return isComparison(expr.op) ? Comparison : Primary;
  }
}

/// The text of `expr`, in parentheses if it binds less tightly than `least`.
std::string shown(const IndexExpr &expr, const std::vector<std::string> &names,
                  Binding least);

/// The operands, separated by commas, as arguments of a call or as indices.
std::string listOf(const IndexExpr &expr,
                   const std::vector<std::string> &names) {
  std::string list;
  for (const IndexExprPtr &operand : expr.operands)
    list += (list.empty() ? "" : ", ") +
            shown(*operand, names, Binding::Conditional);
  return list;
}

/// The text of an operation. `more` of an operand is 1 where the grammar
/// requires a tighter one at that place: the right operand of left-associative
/// operators, and both of a comparison, which cannot be chained.
std::string operation(const IndexExpr &expr,
                      const std::vector<std::string> &names) {
  Binding own = bindingOf(expr);
  auto operand = [&](size_t k, int more) {
    return shown(*expr.operands[k], names, Binding(own + more));
  };
  switch (own) {
  case Conditional:
    return fmt::format("{} if {} else {}", operand(1, 1), operand(0, 1),
                       operand(2, 0));
  case Negation:
    return "not " + operand(0, 0);
  case Minus:
    return "-" + operand(0, 1);
  case ::Power:
    return fmt::format("{}^{}", operand(0, 1), operand(1, 0));
  case Primary:
    return fmt::format("{}({})", name(expr.op), listOf(expr, names));
  case Comparison:
    return fmt::format("{} {} {}", operand(0, 1), name(expr.op), operand(1, 1));
  default:
    return fmt::format("{} {} {}", operand(0, 0), name(expr.op), operand(1, 1));
  }
}

std::string shown(const IndexExpr &expr, const std::vector<std::string> &names,
                  Binding least) {
  std::string text;
  switch (expr.kind) {
  case IndexExpr::Kind::Constant: {
    const ConstantText constant = textOf(expr);
    return constant.binding < least ? "(" + constant.text + ")" : constant.text;
  }
  case IndexExpr::Kind::Index:
    text = expr.index >= 0 && size_t(expr.index) < names.size()
               ? names[expr.index]
               : fmt::format("#{}", expr.index);
    break;
  case IndexExpr::Kind::Read:
    text = fmt::format("%{}[{}]", expr.array, listOf(expr, names));
    break;
  case IndexExpr::Kind::Length:
    text = expr.name;
    break;
  case IndexExpr::Kind::Operation:
    text = operation(expr, names);
    break;
  }
  return bindingOf(expr) < least ? "(" + text + ")" : text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A recursive-descent parser; each function returns null if the text does not
/// match.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  /// "[" indices "] =" expression; nullopt unless it matches the whole text.
  std::optional<IndexDefinition> definition() {
    IndexDefinition read;
    if (!take("["))
      return std::nullopt;
    if (!take("]")) {
      do {
        read.indices.push_back(word());
        if (read.indices.back().empty())
          return std::nullopt;
      } while (take(","));
      if (!take("]"))
        return std::nullopt;
    }
    names = read.indices;
    if (!take("=") || !(read.body = expression(Conditional)))
      return std::nullopt;
    skip();
    return rest.empty() ? std::optional(read) : std::nullopt;
  }

private:
  void skip() {
    while (rest.starts_with(' '))
      rest.remove_prefix(1);
  }

  /// Consumes `token`, a symbol or a whole word.
  bool take(std::string_view token) {
    skip();
    if (!rest.starts_with(token))
      return false;
    bool isWord = std::isalpha(static_cast<unsigned char>(token.back()));
    if (isWord && rest.size() > token.size() &&
        isPartOfWord(rest[token.size()]))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  static bool isPartOfWord(char c) {
    // Bytes of non-ASCII letters too: names may be Greek.
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           static_cast<unsigned char>(c) >= 128;
  }

  /// Consumes a name; empty if there is none here.
  std::string word() {
    skip();
    size_t length = 0;
    while (length < rest.size() && isPartOfWord(rest[length]))
      ++length;
    std::string word(rest.substr(0, length));
    rest.remove_prefix(length);
    return word;
  }

  /// Consumes an operator of this precedence. Longer symbols precede their
  /// prefixes in the table: "<=" is tested before "<".
  std::optional<ScalarOp> infix(Binding level) {
    static constexpr std::pair<Binding, ScalarOp> operators[] = {
        {Disjunction, ScalarOp::Or},
        {Conjunction, ScalarOp::And},
        {Comparison, ScalarOp::Equal},
        {Comparison, ScalarOp::NotEqual},
        {Comparison, ScalarOp::LessEqual},
        {Comparison, ScalarOp::GreaterEqual},
        {Comparison, ScalarOp::Less},
        {Comparison, ScalarOp::Greater},
        {Sum, ScalarOp::Add},
        {Sum, ScalarOp::Subtract},
        {Product, ScalarOp::Multiply},
        {Product, ScalarOp::Divide},
        {Product, ScalarOp::IntegerDivide},
        {Product, ScalarOp::Modulo}};
    for (auto [binding, op] : operators)
      if (binding == level && take(name(op)))
        return op;
    return std::nullopt;
  }

  /// An expression whose outermost operator binds at least as tightly as
  /// `level`.
  IndexExprPtr expression(Binding level) {
    switch (level) {
    case Conditional: {
      IndexExprPtr value = expression(Disjunction);
      if (!value || !take("if"))
        return value;
      IndexExprPtr condition = expression(Disjunction);
      IndexExprPtr otherwise =
          condition && take("else") ? expression(Conditional) : nullptr;
      return made(ScalarOp::Select, {condition, value, otherwise});
    }
    case Negation:
      if (take("not"))
        return made(ScalarOp::Not, {expression(Negation)});
      return expression(Comparison);
    case Minus:
      if (take("-")) {
        IndexExprPtr operand = expression(Minus);
        // So that a negative constant is a constant again after it was printed.
        if (operand && operand->isConstant())
          return operand->exact && !operand->exact->isZero()
                     ? IndexExpr::constant(-*operand->exact)
                     : IndexExpr::constant(-operand->value);
        return made(ScalarOp::Negate, {operand});
      }
      return expression(::Power);
    case ::Power: {
      IndexExprPtr base = expression(Primary);
      if (!base || !take("^"))
        return base;
      return made(ScalarOp::Power, {base, expression(Minus)});
    }
    case Primary:
      return primary();
    default:
      break;
    }
    IndexExprPtr left = expression(Binding(level + 1));
    while (left) {
      auto op = infix(level);
      if (!op)
        break;
      left = made(*op, {left, expression(Binding(level + 1))});
    }
    return left;
  }

  /// An operation, or null if one of its operands did not match.
  static IndexExprPtr made(ScalarOp op, std::vector<IndexExprPtr> operands) {
    for (const IndexExprPtr &operand : operands)
      if (!operand)
        return nullptr;
    return IndexExpr::operation(op, std::move(operands));
  }

  /// A parenthesized expression, an array element, a number, a call or an
  /// index.
  IndexExprPtr primary() {
    if (take("(")) {
      IndexExprPtr inner = expression(Conditional);
      return take(")") ? inner : nullptr;
    }
    if (take("%")) {
      auto array = number();
      std::vector<IndexExprPtr> indices;
      if (!array || !take("[") || !list("]", indices))
        return nullptr;
      return IndexExpr::read(int(*array), std::move(indices));
    }
    const std::string_view before = rest;
    if (auto value = number()) {
      auto exact = ExactScalar::parseDecimal(
          before.substr(0, before.size() - rest.size()));
      return exact ? IndexExpr::constant(*exact) : IndexExpr::constant(*value);
    }
    skip();
    std::string called = rest.starts_with("√") ? "√" : word();
    if (called == "√")
      rest.remove_prefix(called.size());
    const bool isCall = take("(");
    // An index may have the name of a constant or of a function.
    if (auto index = std::ranges::find(names, called);
        !isCall && index != names.end())
      return IndexExpr::variable(int(index - names.begin()));
    if (called == "true" || called == "false")
      return IndexExpr::truth(called == "true");
    if (called == "inf")
      return IndexExpr::constant(std::numeric_limits<double>::infinity());
    if (called == "nan")
      return IndexExpr::constant(std::numeric_limits<double>::quiet_NaN());
    if (isCall) {
      std::vector<IndexExprPtr> operands;
      if (!list(")", operands))
        return nullptr;
      auto op =
          scalarFunction(called == "√" ? "sqrt" : called, operands.size());
      return op ? made(*op, std::move(operands)) : nullptr;
    }
    return nullptr;
  }

  /// Expressions separated by commas, then `end`; false if the text does not
  /// match.
  bool list(std::string_view end, std::vector<IndexExprPtr> &elements) {
    if (take(end))
      return true;
    do {
      elements.push_back(expression(Conditional));
      if (!elements.back())
        return false;
    } while (take(","));
    return take(end);
  }

  /// Consumes a nonnegative decimal number; a sign is an operator.
  std::optional<double> number() {
    skip();
    double value = 0;
    if (rest.empty() || !std::isdigit(static_cast<unsigned char>(rest[0])))
      return std::nullopt;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return std::nullopt;
    rest.remove_prefix(size_t(end - rest.data()));
    return value;
  }

  std::string_view rest;
  std::vector<std::string> names;
};

} // namespace

std::string IndexExpr::str(const std::vector<std::string> &names) const {
  return shown(*this, names, Conditional);
}

std::string IndexDefinition::str() const {
  std::string list;
  for (const std::string &index : indices)
    list += (list.empty() ? "" : ", ") + index;
  return fmt::format("[{}] = {}", list, body->str(indices));
}

std::optional<IndexDefinition> IndexDefinition::parse(std::string_view text) {
  return Reader(text).definition();
}
