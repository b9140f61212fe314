// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/lark/LarkGrammar.h"

#include "base/text/Unicode.h"
#include "runtime/constrain/lark/LarkTokens.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

bool isTerminalName(std::string_view name) {
  auto first = std::ranges::find_if(name, [](char c) { return c != '_'; });
  return first != name.end() && *first >= 'A' && *first <= 'Z';
}

namespace {

using Node = LarkGrammar::Node;

constexpr size_t deepestParentheses = 100; // nesting of parentheses

/// The terminals of Lark's file common.lark that can be imported.
constexpr std::pair<std::string_view, std::string_view> commonTerminals[] = {
    {"DIGIT", "[0-9]"},
    {"HEXDIGIT", "[0-9a-fA-F]"},
    {"INT", "[0-9]+"},
    {"SIGNED_INT", "[+-]?[0-9]+"},
    {"DECIMAL", "[0-9]+\\.[0-9]*|\\.[0-9]+"},
    {"FLOAT", "[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)"
              "(?:[eE][+-]?[0-9]+)?"},
    {"NUMBER", "[0-9]+|[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)"
               "(?:[eE][+-]?[0-9]+)?"},
    {"SIGNED_NUMBER", "[+-]?(?:[0-9]+|[0-9]+[eE][+-]?[0-9]+"
                      "|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"},
    {"LETTER", "[a-zA-Z]"},
    {"WORD", "[a-zA-Z]+"},
    {"CNAME", "[a-zA-Z_][a-zA-Z_0-9]*"},
    {"ESCAPED_STRING", "\"(?:[^\"\\\\\\n]|\\\\[^\\n])*\""},
    {"WS_INLINE", "[ \\t]+"},
    {"WS", "[ \\t\\f\\r\\n]+"},
    {"NEWLINE", "(?:\\r?\\n)+"},
};

class Parser {
public:
  Parser(std::string_view text, ConstraintBudget &budget)
      : budget(budget), tokens(larkTokens(text, budget)) {}

  LarkGrammar run() {
    while (peek().kind != LarkToken::Kind::End)
      statement();
    return std::move(result);
  }

private:
  ConstraintBudget &budget;
  std::vector<LarkToken> tokens;
  size_t place = 0;
  LarkGrammar result;

  const LarkToken &peek(size_t ahead = 0) const {
    return tokens[std::min(place + ahead, tokens.size() - 1)];
  }
  LarkToken take() {
    LarkToken token = peek();
    place = std::min(place + 1, tokens.size() - 1);
    return token;
  }
  bool takeSign(std::string_view sign) {
    if (!peek().isSign(sign))
      return false;
    take();
    return true;
  }
  [[noreturn]] void failAt(const LarkToken &token, std::string_view expected) {
    fail("has in line {} '{}' instead of {}", token.line,
         token.text.substr(0, 40), expected);
  }
  void expect(std::string_view sign) {
    if (!takeSign(sign))
      failAt(peek(), fmt::format("'{}'", sign));
  }
  std::string name() {
    LarkToken token = take();
    if (token.kind != LarkToken::Kind::Name)
      failAt(token, "a name");
    return token.text;
  }
  uint32_t add(Node node) {
    budget.work(4);
    budget.memory(sizeof(Node) + node.text.size() +
                  node.children.size() * sizeof(uint32_t));
    result.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(result.nodes.size() - 1);
  }

  void define(const std::string &rule, uint32_t body, size_t line) {
    if (!result.rules.try_emplace(rule, LarkGrammar::Rule{body, line}).second)
      fail("has in line {} a second definition of '{}'", line, rule);
  }

  void statement() {
    const size_t line = peek().line;
    if (takeSign("%ignore")) {
      result.ignored.push_back(choice(0));
      return;
    }
    if (takeSign("%import"))
      return import();
    while (takeSign("?") || takeSign("!")) { // they change trees only
    }
    const std::string rule = name();
    expect(":");
    define(rule, choice(0), line);
  }

  /// %import common.NAME, common.NAME -> OTHER, or common (NAME, NAME).
  void import() {
    const size_t line = peek().line;
    if (name() != "common")
      fail("has in line {} an import of another file than 'common'", line);
    if (takeSign("(")) {
      do {
        const std::string terminal = name();
        importAs(terminal, terminal, line);
      } while (takeSign(","));
      return expect(")");
    }
    expect(".");
    const std::string terminal = name();
    importAs(terminal, takeSign("->") ? name() : terminal, line);
  }

  void importAs(const std::string &terminal, const std::string &as,
                size_t line) {
    for (auto [each, regex] : commonTerminals)
      if (each == terminal)
        return define(as,
                      add({.kind = Node::Kind::Regex,
                           .text = std::string(regex),
                           .line = line}),
                      line);
    fail("has in line {} an import of '{}', which is not supported", line,
         terminal.substr(0, 40));
  }

  /// Whether the next token begins another statement.
  bool isStatement() const {
    size_t ahead = 0;
    while (peek(ahead).isSign("?") || peek(ahead).isSign("!"))
      ++ahead;
    return peek().isSign("%ignore") || peek().isSign("%import") ||
           (peek(ahead).kind == LarkToken::Kind::Name &&
            peek(ahead + 1).isSign(":"));
  }

  uint32_t choice(size_t depth) {
    if (depth > deepestParentheses)
      fail("is nested deeper than {} parentheses", deepestParentheses);
    std::vector<uint32_t> ways;
    do
      ways.push_back(sequence(depth));
    while (takeSign("|"));
    return ways.size() == 1
               ? ways[0]
               : add({.kind = Node::Kind::Choice, .children = std::move(ways)});
  }

  uint32_t sequence(size_t depth) {
    std::vector<uint32_t> parts;
    while (peek().kind != LarkToken::Kind::End && !peek().isSign("|") &&
           !peek().isSign(")") && !peek().isSign("]") && !peek().isSign("->") &&
           !isStatement())
      parts.push_back(repeated(depth));
    if (takeSign("->")) // names a tree
      name();
    return add({.kind = Node::Kind::Sequence, .children = std::move(parts)});
  }

  uint32_t number() {
    const LarkToken token = take();
    if (token.kind != LarkToken::Kind::Number || token.text.size() > 7)
      failAt(token, "a number below 10,000,000");
    return static_cast<uint32_t>(std::stoul(token.text));
  }

  uint32_t repeated(size_t depth) {
    const uint32_t item = atom(depth);
    Node node = {.kind = Node::Kind::Repeat, .children = {item}};
    if (takeSign("?")) {
      node.least = 0;
    } else if (takeSign("*")) {
      node.least = 0;
      node.most = Grammar::unlimited;
    } else if (takeSign("+")) {
      node.most = Grammar::unlimited;
    } else if (takeSign("~")) {
      const LarkToken at = peek();
      node.least = node.most = number();
      if (takeSign(".."))
        node.most = number();
      if (node.most < node.least)
        failAt(at, "numbers in their order");
    } else {
      return item;
    }
    return add(std::move(node));
  }

  uint32_t atom(size_t depth) {
    LarkToken token = take();
    switch (token.kind) {
    case LarkToken::Kind::Name:
      return add(
          {.kind = Node::Kind::Name, .text = token.text, .line = token.line});
    case LarkToken::Kind::AnyCase:
      return add({.kind = Node::Kind::AnyCase, .text = token.text});
    case LarkToken::Kind::Regex:
      return add(
          {.kind = Node::Kind::Regex, .text = token.text, .line = token.line});
    case LarkToken::Kind::Text:
      return peek().isSign("..")
                 ? range(token)
                 : add({.kind = Node::Kind::Text, .text = token.text});
    default:
      break;
    }
    if (token.isSign("(")) {
      const uint32_t inner = choice(depth + 1);
      expect(")");
      return inner;
    }
    if (token.isSign("[")) {
      const uint32_t inner = choice(depth + 1);
      expect("]");
      return add({.kind = Node::Kind::Repeat, .children = {inner}, .least = 0});
    }
    failAt(token, "a name, a text, an expression or '('");
  }

  /// "a".."z"
  uint32_t range(const LarkToken &low) {
    take();
    const LarkToken high = take();
    const Characters first = decodeUtf8(low.text);
    if (high.kind != LarkToken::Kind::Text || first.size() != 1 ||
        decodeUtf8(high.text).size() != 1)
      failAt(high, "a range of two characters");
    return add(
        {.kind = Node::Kind::Regex,
         .text = fmt::format(
             "[\\u{{{:x}}}-\\u{{{:x}}}]", static_cast<uint32_t>(first[0].code),
             static_cast<uint32_t>(decodeUtf8(high.text)[0].code)),
         .line = low.line});
  }
};

} // namespace

LarkGrammar parseLark(std::string_view text, ConstraintBudget &budget) {
  return Parser(text, budget).run();
}

} // namespace transfold::runtime::inline constrain
