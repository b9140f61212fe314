// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser itself, one method for each rule of the grammar: items in
// Parser.cpp and bodies in ParseBodies.cpp (LL(1)), expressions in
// ParseExpr.cpp (by precedence climbing), tables of containers in
// ParseTables.cpp. Only these files include this header.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Lexer.h"

#include <string_view>

namespace transfold::spec {

/// A recursive-descent parser over the tokens of a file.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  /// file = ("model" | "library") NAME {item}. Collects errors; the result has
  /// what was parsed without them.
  File file();
  /// The errors that were collected.
  Errors takeErrors() { return std::move(errors); }
  /// The name of a model in quotes: letters, digits, `_`, `-` and `.`.
  std::string modelName();
  /// Parses all tokens as one expression: a value that a string inserts.
  ExprPtr onlyExpression();

private:
  // Tokens.
  const Token &token() const { return tokens[position]; }
  /// The token after the current one; End stays the last.
  const Token &next() const;
  /// Returns the current token and moves past it, except past End.
  const Token &take();
  bool at(std::string_view text) const; // an operator or a keyword
  /// Takes the current token if it is the operator or keyword `text`.
  bool accept(std::string_view text);
  /// Takes the operator or keyword `text`. This and the next two throw
  /// SpecError if the current token is another one; `what` names in the message
  /// what was expected.
  const Token &expect(std::string_view text);
  const Token &identifier(std::string_view what = "a name");
  const Token &string(std::string_view what = "a string");
  /// Skips commas and line ends between the entries of a table.
  void separator();
  /// Skips line ends only.
  void skipLines();
  /// Requires a line end, the end of the file or a closing brace, which is not
  /// taken.
  void endOfStatement();
  /// Skips the rest of a faulty item, up to the next one.
  void skipItem();
  /// Skips the rest of a faulty statement that began at `first`.
  void skipStatement(size_t first);
  /// The current token as messages show it.
  std::string found() const;
  /// Throws a SpecError at `where`.
  [[noreturn]] void fail(Code code, const Token &where, std::string message,
                         std::vector<std::string> notes = {});
  /// From `first` to the token before the current one.
  Range rangeFrom(const Token &first) const;

  /// Counts one more level of recursion during its lifetime.
  struct Level {
    Level(Parser &parser);
    ~Level() { --parser.depth; }
    Parser &parser;
  };

  /// One or more results of `rule`, separated by commas.
  template <typename F> auto many(F rule) {
    std::vector<decltype(rule())> result;
    do
      result.push_back(rule());
    while (accept(","));
    return result;
  }
  /// The same in square brackets.
  template <typename F> auto bracketed(F rule) {
    expect("[");
    auto result = many(rule);
    expect("]");
    return result;
  }
  /// "[" expression {"," expression} "]": a shape, or the statics of a part.
  std::vector<ExprPtr> dims();

  // Items.
  /// ("model" | "library") NAME
  void head(File &file);
  /// Parses one declaration of a file, and appends it there.
  void item(File &file);
  /// "use" [NAME {"," NAME} "from"] STRING
  Use use();
  /// ("lengths" | "sizes") NAME {"," NAME}
  void lengths(std::vector<std::pair<std::string, Place>> &into);
  /// "parts" part {"," part}
  std::vector<Part> parts();
  /// NAME ["[" NAME "<" expression "]"] [":" NAME [dims] ["if" condition]]
  Part part();
  /// "weights" weight {"," weight}
  std::vector<Weight> weights();
  /// NAME dims ["?" | "if" condition ["else" expression]]
  Weight weight();
  /// "block" NAME ["[" NAME {"," NAME} "]"] parameters "->" dims body
  Block block();
  /// "entry" NAME parameters "->" NAME dims {"," NAME dims} ["if" condition]
  /// body
  Entry entry();
  /// "task" NAME "from" NAME {"," NAME} [options]
  Task task();
  /// "{" {NAME "=" expression} "}"
  std::vector<Definition> options();
  /// "interface" "{" {NAME ["." NAME] "=" STRING} "}"
  Interface interface();

  // Definitions and bodies.
  /// NAME [dims] ["=" expression]
  Parameter parameter();
  /// "(" [parameter {"," parameter}] ")", with defaults last.
  std::vector<Parameter> parameters();
  /// NAME ["<" expression]
  IndexVariable indexVariable();
  /// NAME [parameters] ["[" index {"," index} "]"] "=" expression ["where"
  /// definition {"," definition}]. A definition inside `where` has no `where`
  /// of its own.
  Definition definition(bool mayHaveWhere = true);
  /// "{" {statement} "}". An error in a statement is collected, and parsing
  /// goes on with the next one.
  Body body();
  /// A declaration, `return`, `for`, `if`, or a definition.
  Statement statement();
  /// "if" condition body ["else" (branch | body)]
  void branch(Statement &statement);

  // Tables.
  /// "config" NAME ["for" STRING {"," STRING} ["if" condition]] "{" … "}"
  Config config();
  /// "names" NAME table
  Names names();
  /// "{" {expect | ignore | linear | axis | section | binding} "}", where a
  /// section is the name of a block followed by a table.
  Table table();
  /// "ignore" pattern {"," pattern} ["if" condition]
  Ignore ignore();
  /// "linear" "as" "[" ("out" "," "in" | "in" "," "out") "]"
  bool linear(Table &table);
  /// NAME [indices] {"," NAME} "=" source ["as" dims] ["at" expression] [table]
  void binding(Table &table);

  // Expressions. For the binding powers see ParseExpr.cpp.
  /// Any expression, including a conditional.
  ExprPtr expression();
  /// An expression that is not a conditional, where `if` belongs to the
  /// declaration.
  ExprPtr unconditional();
  /// An expression of operators that bind at least as strongly as `power`.
  ExprPtr expression(int power);
  /// An operand with its prefix operators `-`, `not` and √.
  ExprPtr prefix();
  /// The index of Σ_j, if the next token begins such a sum; otherwise empty.
  std::string sumIndex();
  /// A literal, a name, a key of the configuration, or an expression in
  /// parentheses.
  ExprPtr primary();
  /// A string; the text between its braces is parsed as expressions.
  ExprPtr stringLiteral();
  /// "[" row {";" row} "]"
  ExprPtr stack();
  /// "{" [key ":" expression {"," …}] "}"; keys may be keywords, and are
  /// unique.
  ExprPtr record();
  /// Applies the transposes, calls, indices and fields that follow `operand`.
  ExprPtr postfix(ExprPtr operand);
  /// An argument of a call: a value, `name = value`, or `value | mask`.
  ExprPtr argument();
  /// An index: a value, `a:b` with both ends optional, or `a +: b`.
  ExprPtr index();
  /// The comparisons that follow `left`, as a conjunction if there are several.
  ExprPtr comparison(ExprPtr left);
  /// A node from `first` to the current token, with its caret at `caret`.
  ExprPtr make(ExprKind kind, const Token &first, const Token &caret,
               std::vector<ExprPtr> operands = {}, std::string text = "");
  /// A node from the begin of `left` to the end of `right`.
  ExprPtr binary(ExprKind kind, const Token &op, ExprPtr left, ExprPtr right);
  /// Computes the height of a node. Throws SpecError if it exceeds the limit.
  ExprPtr finish(Expr expr);
  /// Whether the current token can only begin a value, so that it cannot follow
  /// one.
  bool startsValue() const;

  std::vector<Token> tokens;
  size_t position = 0;
  unsigned depth = 0;
  Errors errors;       // parsing goes on after them
  unsigned chains = 0; // comparison chains (a < b < c) parsed so far
};

} // namespace transfold::spec
