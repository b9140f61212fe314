// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses tokens to the nodes of a program: Jinja's grammar, with a function for
// each rule, lowest precedence first.

#ifndef TRANSFOLD_COMPILER_CHAT_PARSER_H
#define TRANSFOLD_COMPILER_CHAT_PARSER_H

#include "compiler/chat/Lexer.h"
#include "runtime/chat/Nodes.h"

#include <functional>
#include <initializer_list>

namespace transfold::chat {

using runtime::chat::NodeId;
using runtime::chat::Op;

/// A recursive-descent parser for templates.
class Parser {
public:
  /// Messages begin with `file`.
  Parser(std::vector<Token> tokens, const std::string &file)
      : file(file), tokens(std::move(tokens)) {}

  /// Parses the whole template. Throws TemplateError.
  runtime::chat::TemplateProgram parse();

private:
  const std::string &file;
  std::vector<Token> tokens;
  size_t at = 0;
  unsigned depth = 0, loops = 0;
  runtime::chat::TemplateProgram program;

  const Token &now() const { return tokens[at]; }
  const Token &next() const {
    return tokens[std::min(at + 1, tokens.size() - 1)];
  }
  Token take() { return tokens[now().kind == Token::End ? at : at++]; }
  bool isName(std::string_view name) const {
    return now().is(Token::Name, name);
  }
  bool isSign(std::string_view sign) const {
    return now().is(Token::Operator, sign);
  }
  /// Consumes the token if it comes next.
  bool skipName(std::string_view name);
  bool skipSign(std::string_view sign);
  /// Consumes the token; throws TemplateError if another one comes next.
  void expectSign(std::string_view sign);
  void expectName(std::string_view name);
  std::string expectSomeName(const char *what);
  [[noreturn]] void fail(const Place &place, const std::string &message) const;
  [[noreturn]] void failUnexpected(const std::string &wanted) const;
  NodeId add(Op op, const Place &place, std::vector<NodeId> children = {},
             std::string_view text = "");
  NodeId absent() { return add(Op::Absent, now().place); }

  /// Counts one more level of nesting during its lifetime.
  struct Level {
    explicit Level(Parser &parser);
    ~Level() { --parser.depth; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    Parser &parser;
  };

  // Statements (ParseStatements.cpp)
  using Ends = std::initializer_list<std::string_view>;
  NodeId body(Ends ends);
  NodeId statement();
  void endTag();
  void endTag(std::string_view name);
  NodeId parseIf(const Place &place);
  NodeId parseFor(const Place &place);
  NodeId parseSet(const Place &place);
  NodeId parseMacro(const Place &place);
  NodeId parseCall(const Place &place);
  NodeId parseFilterBlock(const Place &place);
  NodeId parseWith(const Place &place);
  NodeId parseLeave(const Place &place, Op op, const std::string &name);
  NodeId target(bool takesAttributes);
  NodeId oneTarget(bool takesAttributes);
  std::vector<NodeId> parameters();
  NodeId filtersOfBlock();
  [[noreturn]] void failTag(const Token &name) const;

  // Expressions (Parser.cpp)
  NodeId expression();
  /// One expression, or a tuple without brackets: a, b.
  NodeId expressions();
  NodeId conditional();
  NodeId either();
  NodeId both();
  NodeId negation();
  NodeId comparison();
  NodeId sum();
  NodeId concatenation();
  NodeId product();
  NodeId power();
  NodeId unary(bool takesFilters = true);
  NodeId primary();
  NodeId nameOrConstant();
  NodeId inBrackets();
  NodeId list();
  NodeId dict();
  NodeId postfix(NodeId node);
  NodeId filters(NodeId node);
  NodeId filter(NodeId node);
  NodeId test(NodeId node);
  NodeId subscript(NodeId node);
  std::vector<NodeId> arguments();
  /// Parses left-associative operands between `signs`.
  NodeId
  leftToRight(std::initializer_list<std::pair<std::string_view, Op>> signs,
              NodeId (Parser::*operand)());
};

} // namespace transfold::chat

#endif // TRANSFOLD_COMPILER_CHAT_PARSER_H
