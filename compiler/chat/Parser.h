// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses tokens to the nodes of a program: Jinja's grammar, with a function for
// each rule, lowest precedence first.

#pragma once

#include "base/NonCopyable.h"
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

  /// The current token, which is not consumed yet.
  const Token &now() const { return tokens[at]; }
  /// The token after the current one; at the end, the last one.
  const Token &next() const {
    return tokens[std::min(at + 1, tokens.size() - 1)];
  }
  /// Consumes the current token and returns it; the end is never consumed.
  Token take() { return tokens[now().kind == Token::End ? at : at++]; }
  /// Whether the current token is this name, or this operator.
  bool isName(std::string_view name) const {
    return now().is(Token::Name, name);
  }
  bool isSign(std::string_view sign) const {
    return now().is(Token::Operator, sign);
  }
  /// Consumes the token if it comes next; returns whether it did.
  bool skipName(std::string_view name);
  bool skipSign(std::string_view sign);
  /// Consumes the token; throws TemplateError if another one comes next.
  void expectSign(std::string_view sign);
  void expectName(std::string_view name);
  /// Consumes any name; the error message calls it `what`.
  std::string expectSomeName(const char *what);
  /// Throws TemplateError: `message`, or that `wanted` is expected instead of
  /// the current token.
  [[noreturn]] void fail(const Place &place, const std::string &message) const;
  [[noreturn]] void failUnexpected(const std::string &wanted) const;
  /// Appends a node to the program. Children come before their parent.
  NodeId add(Op op, const Place &place, std::vector<NodeId> children = {},
             std::string_view text = "");
  /// The placeholder for a part that was left out.
  NodeId absent() { return add(Op::Absent, now().place); }

  /// Counts one more level of nesting during its lifetime; throws TemplateError
  /// if the nesting is too deep for recursion.
  struct Level : NonCopyable {
    explicit Level(Parser &parser);
    ~Level() { --parser.depth; }
    Parser &parser;
  };

  // Statements (ParseStatements.cpp). The functions that take a `place` are
  // called after the name of the tag, which is at `place`, was consumed.

  /// The names of the tags that end a block.
  using Ends = std::initializer_list<std::string_view>;
  /// Statements and text up to an end tag.
  NodeId body(Ends ends);
  /// Parses one statement, from the name of its tag on.
  NodeId statement();
  /// Consumes %}, or the name of an end tag and then %}.
  void endTag();
  void endTag(std::string_view name);
  /// {% if c %} … {% elif c %} … {% else %} … {% endif %}
  NodeId parseIf(const Place &place);
  /// {% for target in items if c recursive %} … {% else %} … {% endfor %}
  NodeId parseFor(const Place &place);
  /// {% set target = value %}, or {% set target | filters %} … {% endset %}
  NodeId parseSet(const Place &place);
  /// {% macro name(parameters) %} … {% endmacro %}
  NodeId parseMacro(const Place &place);
  /// {% call(parameters) macro(arguments) %} … {% endcall %}
  NodeId parseCall(const Place &place);
  /// {% filter filters %} … {% endfilter %}
  NodeId parseFilterBlock(const Place &place);
  /// {% with target = value, … %} … {% endwith %}
  NodeId parseWith(const Place &place);
  /// Parses break and continue.
  NodeId parseLeave(const Place &place, Op op, const std::string &name);
  /// What is assigned to: one target, or several with commas between them.
  NodeId target(bool takesAttributes);
  /// A name, an attribute if these can be assigned, or targets in brackets.
  NodeId oneTarget(bool takesAttributes);
  /// (a, b=default): the parameters of a macro.
  std::vector<NodeId> parameters();
  /// The filters of a block, applied to its output.
  NodeId filtersOfBlock();
  /// Throws TemplateError for an unknown tag.
  [[noreturn]] void failTag(const Token &name) const;

  // Expressions (Parser.cpp)

  /// One expression, of any precedence.
  NodeId expression();
  /// One expression, or a tuple without brackets: a, b.
  NodeId expressions();
  NodeId conditional();   // a if b else c
  NodeId either();        // a or b
  NodeId both();          // a and b
  NodeId negation();      // not a
  NodeId comparison();    // a < b <= c, a in b
  NodeId sum();           // a + b - c
  NodeId concatenation(); // a ~ b
  NodeId product();       // a * b / c // d % e
  NodeId power();         // a ** b
  /// -a, +a or a value, with what follows it; the operand of a sign takes no
  /// filters, so that -a|abs is (-a)|abs.
  NodeId unary(bool takesFilters = true);
  /// A literal, a name, or a value that begins with a bracket.
  NodeId primary();
  /// A name, or true, false or none, also with a capital letter.
  NodeId nameOrConstant();
  /// (a), or the tuples (), (a,) and (a, b).
  NodeId inBrackets();
  /// [a, b]
  NodeId list();
  /// {key: value, …}
  NodeId dict();
  /// What may follow a value `node`: .name, [index] and (arguments), repeated.
  NodeId postfix(NodeId node);
  /// The filters and tests that follow: node|filter, node is test.
  NodeId filters(NodeId node);
  /// A filter after its |: name, or name(arguments).
  NodeId filter(NodeId node);
  /// A test from its `is` on.
  NodeId test(NodeId node);
  /// [index] or [first:end:step]
  NodeId subscript(NodeId node);
  /// (a, b, name=c, *list, **dict)
  std::vector<NodeId> arguments();
  /// Parses left-associative operands between `signs`, tokens of `kind`.
  NodeId
  leftToRight(std::initializer_list<std::pair<std::string_view, Op>> signs,
              NodeId (Parser::*operand)(), Token::Kind kind = Token::Operator);
  /// Parses (a, b, …); `element` parses one of them.
  std::vector<NodeId> inParentheses(const std::function<NodeId()> &element);
};

} // namespace transfold::chat
