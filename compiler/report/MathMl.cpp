// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typesets expressions. As in ExprText.cpp, each expression has a binding power
// and gets parentheses where its context requires a stronger one; fractions,
// roots and subscripts need none for what they contain.
//
//   softmax(Q[i] @ K[i]' / √d_k | mask) @ V[i]
//
//   softmax( (Q_i K_i^⊤) / √d_k ∣ mask ) V_i

#include "compiler/report/MathMl.h"

#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <optional>

using namespace transfold;
using namespace transfold::report;
using spec::Expr;
using spec::ExprKind;
using spec::ExprPtr;

/// Binding powers; those of infix operators are in `infix`.
static constexpr int sumPower = 7, productPower = 8, prefixPower = 9,
                     atomPower = 12;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Text between tags. Characters that XML does not permit become U+FFFD.
static std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += "\xEF\xBF\xBD";
    else
      result += c;
  }
  return result;
}

static std::string element(const char *tag, const std::string &content) {
  return fmt::format("<{0}>{1}</{0}>", tag, content);
}
static std::string sign(const char *text) { return element("mo", text); }
static std::string word(const char *text) {
  return element("mtext", fmt::format("\u00A0{}\u00A0", text));
}
static std::string row(const std::string &content) {
  return element("mrow", content);
}
/// Brackets around `content`, which grow only with fractions and tables: fonts
/// without large brackets would stretch them for every subscript.
static std::string inBrackets(const char *left, const std::string &content,
                              const char *right) {
  const bool isHigh = content.find("<mfrac>") != std::string::npos ||
                      content.find("<mtable>") != std::string::npos;
  auto bracket = [&](const char *text) {
    return isHigh ? sign(text)
                  : fmt::format("<mo stretchy=\"false\">{}</mo>", text);
  };
  return row(bracket(left) + content + bracket(right));
}
static std::string inParentheses(const std::string &content) {
  return inBrackets("(", content, ")");
}

/// The operator of an expression, with its place.
static std::string operation(const Expr &expr, const std::string &content) {
  return fmt::format("<mrow data-at=\"{}:{}\">{}</mrow>", expr.at.line,
                     expr.at.column, content);
}

/// A name with what follows its first underscore as a subscript, and with
/// `indices`: W_Q[i] has the subscript "Q,i".
static std::string named(const std::string &name,
                         const std::string &indices = "") {
  const size_t underscore = name.find('_');
  const bool isSplit = underscore != std::string::npos && underscore > 0 &&
                       underscore + 1 < name.size();
  std::string base =
      element("mi", escaped(isSplit ? name.substr(0, underscore) : name));
  std::string below;
  if (isSplit)
    below = element("mi", escaped(name.substr(underscore + 1)));
  if (!indices.empty())
    below += (below.empty() ? "" : sign(",")) + indices;
  return below.empty() ? base : element("msub", base + row(below));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// MathML, and how strongly it binds.
struct Typeset {
  std::string text;
  int power = atomPower;
};

/// An infix operator.
struct Infix {
  std::string text; // empty: not infix
  int power;
};
} // namespace

static Infix infix(ExprKind kind) {
  switch (kind) {
  case ExprKind::Or:
    return {word("or"), 2};
  case ExprKind::And:
    return {word("and"), 3};
  case ExprKind::Equal:
    return {sign("="), 5};
  case ExprKind::NotEqual:
    return {sign("≠"), 5};
  case ExprKind::Less:
    return {sign("&lt;"), 5};
  case ExprKind::LessEqual:
    return {sign("≤"), 5};
  case ExprKind::Greater:
    return {sign("&gt;"), 5};
  case ExprKind::GreaterEqual:
    return {sign("≥"), 5};
  case ExprKind::In:
    return {sign("∈"), 5};
  case ExprKind::Default:
    return {word("or else"), 6};
  case ExprKind::Add:
    return {sign("+"), sumPower};
  case ExprKind::Subtract:
    return {sign("−"), sumPower};
  case ExprKind::Multiply:
    return {sign("·"), productPower};
  case ExprKind::Product: // a matrix product: the factors beside each other
    return {"<mspace width=\"0.22em\"/>", productPower};
  case ExprKind::Modulo:
    return {word("mod"), productPower};
  default:
    return {"", 0};
  }
}

static Typeset typeset(const Expr &expr);

static std::string print(const ExprPtr &expr, int power) {
  if (!expr)
    return "";
  auto [text, own] = typeset(*expr);
  return own < power ? inParentheses(text) : text;
}

static std::string list(const std::vector<ExprPtr> &operands, size_t first) {
  std::string result;
  for (size_t k = first; k < operands.size(); ++k)
    result += (k > first ? sign(",") : "") + print(operands[k], 0);
  return result;
}

/// Calls that papers write with signs instead of names.
static std::optional<std::string> calledSign(const Expr &call) {
  if (call.operands.size() != 2 || call.operands[0]->kind != ExprKind::Name)
    return std::nullopt;
  const std::string &name = call.operands[0]->text;
  const std::string argument = print(call.operands[1], 0);
  if (name == "sqrt")
    return element("msqrt", argument);
  if (name == "abs")
    return inBrackets("|", argument, "|");
  if (name == "floor")
    return inBrackets("⌊", argument, "⌋");
  if (name == "ceil")
    return inBrackets("⌈", argument, "⌉");
  return std::nullopt;
}

static std::string call(const Expr &expr) {
  if (auto signs = calledSign(expr))
    return *signs;
  return print(expr.operands[0], atomPower) +
         inParentheses(list(expr.operands, 1));
}

/// A base with subscripts. A name joins them with its own subscript.
static std::string index(const Expr &expr) {
  const Expr &base = *expr.operands[0];
  const std::string indices = list(expr.operands, 1);
  if (base.kind == ExprKind::Name)
    return named(base.text, indices);
  return element("msub",
                 row(print(expr.operands[0], atomPower)) + row(indices));
}

/// [a, b; c] as a matrix, or as a list if it has one row.
static std::string stack(const Expr &expr) {
  std::string rows;
  size_t next = 0;
  if (expr.rowLengths.size() == 1)
    return inBrackets("[", list(expr.operands, 0), "]");
  for (unsigned length : expr.rowLengths) {
    std::string cells;
    for (unsigned column = 0; column < length; ++column)
      cells += element("mtd", print(expr.operands[next++], 0));
    rows += element("mtr", cells);
  }
  return row(sign("[") + element("mtable", rows) + sign("]"));
}

/// a if c else b if d else …, with a brace and a line for each case.
static std::string cases(const Expr &expr) {
  std::string rows;
  const Expr *current = &expr;
  auto line = [&](const std::string &value, const std::string &condition) {
    rows += element("mtr", element("mtd", value) + element("mtd", condition));
  };
  for (; current->kind == ExprKind::Conditional;
       current = current->operands[2].get()) {
    line(print(current->operands[1], 0),
         word("if") + print(current->operands[0], 0));
    if (!current->operands[2])
      break;
  }
  if (current->kind != ExprKind::Conditional)
    line(typeset(*current).text, word("otherwise"));
  return row(sign("{") + element("mtable", rows));
}

/// Names, numbers and keywords.
static std::optional<std::string> atom(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Number:
    return element("mn", escaped(expr.text));
  case ExprKind::Name:
    return named(expr.text);
  case ExprKind::String:
    return element("mtext", "“" + escaped(expr.text) + "”");
  case ExprKind::True:
    return element("mtext", "true");
  case ExprKind::False:
    return element("mtext", "false");
  case ExprKind::None:
    return element("mtext", "none");
  case ExprKind::Infinity:
    return element("mi", "∞");
  case ExprKind::Config:
    return element("mtext", "config");
  case ExprKind::Generation:
    return element("mtext", "generation");
  default:
    return std::nullopt;
  }
}

/// Operators and brackets of which each has a form of its own.
static Typeset form(const Expr &expr) {
  auto operand = [&](size_t k, int power = 0) {
    return print(expr.operands[k], power);
  };
  switch (expr.kind) {
  case ExprKind::Divide:
    return {element("mfrac", row(operand(0)) + row(operand(1)))};
  case ExprKind::IntegerDivide:
    return {sign("⌊") + element("mfrac", row(operand(0)) + row(operand(1))) +
            sign("⌋")};
  case ExprKind::Power:
    return {element("msup", row(operand(0, atomPower)) + row(operand(1))), 11};
  case ExprKind::Transpose:
    return {element("msup", row(operand(0, atomPower)) + sign("⊤"))};
  case ExprKind::Root:
    return {element("msqrt", operand(0))};
  case ExprKind::Sum:
    return {element("munder", sign("∑") + element("mi", escaped(expr.text))) +
                operand(0, productPower),
            productPower};
  case ExprKind::Negate:
    return {sign("−") + operand(0, prefixPower), prefixPower};
  case ExprKind::Not:
    return {sign("¬") + operand(0, 4), 4};
  case ExprKind::Conditional:
    return {cases(expr), 1};
  case ExprKind::Call:
    return {call(expr)};
  case ExprKind::Index:
    return {index(expr)};
  case ExprKind::Stack:
    return {stack(expr)};
  case ExprKind::Field:
    return {(expr.operands[0]->kind == ExprKind::Config
                 ? std::string()
                 : operand(0, atomPower)) +
            element("mtext", "." + escaped(expr.text))};
  case ExprKind::Named:
    return {element("mtext", escaped(expr.text)) + sign("=") + operand(0), 0};
  case ExprKind::Given:
    return {operand(0, 1) + sign("∣") + operand(1, 1), 0};
  case ExprKind::Slice:
    return {operand(0, 1) + sign(":") + operand(1, 1), 0};
  case ExprKind::Range:
    return {operand(0, 1) + sign("+:") + operand(1, 1), 0};
  default: // a record
    return {element("mtext", escaped(spec::text(expr)))};
  }
}

static Typeset typeset(const Expr &expr) {
  if (std::optional<std::string> text = atom(expr))
    return {*text};
  if (Infix op = infix(expr.kind); !op.text.empty())
    return {operation(expr, print(expr.operands[0], op.power) + op.text +
                                print(expr.operands[1], op.power + 1)),
            op.power};
  Typeset result = form(expr);
  result.text = operation(expr, result.text);
  return result;
}

//===----------------------------------------------------------------------===//
// Whole equations
//===----------------------------------------------------------------------===//

static std::string whole(const std::string &content) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + row(content) +
         "</math>";
}

std::string report::mathMlOf(const Expr &expr) {
  return whole(typeset(expr).text);
}

std::string report::mathMlOf(const spec::Definition &definition) {
  std::string indices;
  for (const spec::IndexVariable &index : definition.indices) {
    indices += (indices.empty() ? "" : sign(",")) + named(index.name);
    if (index.bound)
      indices += sign("&lt;") + print(index.bound, 0);
  }
  std::string left = named(definition.name, indices);
  if (definition.parameters) {
    std::string parameters;
    for (const spec::Parameter &parameter : *definition.parameters)
      parameters +=
          (parameters.empty() ? "" : sign(",")) + named(parameter.name);
    // f(x)[i]: the indices follow the parameters.
    left = named(definition.name) + inParentheses(parameters);
    if (!indices.empty())
      left = element("msub", row(left) + row(indices));
  }
  return whole(left + sign("=") + print(definition.value, 0));
}

std::string report::mathMlOfReturn(const std::vector<ExprPtr> &values) {
  return whole(element("mtext", "return\u00A0") + list(values, 0));
}

std::string report::mathMlOfLoop(const std::string &variable,
                                 const Expr &bound) {
  return whole(element("mtext", "for\u00A0") + named(variable) +
               sign("=0, …,") + typeset(bound).text + sign("−") +
               element("mn", "1"));
}
