// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions.

#include "compiler/chat/Parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::chat {

bool Parser::skipName(std::string_view name) {
  bool isThere = isName(name);
  at += isThere;
  return isThere;
}
bool Parser::skipSign(std::string_view sign) {
  bool isThere = isSign(sign);
  at += isThere;
  return isThere;
}
void Parser::expectSign(std::string_view sign) {
  if (!skipSign(sign))
    failUnexpected(fmt::format("'{}'", sign));
}
void Parser::expectName(std::string_view name) {
  if (!skipName(name))
    failUnexpected(fmt::format("'{}'", name));
}
std::string Parser::expectSomeName(const char *what) {
  if (now().kind != Token::Name)
    failUnexpected(what);
  return take().text;
}

void Parser::fail(const Place &place, const std::string &message) const {
  throw TemplateError(
      fmt::format("{}:{}:{}: {}", file, place.line, place.column, message));
}

void Parser::failUnexpected(const std::string &wanted) const {
  const Token &token = now();
  fail(token.place,
       fmt::format("{} is expected here, but there is {}", wanted,
                   token.kind == Token::End      ? "the end of the template"
                   : token.kind == Token::Text   ? "text"
                   : token.kind == Token::String ? "a string"
                                                 : "'" + token.text + "'"));
}

NodeId Parser::add(Op op, const Place &place, std::vector<NodeId> children,
                   std::string_view text) {
  return program.add({op, place.line, place.column, 0, std::move(children)},
                     text);
}

Parser::Level::Level(Parser &parser) : parser(parser) {
  constexpr unsigned most = 100;
  if (++parser.depth > most)
    parser.fail(parser.now().place,
                fmt::format("is nested deeper than {} levels; make macros of "
                            "inner parts",
                            most));
}

NodeId Parser::expression() {
  Level level(*this);
  return conditional();
}

NodeId Parser::expressions() {
  Place place = now().place;
  std::vector<NodeId> items = {expression()};
  if (!isSign(","))
    return items[0];
  while (skipSign(",") && now().kind != Token::EndTag &&
         now().kind != Token::EndPrint)
    items.push_back(expression());
  return add(Op::Tuple, place, std::move(items));
}

/// Without an `else`, the other value is absent.
NodeId Parser::conditional() {
  NodeId value = either();
  while (isName("if")) {
    Place place = take().place;
    NodeId condition = either();
    NodeId otherwise = skipName("else") ? expression() : absent();
    value = add(Op::Conditional, place, {condition, value, otherwise});
  }
  return value;
}

NodeId Parser::either() {
  return leftToRight({{"or", Op::Or}}, &Parser::both, Token::Name);
}

NodeId Parser::both() {
  return leftToRight({{"and", Op::And}}, &Parser::negation, Token::Name);
}

NodeId Parser::negation() {
  if (!isName("not"))
    return comparison();
  Level level(*this);
  Place place = take().place;
  NodeId value = negation();
  return add(Op::Not, place, {value});
}

/// A chain is one node: a < b < c compares `b` once with each neighbor.
NodeId Parser::comparison() {
  Place place = now().place;
  std::vector<NodeId> parts = {sum()};
  constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">="};
  while (true) {
    Place sign = now().place;
    std::string kind;
    bool isSign = now().kind == Token::Operator &&
                  std::ranges::find(signs, now().text) != std::end(signs);
    if (isSign)
      kind = take().text;
    else if (skipName("in"))
      kind = "in";
    else if (isName("not") && next().is(Token::Name, "in"))
      kind = "not in", at += 2;
    else
      break;
    NodeId value = sum();
    parts.push_back(add(Op::Operand, sign, {value}, kind));
  }
  return parts.size() == 1 ? parts[0] : add(Op::Compare, place, parts);
}

NodeId Parser::leftToRight(
    std::initializer_list<std::pair<std::string_view, Op>> signs,
    NodeId (Parser::*operand)(), Token::Kind kind) {
  NodeId left = (this->*operand)();
  while (now().kind == kind) {
    const auto *found =
        std::ranges::find(signs, std::string_view(now().text),
                          [](const auto &s) { return s.first; });
    if (found == signs.end())
      break;
    Place place = take().place;
    NodeId right = (this->*operand)();
    left = add(found->second, place, {left, right});
  }
  return left;
}

NodeId Parser::sum() {
  return leftToRight({{"+", Op::Add}, {"-", Op::Subtract}},
                     &Parser::concatenation);
}

NodeId Parser::concatenation() {
  Place place = now().place;
  std::vector<NodeId> values = {product()};
  while (skipSign("~"))
    values.push_back(product());
  return values.size() == 1 ? values[0] : add(Op::Concatenate, place, values);
}

NodeId Parser::product() {
  return leftToRight({{"*", Op::Multiply},
                      {"/", Op::Divide},
                      {"//", Op::FloorDivide},
                      {"%", Op::Modulo}},
                     &Parser::power);
}

/// Left-associative, unlike Python's.
NodeId Parser::power() {
  NodeId left = unary();
  while (isSign("**")) {
    Place place = take().place;
    NodeId right = unary();
    left = add(Op::Power, place, {left, right});
  }
  return left;
}

NodeId Parser::unary(bool takesFilters) {
  Level level(*this);
  Place place = now().place;
  NodeId node;
  if (skipSign("-"))
    node = add(Op::Negate, place, {unary(false)});
  else if (skipSign("+"))
    node = add(Op::Plus, place, {unary(false)});
  else
    node = primary();
  node = postfix(node);
  return takesFilters ? filters(node) : node;
}

NodeId Parser::primary() {
  const Token &token = now();
  switch (token.kind) {
  case Token::Name:
    return nameOrConstant();
  case Token::Integer: {
    Token number = take();
    return add(Op::Integer, number.place, {}, number.text);
  }
  case Token::Float: {
    Token number = take();
    return add(Op::Float, number.place, {}, number.text);
  }
  case Token::String: {
    Token string = take();
    while (now().kind == Token::String) // adjacent strings are one
      string.text += take().text;
    return add(Op::String, string.place, {}, string.text);
  }
  default:
    break;
  }
  if (isSign("("))
    return inBrackets();
  if (isSign("["))
    return list();
  if (isSign("{"))
    return dict();
  failUnexpected("a value");
}

NodeId Parser::nameOrConstant() {
  Token name = take();
  if (name.text == "true" || name.text == "True")
    return add(Op::True, name.place);
  if (name.text == "false" || name.text == "False")
    return add(Op::False, name.place);
  if (name.text == "none" || name.text == "None")
    return add(Op::None, name.place);
  return add(Op::Name, name.place, {}, name.text);
}

NodeId Parser::inBrackets() {
  Place place = take().place;
  std::vector<NodeId> items;
  bool isTuple = isSign(")");
  while (!isSign(")")) {
    items.push_back(expression());
    if (!skipSign(","))
      break;
    isTuple = true;
  }
  expectSign(")");
  return isTuple ? add(Op::Tuple, place, std::move(items)) : items[0];
}

NodeId Parser::list() {
  Place place = take().place;
  std::vector<NodeId> items;
  while (!isSign("]")) {
    items.push_back(expression());
    if (!skipSign(","))
      break;
  }
  expectSign("]");
  return add(Op::List, place, std::move(items));
}

NodeId Parser::dict() {
  Place place = take().place;
  std::vector<NodeId> items;
  while (!isSign("}")) {
    items.push_back(expression());
    expectSign(":");
    items.push_back(expression());
    if (!skipSign(","))
      break;
  }
  expectSign("}");
  return add(Op::Dict, place, std::move(items));
}

/// "a.0" is the item 0 of `a`, as in jinja2.
NodeId Parser::postfix(NodeId node) {
  while (true) {
    Place place = now().place;
    if (skipSign(".")) {
      if (now().kind == Token::Integer) {
        NodeId index = primary();
        node = add(Op::Item, place, {node, index});
        continue;
      }
      place = now().place;
      std::string name = expectSomeName("an attribute's name");
      node = add(Op::Attribute, place, {node}, name);
    } else if (isSign("[")) {
      node = subscript(node);
    } else if (isSign("(")) {
      std::vector<NodeId> children = arguments();
      children.insert(children.begin(), node);
      node = add(Op::Call, place, std::move(children));
    } else {
      return node;
    }
  }
}

/// Parses [index] or [first:end:step].
NodeId Parser::subscript(NodeId node) {
  Place place = take().place;
  std::vector<NodeId> parts;
  bool isSlice = false;
  auto part = [&] {
    bool isThere = !isSign(":") && !isSign("]");
    parts.push_back(isThere ? expression() : absent());
  };
  part();
  while (parts.size() < 3 && skipSign(":")) {
    isSlice = true;
    part();
  }
  expectSign("]");
  if (!isSlice) {
    if (program.node(parts[0]).op == Op::Absent)
      fail(place, "an index is missing between [ and ]");
    return add(Op::Item, place, {node, parts[0]});
  }
  while (parts.size() < 3)
    parts.push_back(absent());
  return add(Op::Slice, place, {node, parts[0], parts[1], parts[2]});
}

std::vector<NodeId>
Parser::inParentheses(const std::function<NodeId()> &element) {
  expectSign("(");
  std::vector<NodeId> all;
  while (!isSign(")")) {
    all.push_back(element());
    if (!skipSign(","))
      break;
  }
  expectSign(")");
  return all;
}

/// Parses (a, b, name=c).
std::vector<NodeId> Parser::arguments() {
  bool hasNames = false;
  return inParentheses([&] {
    Place place = now().place;
    if (isSign("*") || isSign("**")) {
      std::string sign = take().text;
      NodeId value = expression();
      return add(Op::Spread, place, {value}, sign);
    }
    if (now().kind == Token::Name && next().is(Token::Operator, "=")) {
      std::string name = take().text;
      take();
      NodeId value = expression();
      hasNames = true;
      return add(Op::Keyword, place, {value}, name);
    }
    if (hasNames)
      fail(place, "an argument without a name comes before those with names");
    return expression();
  });
}

/// A call after a filter calls the filter's result: x|attr("f")(1).
NodeId Parser::filters(NodeId node) {
  while (true) {
    if (skipSign("|"))
      node = filter(node);
    else if (isName("is"))
      node = test(node);
    else if (isSign("("))
      node = postfix(node);
    else
      return node;
  }
}

NodeId Parser::filter(NodeId node) {
  Place place = now().place;
  std::string name = expectSomeName("a filter's name");
  std::vector<NodeId> children;
  if (isSign("("))
    children = arguments();
  children.insert(children.begin(), node);
  return add(Op::Filter, place, std::move(children), name);
}

/// Parses: is NAME, is NAME argument, is not NAME(arguments).
NodeId Parser::test(NodeId node) {
  Place is = take().place;
  bool isNegated = skipName("not");
  Place place = now().place;
  std::string name = expectSomeName("a test's name");
  std::vector<NodeId> children;
  constexpr std::string_view connectors[] = {"else", "or", "and", "is",
                                             "if",   "in", "not"};
  bool isValue =
      now().kind == Token::String || now().kind == Token::Integer ||
      now().kind == Token::Float || isSign("[") || isSign("{") ||
      (now().kind == Token::Name &&
       std::ranges::find(connectors, now().text) == std::end(connectors));
  if (isSign("(")) {
    children = arguments();
  } else if (isValue) {
    NodeId value = primary();
    children.push_back(postfix(value));
  }
  children.insert(children.begin(), node);
  NodeId tested = add(Op::Test, place, std::move(children), name);
  return isNegated ? add(Op::Not, is, {tested}) : tested;
}

} // namespace transfold::chat
