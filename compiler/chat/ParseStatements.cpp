// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements in tags: {% if … %} and others.

#include "compiler/chat/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace transfold::chat {

runtime::chat::TemplateProgram Parser::parse() {
  NodeId all = body({});
  add(Op::Body, {}, {all}); // the root is the last node
  program.source = file;
  return std::move(program);
}

/// Parses up to a tag whose name is one of `ends`, and consumes its {%; without
/// `ends`, up to the end of the template.
NodeId Parser::body(Ends ends) {
  Level level(*this);
  Place begin = now().place;
  std::vector<NodeId> statements;
  while (true) {
    Place place = now().place;
    switch (now().kind) {
    case Token::Text: {
      std::string text = take().text;
      statements.push_back(add(Op::Output, place, {}, text));
      break;
    }
    case Token::BeginPrint: {
      take();
      NodeId value = expressions();
      if (take().kind != Token::EndPrint) {
        --at;
        failUnexpected("'}}'");
      }
      statements.push_back(add(Op::Print, place, {value}));
      break;
    }
    case Token::BeginTag:
      take();
      if (now().kind == Token::Name &&
          std::ranges::find(ends, std::string_view(now().text)) != ends.end())
        return add(Op::Body, begin, std::move(statements));
      statements.push_back(statement());
      break;
    default:
      if (ends.size() > 0)
        fail(place, fmt::format("{{% {} %}} is missing at the end of the "
                                "template",
                                *(ends.end() - 1)));
      return add(Op::Body, begin, std::move(statements));
    }
  }
}

void Parser::endTag() {
  if (now().kind != Token::EndTag)
    failUnexpected("'%}'");
  take();
}
void Parser::endTag(std::string_view name) {
  expectName(name);
  if (name == "endmacro" && now().kind == Token::Name)
    take(); // {% endmacro name %}
  endTag();
}

void Parser::failTag(const Token &name) const {
  fail(name.place,
       fmt::format("there is no tag '{}'; templates can use break, call, "
                   "continue, filter, for, generation, if, macro, raw, set "
                   "and with",
                   name.text));
}

NodeId Parser::statement() {
  if (now().kind != Token::Name)
    failUnexpected("a tag's name");
  using Parse = NodeId (Parser::*)(const Place &);
  static constexpr std::pair<std::string_view, Parse> tags[] = {
      {"if", &Parser::parseIf},     {"for", &Parser::parseFor},
      {"set", &Parser::parseSet},   {"macro", &Parser::parseMacro},
      {"call", &Parser::parseCall}, {"filter", &Parser::parseFilterBlock},
      {"with", &Parser::parseWith},
  };
  Token name = take();
  for (auto [tag, parse] : tags)
    if (name.text == tag)
      return (this->*parse)(name.place);
  if (name.text == "break")
    return parseLeave(name.place, Op::Break, name.text);
  if (name.text == "continue")
    return parseLeave(name.place, Op::Continue, name.text);
  if (name.text != "generation")
    failTag(name);
  // The tag marks the model's answers, which only matters in training.
  endTag();
  NodeId inner = body({"endgeneration"});
  endTag("endgeneration");
  return add(Op::Scope, name.place, {inner});
}

NodeId Parser::parseLeave(const Place &place, Op op, const std::string &name) {
  if (loops == 0)
    fail(place, fmt::format("'{}' is outside of a loop", name));
  endTag();
  return add(op, place);
}

/// An `elif` is an `if` in the `else` branch, and consumes the common {% endif
/// %}.
NodeId Parser::parseIf(const Place &place) {
  Level level(*this);
  NodeId condition = expressions();
  endTag();
  NodeId yes = body({"elif", "else", "endif"});
  Place end = now().place;
  NodeId no;
  if (skipName("elif")) {
    no = parseIf(end);
  } else if (skipName("else")) {
    endTag();
    no = body({"endif"});
    endTag("endif");
  } else {
    endTag("endif");
    no = absent();
  }
  return add(Op::If, place, {condition, yes, no});
}

/// The items are parsed as `either`, not as an expression, because an `if`
/// after them is the filter of the loop.
NodeId Parser::parseFor(const Place &place) {
  NodeId item = target(false);
  expectName("in");
  Place at = now().place;
  std::vector<NodeId> sources = {either()};
  while (skipSign(","))
    sources.push_back(either());
  NodeId items = sources.size() == 1 ? sources[0] : add(Op::Tuple, at, sources);
  NodeId condition = skipName("if") ? expression() : absent();
  bool isRecursive = skipName("recursive");
  endTag();
  ++loops;
  NodeId inner = body({"else", "endfor"});
  --loops;
  NodeId otherwise;
  if (skipName("else")) {
    endTag();
    otherwise = body({"endfor"});
  } else {
    otherwise = absent();
  }
  endTag("endfor");
  return add(Op::For, place, {item, items, condition, inner, otherwise},
             isRecursive ? "recursive" : "");
}

/// A name; namespace.attribute, if attributes can be assigned; or targets in
/// brackets.
NodeId Parser::oneTarget(bool takesAttributes) {
  Place place = now().place;
  if (skipSign("(")) {
    NodeId inner = target(takesAttributes);
    expectSign(")");
    return inner;
  }
  std::string name = expectSomeName("a name");
  NodeId node = add(Op::Name, place, {}, name);
  if (!takesAttributes || !skipSign("."))
    return node;
  place = now().place;
  std::string attribute = expectSomeName("an attribute's name");
  return add(Op::Attribute, place, {node}, attribute);
}

NodeId Parser::target(bool takesAttributes) {
  Level level(*this);
  Place place = now().place;
  std::vector<NodeId> names = {oneTarget(takesAttributes)};
  if (!isSign(","))
    return names[0];
  while (skipSign(",") && now().kind == Token::Name)
    names.push_back(oneTarget(takesAttributes));
  return add(Op::Tuple, place, std::move(names));
}

/// The filters of {% set x | … %} and {% filter … %}, applied to the output of
/// the block; the first | is already consumed.
NodeId Parser::filtersOfBlock() {
  NodeId written = add(Op::Held, now().place);
  return filters(filter(written));
}

/// Either {% set a = value %}, or a block whose output is the value.
NodeId Parser::parseSet(const Place &place) {
  NodeId to = target(true);
  if (skipSign("=")) {
    NodeId value = expressions();
    endTag();
    return add(Op::Set, place, {to, value});
  }
  NodeId filters = skipSign("|") ? filtersOfBlock() : absent();
  endTag();
  NodeId inner = body({"endset"});
  endTag("endset");
  return add(Op::SetBody, place, {to, filters, inner});
}

NodeId Parser::parseFilterBlock(const Place &place) {
  NodeId filters = filtersOfBlock();
  endTag();
  NodeId inner = body({"endfilter"});
  endTag("endfilter");
  return add(Op::FilterBody, place, {filters, inner});
}

/// Parses (a, b=default).
std::vector<NodeId> Parser::parameters() {
  bool hasDefaults = false;
  return inParentheses([&] {
    Place place = now().place;
    std::string name = expectSomeName("a parameter");
    std::vector<NodeId> value;
    if (skipSign("="))
      value.push_back(expression());
    else if (hasDefaults)
      fail(place, "a parameter without a default comes before those with one");
    hasDefaults = !value.empty();
    return add(Op::Parameter, place, std::move(value), name);
  });
}

/// The body is outside of the loops around the macro: `break` cannot leave
/// them.
NodeId Parser::parseMacro(const Place &place) {
  std::string name = expectSomeName("a macro's name");
  std::vector<NodeId> children = parameters();
  endTag();
  unsigned outer = std::exchange(loops, 0);
  children.push_back(body({"endmacro"}));
  loops = outer;
  endTag("endmacro");
  return add(Op::Macro, place, std::move(children), name);
}

/// Parses {% call(parameters) macro(arguments) %}.
NodeId Parser::parseCall(const Place &place) {
  std::vector<NodeId> children;
  if (isSign("("))
    children = parameters();
  Place callee = now().place;
  NodeId call = unary(false);
  if (program.node(call).op != Op::Call)
    fail(callee, "a call of a macro is expected here, such as name(value)");
  endTag();
  unsigned outer = std::exchange(loops, 0);
  children.push_back(body({"endcall"}));
  loops = outer;
  endTag("endcall");
  NodeId caller = add(Op::Macro, place, std::move(children), "caller");
  return add(Op::CallBlock, place, {call, caller});
}

NodeId Parser::parseWith(const Place &place) {
  std::vector<NodeId> children;
  while (now().kind != Token::EndTag) {
    children.push_back(target(false));
    expectSign("=");
    children.push_back(expression());
    if (!skipSign(","))
      break;
  }
  endTag();
  children.push_back(body({"endwith"}));
  endTag("endwith");
  return add(Op::With, place, std::move(children));
}

} // namespace transfold::chat
