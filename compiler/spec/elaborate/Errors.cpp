// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes in messages: with the names that the spec gives the sizes, with their
// values beside them if known, and with the likely fix.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::spec {

std::string Elaborator::shown(const Axis &axis) const {
  return axis.name.empty() ? symbols.show(axis.size) : axis.name;
}

std::string Elaborator::shown(const Tensor &x) const {
  if (x.rank() == 0)
    return "a scalar";
  std::string list;
  for (unsigned k = 0; k < x.rank(); ++k)
    list += (k ? ", " : "") + shown(x.axis(k));
  return "[" + list + "]";
}

/// "n × 576", if that says more than the names; otherwise empty.
std::string Elaborator::numbers(const Tensor &x) const {
  std::string list;
  bool more = false;
  for (unsigned k = 0; k < x.rank(); ++k) {
    std::string size = symbols.show(x.axis(k).size);
    more |= size != shown(x.axis(k));
    list += (k ? " × " : "") + size;
  }
  return more ? list : "";
}

/// The number of characters, not of bytes.
static size_t width(const std::string &text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

/// `text` with blanks up to a width of `to`, in front of it if `right`.
static std::string padded(const std::string &text, size_t to,
                          bool right = false) {
  std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

const Axis *Elaborator::emptyAxisOf(const Tensor &x) {
  auto empty = std::ranges::find_if(x.axes, [](const Axis &axis) {
    return axis.size.asNumber().value_or(1) < 1;
  });
  return empty == x.axes.end() ? nullptr : &*empty;
}

void Elaborator::failEmpty(const Axis &axis, const std::string &written,
                           Place at, Range underline) const {
  std::string size = shown(axis), number = symbols.show(axis.size);
  throw SpecError(Code::EmptyAxis, at,
                  fmt::format("{} has an axis of {}", written,
                              size == number ? size : size + " = " + number),
                  {"Every size must be at least 1. It follows from the "
                   "configuration, or from a tensor of the checkpoint."},
                  underline);
}

/// One line for each tensor: its text, its shape by name, its shape in numbers.
std::vector<std::string> Elaborator::shapeLines(
    const std::vector<std::pair<std::string, const Tensor *>> &tensors) const {
  size_t names = 0, shapes = 0, sizes = 0;
  for (const auto &[text, tensor] : tensors) {
    names = std::max(names, width(text));
    shapes = std::max(shapes, width(shown(*tensor)));
    sizes = std::max(sizes, width(numbers(*tensor)));
  }
  std::vector<std::string> lines;
  for (const auto &[text, tensor] : tensors) {
    std::string line = padded(text, names) + "  is " + shown(*tensor);
    if (sizes)
      line = padded(text, names) + "  is " + padded(shown(*tensor), shapes) +
             "  " + padded(numbers(*tensor), sizes, true);
    while (line.back() == ' ')
      line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::string Elaborator::kindOf(const Value &value) {
  if (auto *statics = value.statics())
    return statics->kind();
  if (auto *tensor = value.tensor())
    return tensor->rank() == 0   ? "a scalar"
           : tensor->rank() == 1 ? "a row"
           : tensor->rank() == 2 ? "a matrix"
                                 : "a family";
  if (value.as<IndexedScalar>())
    return "a scalar that depends on an index";
  if (value.as<IndexClosure>())
    return "an index function";
  if (value.as<FunctionClosure>() || value.as<Builtin>())
    return "a function";
  if (value.as<BlockReference>())
    return "a block";
  if (value.as<PartReference>())
    return "a part";
  if (value.as<PartFamily>())
    return "a family of parts";
  if (value.as<EntryReference>())
    return "an entry";
  if (value.as<Given>())
    return "a value with a mask";
  if (value.as<Diagonal>())
    return "a diagonal matrix";
  if (value.as<Column>())
    return "a column";
  if (value.as<EarlierState>())
    return "a state, which has values at earlier positions only";
  if (value.as<Undetermined>())
    return "a state of unknown shape";
  if (auto *absent = value.as<Absent>())
    return "`" + absent->name + "`, which is absent";
  return "a weight";
}

void Elaborator::failProduct(const Tensor &a, const Tensor &b,
                             const Expr &expr) {
  const Expr &left = *expr.operands[0], &right = *expr.operands[1];
  std::string leftText = spec::text(left), rightText = spec::text(right);
  auto lines = shapeLines({{leftText, &a}, {rightText, &b}});
  std::string why;
  if (a.rank() == 0 || b.rank() == 0) {
    why = "A scalar is multiplied with `*`.";
  } else if (a.rank() > 2 || b.rank() > 2) {
    why = "A family is multiplied member by member: X[i] @ Y[i].";
  } else {
    why = fmt::format("columns of {} ({}) ≠ rows of {} ({}).", leftText,
                      shown(a.axis(a.rank() - 1)), rightText, shown(b.axis(0)));
    // Would it fit with one transpose less or more?
    auto fits = [&](const Tensor &x, const Tensor &y) {
      return symbols.same(x.axis(x.rank() - 1).size, y.axis(0).size);
    };
    auto turned = [](Tensor x) {
      std::swap(x.visible[0], x.visible[1]);
      return x;
    };
    auto outcome = [&](const Tensor &x, const Tensor &y) {
      std::string list;
      if (x.rank() == 2)
        list += shown(x.axis(0));
      if (y.rank() == 2)
        list += (list.empty() ? "" : ", ") + shown(y.axis(1));
      return list.empty() ? "a scalar" : "[" + list + "]";
    };
    if (b.rank() == 2 && fits(a, turned(b))) {
      bool less = right.kind == ExprKind::Transpose;
      std::string other =
          less ? spec::text(*right.operands[0]) : rightText + "'";
      why += fmt::format(" {} the transpose it fits: {} @ {} is {}.",
                         less ? "Without" : "With", leftText, other,
                         outcome(a, turned(b)));
    } else if (a.rank() == 2 && fits(turned(a), b)) {
      bool less = left.kind == ExprKind::Transpose;
      std::string other = less ? spec::text(*left.operands[0]) : leftText + "'";
      why += fmt::format(" {} the transpose it fits: {} @ {} is {}.",
                         less ? "Without" : "With", other, rightText,
                         outcome(turned(a), b));
    }
  }
  lines.push_back(why);
  throw SpecError(Code::ProductShapes, expr.at,
                  "these two cannot be multiplied", lines, right.range);
}

/// Whether messages call the operation an addition.
static bool isAdditive(Binary kind) {
  return kind == Binary::Add || kind == Binary::Subtract;
}

void Elaborator::failElementwise(Binary kind, const Tensor &a, const Tensor &b,
                                 const Expr &expr) {
  const Expr *left = &expr, *right = &expr;
  if (expr.operands.size() == 2) {
    left = expr.operands[0].get();
    right = expr.operands[1].get();
  }
  std::string leftText = spec::text(*left);
  std::string rightText = spec::text(*right);
  auto lines = shapeLines({{leftText, &a}, {rightText, &b}});
  bool isTable = false;
  if (a.rank() == b.rank() && a.rank() >= 1) {
    for (unsigned k = 0; k < a.rank(); ++k)
      if (!symbols.same(a.axis(k).size, b.axis(k).size)) {
        std::string line =
            fmt::format("{} ≠ {}", shown(a.axis(k)), shown(b.axis(k)));
        const Tensor &table = b.isWeight ? b : a;
        const Tensor &other = b.isWeight ? a : b;
        bool rest = true;
        for (unsigned c = 1; c < a.rank(); ++c)
          rest &= symbols.same(a.axis(c).size, b.axis(c).size);
        isTable = k == 0 && rest && table.isWeight && !other.isWeight &&
                  a.rank() == 2;
        if (isTable) {
          std::string length = shown(other.axis(0));
          line += ": the table has a row for every position.";
          lines.push_back(line);
          lines.push_back(fmt::format("Take the first {} of them: {}[:{}].",
                                      length, b.isWeight ? rightText : leftText,
                                      length));
        } else {
          lines.push_back(line);
        }
        break;
      }
  } else {
    lines.push_back("A row combines with each row of a matrix, a scalar with "
                    "any value; otherwise the shapes must be equal.");
  }
  const char *verb = isAdditive(kind)           ? "added"
                     : kind == Binary::Multiply ? "multiplied entry by entry"
                     : kind == Binary::Maximum  ? "compared entry by entry"
                                                : "divided entry by entry";
  if (kind == Binary::Multiply && a.rank() == 2 && b.rank() == 2 &&
      symbols.same(a.axis(1).size, b.axis(0).size))
    lines.push_back("The product of matrices is written `@`.");
  throw SpecError(Code::ElementwiseShapes, expr.at,
                  fmt::format("these two cannot be {}", verb), lines,
                  left->range);
}

/// The equation that defines a static name: in the block that is being
/// elaborated, in the spec, or in `config`.
const Definition *Elaborator::definitionOf(const std::string &name,
                                           const Environment *scope) const {
  if (const Block *block = instancePointer(scope)->block)
    for (const Statement &statement : block->body)
      if (statement.definition && statement.definition->name == name)
        return &*statement.definition;
  for (const Definition &definition : spec.main.definitions)
    if (definition.name == name)
      return &definition;
  if (auto constants = top.constants.find(box);
      constants != top.constants.end())
    if (auto found = constants->second.find(name);
        found != constants->second.end())
      return found->second;
  return nullptr;
}

/// "d_k = d / h: h = 5 does not divide d = 64.", if `expr` is such a quotient:
/// a number of heads that does not divide the width is the usual cause.
std::vector<std::string> Elaborator::divisionNote(const Expr &expr,
                                                  const Environment *scope) {
  const Definition *definition =
      expr.kind == ExprKind::Name ? definitionOf(expr.text, scope) : nullptr;
  const Expr &written = definition ? *definition->value : expr;
  if (written.kind != ExprKind::Divide)
    return {};
  const Expr &dividend = *written.operands[0], &divisor = *written.operands[1];
  return {fmt::format("{}{}: {} = {} does not divide {} = {}.",
                      definition ? definition->name + " = " : "",
                      spec::text(written), spec::text(divisor),
                      staticValue(divisor, scope).str(), spec::text(dividend),
                      staticValue(dividend, scope).str())};
}

void Elaborator::failAbsent(const Absent &absent, const Expr &expr) {
  throw SpecError(
      Code::AbsentWeight, expr.at,
      fmt::format("`{}` is absent, but is used in a product", absent.name),
      {"An absent weight is zero, and only as a term of a sum.",
       "Write what holds without it: `if` with the condition of the weight."},
      expr.range);
}

void Elaborator::failAbsentPart(const Absent &absent, const Expr &expr) {
  std::vector<std::string> notes;
  if (!absent.condition.empty())
    notes = {fmt::format("It is declared `if {}`, and that is false.",
                         absent.condition),
             "Call it where that holds: `if` with the same condition."};
  throw SpecError(
      Code::AbsentPart, expr.at,
      fmt::format("the part `{}` is absent in this model", absent.name), notes,
      expr.range);
}

/// ".scaling.factor"; for another file with its name in front: "tokens.json:
/// .pad".
static std::string shownKey(const std::string &path) {
  size_t colon = path.find(':');
  return colon == std::string::npos
             ? "." + path
             : path.substr(0, colon) + ": ." + path.substr(colon + 1);
}

/// A key that the spec mentions does not count as unread, even if the error
/// occurs before it is read.
std::string Elaborator::unreadKeyNear(const std::string &key) {
  try {
    mentionConfiguration();
    return configuration.nearestUnread(key, ignoredKeys());
  } catch (const std::exception &) {
    return ""; // the patterns of `ignore` are invalid themselves
  }
}

std::vector<std::string> Elaborator::whyNone(const std::string &written,
                                             const StaticValue &value) {
  std::vector<std::string> keys = value.absentKeys();
  if (keys.empty() || !checkpoint)
    return {};
  std::vector<std::string> shown;
  for (const std::string &key : keys)
    shown.push_back(shownKey(key));
  std::string which =
      keys.size() == 1
          ? fmt::format("`{}` is {}, which is absent from {}", written,
                        shown[0], checkpoint->path())
          : fmt::format("`{}` is one of {}, and all of them are absent from {}",
                        written, fmt::join(shown, ", "), checkpoint->path());
  std::vector<std::string> notes{which + "; `??` can give it another value"};
  for (const std::string &key : keys)
    if (std::string near = unreadKeyNear(key); !near.empty())
      notes.push_back(
          fmt::format("The model has {}, which is not read.", shownKey(near)));
  return notes;
}

std::vector<std::string> Elaborator::whyNone(const Expr &written,
                                             const Value &value) {
  auto *statics = value.statics();
  return statics ? whyNone(spec::text(written), *statics)
                 : std::vector<std::string>();
}

std::vector<std::string>
Elaborator::whyOperandsAreNone(const Expr &expr, const Environment *scope) {
  std::vector<std::string> notes;
  for (const ExprPtr &operand : expr.operands) {
    if (!operand)
      continue;
    std::vector<std::string> found;
    if (operand->kind == ExprKind::String)
      found = whyOperandsAreNone(*operand, scope);
    bool isPlain = operand->kind == ExprKind::Name ||
                   operand->kind == ExprKind::Field ||
                   operand->kind == ExprKind::Default;
    try {
      if (isPlain)
        found = whyNone(*operand, evaluate(*operand, scope));
    } catch (const std::exception &) {
      // The error that is reported already is more informative.
    }
    notes.insert(notes.end(), found.begin(), found.end());
  }
  return notes;
}

} // namespace transfold::spec
