// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions, by precedence climbing.

#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Parser.h"
#include "compiler/spec/syntax/ParserRules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace transfold::spec;

namespace {
/// An infix operator: the node that it makes, and its binding power.
struct Operator {
  ExprKind kind;
  int power;
};
} // namespace

// Binding powers, weakest first. Those of `not` and of the prefix `-` lie
// between the powers of infix operators.
static constexpr int conditionalPower = 1;
static constexpr int notPower = 4;
static constexpr int comparisonPower = 5;
static constexpr int productPower = 8;
static constexpr int negatePower = 9;

/// All infix operators by their spelling. ExprText.cpp prints with the same
/// powers.
static const std::map<std::string_view, Operator> binaryOperators = {
    {"or", {ExprKind::Or, 2}},
    {"and", {ExprKind::And, 3}},
    {"==", {ExprKind::Equal, comparisonPower}},
    {"!=", {ExprKind::NotEqual, comparisonPower}},
    {"<", {ExprKind::Less, comparisonPower}},
    {"<=", {ExprKind::LessEqual, comparisonPower}},
    {">", {ExprKind::Greater, comparisonPower}},
    {">=", {ExprKind::GreaterEqual, comparisonPower}},
    {"in", {ExprKind::In, comparisonPower}},
    {"??", {ExprKind::Default, 6}},
    {"+", {ExprKind::Add, 7}},
    {"-", {ExprKind::Subtract, 7}},
    {"*", {ExprKind::Multiply, 8}},
    {"/", {ExprKind::Divide, 8}},
    {"@", {ExprKind::Product, 8}},
    {"div", {ExprKind::IntegerDivide, 8}},
    {"mod", {ExprKind::Modulo, 8}},
    {"^", {ExprKind::Power, 11}}};

/// The infix operator that a token is; null for other tokens. A string with the
/// text "+" is not an operator, hence the test of the kind.
static const Operator *binaryOperator(const Token &token) {
  if (token.kind != TokenKind::Operator && token.kind != TokenKind::Keyword)
    return nullptr;
  auto found = binaryOperators.find(token.text);
  return found == binaryOperators.end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

// Every later walk recurses. Deeper trees only occur by accident or as an
// attack.
static constexpr unsigned maxHeight = 200;

ExprPtr Parser::finish(Expr expr) {
  for (const ExprPtr &operand : expr.operands)
    if (operand)
      expr.height = std::max(expr.height, operand->height + 1);
  if (expr.height > maxHeight)
    throw SpecError(
        Code::TooDeep, expr.at,
        fmt::format("this expression has more than {} levels", maxHeight),
        {"Give names to parts of it."});
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr Parser::make(ExprKind kind, const Token &first, const Token &caret,
                     std::vector<ExprPtr> operands, std::string text) {
  Expr expr{kind,
            rangeFrom(first),
            caret.range.begin,
            std::move(text),
            std::move(operands),
            {},
            {}};
  return finish(std::move(expr));
}

ExprPtr Parser::binary(ExprKind kind, const Token &op, ExprPtr left,
                       ExprPtr right) {
  Range range{left->range.begin, right->range.end};
  return finish({kind, range, op.range.begin, "", {left, right}, {}, {}});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ExprPtr Parser::expression() { return expression(conditionalPower); }

ExprPtr Parser::unconditional() { return expression(conditionalPower + 1); }

ExprPtr Parser::onlyExpression() {
  ExprPtr result = expression();
  if (token().kind != TokenKind::End)
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected one expression, found {}", found()));
  return result;
}

bool Parser::startsValue() const {
  switch (token().kind) {
  case TokenKind::Identifier:
  case TokenKind::Number:
  case TokenKind::String:
    return true;
  default:
    return at("√") || at("∞") || at("true") || at("false") || at("none") ||
           at("config") || at("generation");
  }
}

ExprPtr Parser::expression(int power) {
  Level level(*this);
  ExprPtr left = prefix();
  while (true) {
    if (startsValue())
      fail(Code::SideBySide, token(),
           "two values side by side: write @ (matrix product) or * "
           "(scalars, entry by entry)");
    if (at("if")) {
      if (power > conditionalPower)
        return left;
      const Token &op = take();
      ExprPtr condition = unconditional();
      if (!at("else"))
        fail(Code::MissingElse, token(),
             fmt::format("expected `else`, found {}", found()),
             {"A value with `if` needs another one: a if condition else b."});
      take();
      ExprPtr otherwise = expression();
      Range range{left->range.begin, otherwise->range.end};
      left = finish({ExprKind::Conditional,
                     range,
                     op.range.begin,
                     "",
                     {condition, left, otherwise},
                     {},
                     {}});
      continue;
    }
    const Operator *op = binaryOperator(token());
    if (!op || op->power < power)
      return left;
    if (op->power == comparisonPower) {
      left = comparison(left);
      continue;
    }
    const Token &written = take();
    // Powers are right-associative; 2^-1 needs no parentheses.
    if (op->kind == ExprKind::Power)
      left = binary(op->kind, written, left,
                    expression(at("-") ? negatePower : op->power));
    else
      left = binary(op->kind, written, left, expression(op->power + 1));
  }
}

/// a < b, and chains: 0 <= i - j < w is parsed as 0 <= i - j and i - j < w.
ExprPtr Parser::comparison(ExprPtr left) {
  ExprPtr result;
  ExprPtr operand = left;
  bool chainInside = false; // whether the last operand contains a chain
  while (true) {
    const Operator *op = binaryOperator(token());
    if (!op || op->power != comparisonPower)
      return result;
    // The middle operand occurs in two comparisons. With chains inside chains,
    // trees would be exponentially larger than their text.
    if (result && chainInside)
      fail(Code::ChainedComparisons, token(),
           "a chain of comparisons with another chain inside: write "
           "a < b and b < c");
    const Token &written = take();
    unsigned chainsBefore = chains;
    ExprPtr right = expression(comparisonPower + 1);
    chainInside = chains != chainsBefore;
    ExprPtr link = binary(op->kind, written, operand, right);
    if (result) {
      ++chains;
      Range range{result->range.begin, link->range.end};
      result = finish({ExprKind::And,
                       range,
                       written.range.begin,
                       "",
                       {result, link},
                       {},
                       {}});
    } else {
      result = link;
    }
    operand = right;
  }
}

ExprPtr Parser::prefix() {
  const Token &first = token();
  if (accept("-"))
    return make(ExprKind::Negate, first, first, {expression(negatePower)});
  if (accept("not"))
    return make(ExprKind::Not, first, first, {expression(notPower)});
  if (accept("√")) {
    Level level(*this);
    ExprPtr operand = at("√") ? prefix() : postfix(primary());
    return make(ExprKind::Root, first, first, {operand});
  }
  if (std::string index = sumIndex(); !index.empty()) {
    take();
    return make(ExprKind::Sum, first, first, {expression(productPower)}, index);
  }
  return postfix(primary());
}

/// Σ_j, or sum_j before a value: elsewhere that is a name. In sum_j (…) the
/// space says that it is not a call of a function.
std::string Parser::sumIndex() {
  const Token &sign = token();
  if (sign.kind != TokenKind::Identifier)
    return "";
  for (std::string_view prefix : {"Σ_", "sum_"})
    if (sign.text.starts_with(prefix) && sign.text.size() > prefix.size()) {
      if (prefix == "sum_") {
        take();
        bool isSum =
            startsValue() ||
            (at("(") && token().offset > sign.offset + sign.spelling.size());
        --position;
        if (!isSum)
          return "";
      }
      return sign.text.substr(prefix.size());
    }
  return "";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ExprPtr Parser::primary() {
  const Token &first = token();
  switch (first.kind) {
  case TokenKind::Number:
    take();
    return make(ExprKind::Number, first, first, {}, first.text);
  case TokenKind::Identifier:
    take();
    return make(ExprKind::Name, first, first, {}, first.text);
  case TokenKind::String:
    return stringLiteral();
  default:
    break;
  }
  static constexpr std::pair<const char *, ExprKind> words[] = {
      {"true", ExprKind::True},     {"false", ExprKind::False},
      {"none", ExprKind::None},     {"∞", ExprKind::Infinity},
      {"config", ExprKind::Config}, {"generation", ExprKind::Generation}};
  for (auto [word, kind] : words)
    if (accept(word))
      return make(kind, first, first);
  if (accept(".")) {
    if (token().kind == TokenKind::Number)
      fail(Code::MalformedNumber, first,
           fmt::format("numbers begin with a digit: write 0.{}",
                       token().spelling));
    ExprPtr root = make(ExprKind::Config, first, first);
    const Token &key = identifier("a key of the configuration");
    return make(ExprKind::Field, first, first, {root}, key.spelling);
  }
  if (accept("(")) {
    ExprPtr inner = expression();
    expect(")");
    Expr whole = *inner; // messages underline the parentheses as well
    whole.range = rangeFrom(first);
    return finish(std::move(whole));
  }
  if (at("["))
    return stack();
  if (at("{"))
    return record();
  fail(Code::UnexpectedToken, first,
       fmt::format("expected a value, found {}", found()));
}

ExprPtr Parser::stack() {
  const Token &first = take();
  Expr result{ExprKind::Stack, {}, first.range.begin, "", {}, {}, {}};
  if (!accept("]")) {
    do {
      auto row = many([&] { return expression(); });
      result.rowLengths.push_back(row.size());
      result.operands.insert(result.operands.end(), row.begin(), row.end());
    } while (accept(";"));
    expect("]");
  }
  result.range = rangeFrom(first);
  return finish(std::move(result));
}

ExprPtr Parser::record() {
  const Token &first = take();
  Expr result{ExprKind::Record, {}, first.range.begin, "", {}, {}, {}};
  skipLines();
  while (!at("}")) {
    const Token &key =
        token().kind == TokenKind::Keyword ? take() : identifier("a key");
    if (std::count(result.keys.begin(), result.keys.end(), key.spelling))
      fail(Code::DuplicateKey, key,
           fmt::format("the record has the key `{}` twice", key.spelling));
    expect(":");
    result.keys.push_back(key.spelling);
    result.operands.push_back(expression());
    skipLines();
    if (!accept(","))
      break;
    skipLines();
  }
  expect("}");
  result.range = rangeFrom(first);
  return finish(std::move(result));
}

/// Calls outside(text) for each piece outside of braces and inside(offset,
/// length) for each piece inside.
template <typename F, typename G>
static void splitString(const std::string &text, F outside, G inside) {
  size_t begin = 0;
  while (true) {
    size_t open = text.find('{', begin);
    size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos)
      return outside(text.substr(begin));
    outside(text.substr(begin, open - begin));
    inside(open + 1, close - open - 1);
    begin = close + 1;
  }
}

ExprPtr Parser::stringLiteral() {
  const Token &literal = take();
  std::vector<ExprPtr> inserted;
  Place place = literal.range.begin;
  ++place.column; // after the quote
  size_t counted = 0;
  splitString(
      literal.text,
      [&](const std::string &outside) {
        if (outside.find('{') != std::string::npos)
          fail(Code::OpenInsertion, literal,
               "this string has a `{` without `}`",
               {"{name} in a string inserts a value."});
      },
      [&](size_t offset, size_t length) {
        for (; counted < offset; ++counted)
          place.column += (literal.text[counted] & 0xC0) != 0x80;
        Parser inner(lexPiece(place, literal.offset + 1 + offset, length));
        inner.depth = depth;
        inserted.push_back(inner.onlyExpression());
      });
  return make(ExprKind::String, literal, literal, inserted, literal.text);
}

std::vector<std::string> transfold::spec::stringPieces(const Expr &string) {
  std::vector<std::string> result;
  splitString(
      string.text,
      [&](std::string piece) { result.push_back(std::move(piece)); },
      [](size_t, size_t) {});
  return result;
}

//===----------------------------------------------------------------------===//
// Calls, indices, fields
//===----------------------------------------------------------------------===//

ExprPtr Parser::postfix(ExprPtr operand) {
  while (true) {
    const Token &op = token();
    Expr result{ExprKind::Transpose, {}, op.range.begin, "", {operand}, {}, {}};
    if (accept("'")) {
    } else if (accept("(")) {
      result.kind = ExprKind::Call;
      if (!at(")"))
        for (ExprPtr &a : many([&] { return argument(); }))
          result.operands.push_back(std::move(a));
      expect(")");
    } else if (accept("[")) {
      result.kind = ExprKind::Index;
      for (ExprPtr &i : many([&] { return index(); }))
        result.operands.push_back(std::move(i));
      expect("]");
    } else if (accept(".")) {
      result.kind = ExprKind::Field;
      result.text = identifier("a key").spelling;
    } else {
      return operand;
    }
    result.range = {operand->range.begin, tokens[position - 1].range.end};
    operand = finish(std::move(result));
  }
}

ExprPtr Parser::argument() {
  const Token &first = token();
  ExprPtr value = expression();
  if (value->kind == ExprKind::Name && at("=")) {
    const Token &equals = take();
    return make(ExprKind::Named, first, equals, {expression()}, value->text);
  }
  if (at("|")) {
    const Token &bar = take();
    ExprPtr mask = expression();
    return make(ExprKind::Given, first, bar, {value, mask});
  }
  return value;
}

ExprPtr Parser::index() {
  const Token &first = token();
  auto upper = [&]() -> ExprPtr {
    return at(",") || at("]") ? nullptr : expression();
  };
  if (accept(":")) {
    ExprPtr to = upper();
    return make(ExprKind::Slice, first, first, {nullptr, to});
  }
  ExprPtr from = expression();
  if (at(":")) {
    const Token &colon = take();
    ExprPtr to = upper();
    return make(ExprKind::Slice, first, colon, {from, to});
  }
  if (at("+:")) {
    const Token &plus = take();
    ExprPtr size = expression();
    return make(ExprKind::Range, first, plus, {from, size});
  }
  return from;
}
