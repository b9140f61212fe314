// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser itself, one method for each rule of the grammar: items in
// Parser.cpp and bodies in ParseBodies.cpp (LL(1)), expressions in
// ParseExpr.cpp (by precedence climbing), tables of containers in
// ParseTables.cpp. Only these files include this header.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSERRULES_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSERRULES_H

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/syntax/Lexer.h"

#include <string_view>

namespace transfold::spec {

/// A recursive-descent parser over the tokens of a file.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  File file();
  std::string modelName();
  /// Parses all tokens as one expression: a value that a string inserts.
  ExprPtr onlyExpression();

private:
  // Tokens.
  const Token &token() const { return tokens[position]; }
  const Token &next() const;
  const Token &take();
  bool at(std::string_view text) const; // an operator or a keyword
  bool accept(std::string_view text);
  const Token &expect(std::string_view text);
  const Token &identifier(std::string_view what = "a name");
  const Token &string(std::string_view what = "a string");
  /// Skips commas and line ends between the entries of a table.
  void separator();
  void skipLines();
  void endOfStatement();
  std::string found() const;
  [[noreturn]] void fail(const Token &where, std::string message,
                         std::vector<std::string> notes = {});
  Range rangeFrom(const Token &first) const;

  /// Counts one more level of recursion during its lifetime.
  struct Level {
    Level(Parser &parser);
    ~Level() { --parser.depth; }
    Parser &parser;
  };

  template <typename F> auto many(F rule) {
    std::vector<decltype(rule())> result;
    do
      result.push_back(rule());
    while (accept(","));
    return result;
  }
  template <typename F> auto bracketed(F rule) {
    expect("[");
    auto result = many(rule);
    expect("]");
    return result;
  }
  std::vector<ExprPtr> dims();

  // Items.
  void item(File &file);
  Use use();
  void lengths(std::vector<std::pair<std::string, Place>> &into);
  std::vector<Part> parts();
  Part part();
  std::vector<Weight> weights();
  Weight weight();
  Block block();
  Entry entry();
  Task task();
  std::vector<Definition> options();
  Interface interface();

  // Definitions and bodies.
  Parameter parameter();
  std::vector<Parameter> parameters();
  IndexVariable indexVariable();
  Definition definition(bool mayHaveWhere = true);
  Body body();
  Statement statement();
  void branch(Statement &statement);

  // Tables.
  Config config();
  Names names();
  Table table();
  Ignore ignore();
  bool linear(Table &table);
  void binding(Table &table);

  // Expressions. For the binding powers see ParseExpr.cpp.
  ExprPtr expression();
  /// An expression that is not a conditional, where `if` belongs to the
  /// declaration.
  ExprPtr unconditional();
  ExprPtr expression(int power);
  ExprPtr prefix();
  ExprPtr primary();
  ExprPtr stringLiteral();
  ExprPtr stack();
  ExprPtr record();
  ExprPtr postfix(ExprPtr operand);
  ExprPtr argument();
  ExprPtr index();
  ExprPtr comparison(ExprPtr left);
  ExprPtr make(ExprKind kind, const Token &first, const Token &caret,
               std::vector<ExprPtr> operands = {}, std::string text = "");
  ExprPtr binary(ExprKind kind, const Token &op, ExprPtr left, ExprPtr right);
  ExprPtr finish(Expr expr);
  bool startsValue() const;

  std::vector<Token> tokens;
  size_t position = 0;
  unsigned depth = 0;
  unsigned chains = 0; // comparison chains (a < b < c) parsed so far
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_PARSERRULES_H
