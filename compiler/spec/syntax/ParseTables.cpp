// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables for containers: config … { } and names … { }.

#include "compiler/spec/syntax/ParserRules.h"

#include <fmt/format.h>

#include <algorithm>

using namespace transfold::spec;

Ignore Parser::ignore() {
  Ignore result{take().range.begin, {}, nullptr};
  result.patterns = many([&] { return unconditional(); });
  if (accept("if"))
    result.condition = unconditional();
  return result;
}

Config Parser::config() {
  const Token &first = take();
  const Token &container = identifier("a container: hf, gguf or ct2");
  Config result{
      container.text, container.range.begin, {}, {}, {}, {}, {}, {}, {}};
  if (accept("for")) {
    result.architectures =
        many([&] { return string("the name of an architecture").text; });
    if (accept("if"))
      result.condition = unconditional();
  }
  expect("{");
  skipLines();
  bool hasTask = false;
  while (!at("}")) {
    if (at("task") && std::exchange(hasTask, true))
      fail(Code::DeclaredTwice, token(),
           fmt::format("config {} has `task` twice", result.container));
    if (accept("expect"))
      result.expectations.push_back(expression());
    else if (at("ignore"))
      result.ignored.push_back(ignore());
    else if (accept("task"))
      result.options = options();
    else
      result.definitions.push_back(definition());
    separator();
  }
  take();
  result.range = rangeFrom(first);
  return result;
}

Names Parser::names() {
  const Token &first = take();
  const Token &container = identifier("a container: hf, gguf or ct2");
  Names result{container.text, container.range.begin, {}, {}};
  result.table = table();
  result.range = rangeFrom(first);
  return result;
}

Table Parser::table() {
  Level level(*this);
  Table result;
  std::vector<std::pair<std::string, ExprPtr>> splits;
  expect("{");
  skipLines();
  while (!at("}")) {
    if (accept("expect")) {
      result.expectations.push_back(expression());
    } else if (at("ignore")) {
      result.ignored.push_back(ignore());
    } else if (linear(result)) {
    } else if (token().text == "axis" && next().kind == TokenKind::Identifier) {
      take();
      const Token &axis = identifier();
      for (auto &split : splits)
        if (split.first == axis.text)
          fail(Code::DuplicateKey, axis,
               fmt::format("the axis `{}` is split twice", axis.text));
      expect("=");
      splits.emplace_back(axis.text, expression());
    } else if (next().kind == TokenKind::Operator && next().text == "{") {
      const Token &block = identifier("a weight, a part or a block");
      result.sections.emplace_back(block.text,
                                   std::make_shared<Table>(table()));
      result.sectionPlaces.push_back(block.range.begin);
    } else {
      binding(result);
    }
    separator();
  }
  take();
  // The order in a table does not matter: a split also applies to lines above
  // it.
  for (Binding &binding : result.bindings)
    binding.splits = splits;
  return result;
}

/// Parses: linear as [out, in]; false if the table has another entry here.
bool Parser::linear(Table &table) {
  if (token().text != "linear" || next().text != "as")
    return false;
  const Token &first = take();
  take();
  auto order = bracketed([&] { return take().text; });
  if (order == std::vector<std::string>{"out", "in"})
    table.linearIsOutIn = true;
  else if (order == std::vector<std::string>{"in", "out"})
    table.linearIsOutIn = false;
  else
    fail(Code::TableForm, first,
         "expected `linear as [out, in]` or `linear as [in, out]`");
  return true;
}

/// Parses: NAME {, NAME} = source [as [axes]] [at index] [table]
void Parser::binding(Table &table) {
  std::vector<const Token *> names = {
      &identifier("a weight, a part or a block")};
  Binding shared;
  if (at("["))
    for (const Token *index :
         bracketed([&] { return &identifier("an index"); })) {
      shared.indices.push_back(index->text);
      shared.indexPlaces.push_back(index->range.begin);
    }
  while (accept(","))
    names.push_back(&identifier("a weight"));
  expect("=");
  shared.source = expression();
  if (accept("as"))
    shared.axes = dims();
  if (accept("at"))
    shared.at = expression();

  bool several = names.size() > 1;
  if (several && (!shared.axes || shared.at || !shared.indices.empty()))
    fail(Code::TableForm, *names.front(),
         "several names on the left share one tensor: say how "
         "with `as`, and without `at`");
  if (at("{")) {
    if (several || shared.axes || shared.at)
      fail(Code::TableForm, token(),
           "only a part has exceptions in { }, and a part has no axes");
    shared.exceptions = std::make_shared<Table>(this->table());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    Binding one = shared;
    one.name = names[i]->text;
    one.place = names[i]->range.begin;
    if (several)
      one.at =
          make(ExprKind::Number, *names[i], *names[i], {}, std::to_string(i));
    table.bindings.push_back(std::move(one));
  }
}
