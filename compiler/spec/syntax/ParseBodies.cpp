// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions and bodies.

#include "compiler/spec/syntax/ParserRules.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <fmt/format.h>

using namespace transfold::spec;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

Parameter Parser::parameter() {
  const Token &name = identifier("the name of a parameter");
  Parameter result{name.text, name.range.begin, {}, nullptr};
  if (at("["))
    result.dims = dims();
  if (accept("="))
    result.defaultValue = expression();
  return result;
}

std::vector<Parameter> Parser::parameters() {
  expect("(");
  std::vector<Parameter> result;
  if (!at(")"))
    result = many([&] { return parameter(); });
  expect(")");
  // Arguments are positional, so only the last ones can be omitted.
  for (size_t k = 1; k < result.size(); ++k)
    if (result[k - 1].defaultValue && !result[k].defaultValue)
      throw SpecError(
          Code::ParameterOrder, result[k].place,
          fmt::format("`{}` has no default, but follows `{}`, which has one",
                      result[k].name, result[k - 1].name),
          {"Parameters that may be left out come last."});
  return result;
}

IndexVariable Parser::indexVariable() {
  const Token &name = identifier("an index");
  IndexVariable result{name.text, name.range.begin, nullptr};
  if (accept("<"))
    result.bound = expression();
  return result;
}

Definition Parser::definition(bool mayHaveWhere) {
  const Token &first = identifier("a definition");
  Definition result;
  result.name = first.text;
  result.place = first.range.begin;
  if (at("("))
    result.parameters = parameters();
  if (at("["))
    result.indices = bracketed([&] { return indexVariable(); });
  if (!at("="))
    fail(Code::UnexpectedToken, token(),
         fmt::format("expected `=` to define `{}`, found {}", first.spelling,
                     found()));
  take();
  result.value = expression();
  if (mayHaveWhere && accept("where"))
    result.where = many([&] { return definition(false); });
  result.range = rangeFrom(first);
  return result;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Body Parser::body() {
  Level level(*this);
  Body result;
  expect("{");
  skipLines();
  while (!at("}")) {
    const size_t first = position;
    bool isGood = errors.attempt([&] {
      result.push_back(statement());
      endOfStatement();
    });
    if (!isGood)
      skipStatement(first);
    if (token().kind == TokenKind::End) {
      errors.attempt([&] {
        fail(Code::UnexpectedToken, token(),
             "expected `}`, found the end of the file");
      });
      return result;
    }
  }
  take();
  return result;
}

Statement Parser::statement() {
  const Token &first = token();
  Statement result{};
  if (at("parts")) {
    result.kind = StatementKind::Parts;
    result.parts = parts();
  } else if (at("weights")) {
    result.kind = StatementKind::Weights;
    result.weights = weights();
  } else if (accept("return")) {
    result.kind = StatementKind::Return;
    result.values = many([&] { return expression(); });
  } else if (accept("for")) {
    result.kind = StatementKind::For;
    const Token &variable = identifier("a loop variable");
    result.variable = variable.text;
    result.variablePlace = variable.range.begin;
    expect("<");
    result.condition = expression();
    result.body = body();
  } else if (at("if")) {
    branch(result);
  } else {
    result.kind = StatementKind::Define;
    result.definition = definition();
  }
  result.range = rangeFrom(first);
  return result;
}

void Parser::branch(Statement &result) {
  Level level(*this);
  const Token &first = take();
  result.kind = StatementKind::If;
  result.condition = expression();
  result.body = body();
  if (accept("else")) {
    if (at("if")) {
      Statement nested{};
      branch(nested);
      result.otherwise.push_back(std::move(nested));
    } else {
      result.otherwise = body();
    }
  }
  result.range = rangeFrom(first);
}
