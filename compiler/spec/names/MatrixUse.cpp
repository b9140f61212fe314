// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how equations use each name. `linear as [out, in]` of a table applies
// to weights that are only used as right operands of @; where that is not
// clear, the table must state the layout of the weight itself.

#include "compiler/spec/names/MatrixUse.h"
#include "compiler/spec/names/TopLevel.h"

#include <array>
#include <map>
#include <string_view>
#include <vector>

using namespace transfold::spec;

namespace {
/// How the surrounding equation uses an expression.
enum class Use {
  Linear, // right operand of @
  Plain,  // rows of a table, a term, an elementwise factor, …
  Unclear // gets another name, whose uses are not followed
};

/// Counts for each name how often it is used in which way.
class UseCounter {
public:
  /// Counts the uses in all statements, also in branches that may not be taken.
  void body(const Body &body);
  /// A value that is given a name counts as unclear, because the uses of that
  /// name are not followed.
  void definition(const Definition &definition);
  /// From here to the matching `reveal`, the name refers to something else and
  /// is not counted. Calls may be nested.
  void hide(const std::string &name) { ++hidden[name]; }
  void reveal(const std::string &name) { --hidden[name]; }
  /// Counts the names in `expr`, which the surrounding equation uses as `use`.
  void expression(const ExprPtr &expr, Use use);

  MatrixUse result() const {
    MatrixUse result;
    for (const auto &[name, count] : uses) {
      auto [linear, plain, unclear] = count;
      if (linear)
        result.linear.insert(name);
      if (linear && plain + unclear)
        result.mixed.insert(name);
      if (unclear && !linear)
        result.unclear.insert(name);
    }
    return result;
  }

private:
  /// Counts the names in all operands, each used as `use`.
  void operandsOf(const ExprPtr &expr, Use use) {
    for (const ExprPtr &operand : expr->operands)
      expression(operand, use);
  }

  std::map<std::string, std::array<int, 3>> uses;
  std::map<std::string, int> hidden;
};
} // namespace

/// Whether `expr` calls the function of that name.
static bool isCallOf(const ExprPtr &expr, std::string_view name) {
  return expr->kind == ExprKind::Call &&
         expr->operands[0]->kind == ExprKind::Name &&
         expr->operands[0]->text == name;
}

/// Whether an index selects rows: `T[tokens]` and `T[0]` do, `T[:, a:b]` is a
/// block of the matrix.
static bool takesRows(const ExprPtr &index) {
  return index->operands.size() < 2 ||
         (index->operands[1]->kind != ExprKind::Slice &&
          index->operands[1]->kind != ExprKind::Range);
}

void UseCounter::expression(const ExprPtr &expr, Use use) {
  if (!expr)
    return;
  Use inside = use == Use::Linear ? Use::Linear : Use::Plain;
  switch (expr->kind) {
  case ExprKind::Name:
    if (hidden[expr->text] == 0)
      ++uses[expr->text][static_cast<size_t>(use)];
    return;
  case ExprKind::Product:
    expression(expr->operands[0], inside);
    // diag(v) @ X scales the rows of X: X is not used as a linear map.
    expression(expr->operands[1],
               isCallOf(expr->operands[0], "diag") ? inside : Use::Linear);
    return;
  case ExprKind::Index:
    expression(expr->operands[0], takesRows(expr) ? Use::Plain : inside);
    for (size_t i = 1; i < expr->operands.size(); ++i)
      expression(expr->operands[i], Use::Plain);
    return;
  // Multiples, sums and blocks of a linear map are linear maps.
  case ExprKind::Add:
  case ExprKind::Subtract:
  case ExprKind::Multiply:
  case ExprKind::Divide:
  case ExprKind::Negate:
    operandsOf(expr, inside);
    return;
  case ExprKind::Stack:
    operandsOf(expr, expr->rowLengths.size() == 1 ? inside : Use::Plain);
    return;
  case ExprKind::Conditional:
    expression(expr->operands[0], Use::Plain);
    expression(expr->operands[1], use);
    expression(expr->operands[2], use);
    return;
  case ExprKind::Call: {
    const ExprPtr &callee = expr->operands[0];
    expression(callee, Use::Plain);
    bool isPrimitive =
        callee->kind == ExprKind::Name && primitives().count(callee->text) != 0;
    for (size_t i = 1; i < expr->operands.size(); ++i)
      expression(expr->operands[i], isPrimitive ? inside : Use::Unclear);
    return;
  }
  default:
    operandsOf(expr, Use::Plain);
  }
}

void UseCounter::definition(const Definition &definition) {
  expression(definition.value, Use::Unclear);
  for (const Definition &inner : definition.where)
    this->definition(inner);
}

void UseCounter::body(const Body &body) {
  for (const Statement &statement : body) {
    if (statement.definition)
      definition(*statement.definition);
    for (const ExprPtr &value : statement.values)
      expression(value, Use::Unclear);
    expression(statement.condition, Use::Plain);
    this->body(statement.body);
    this->body(statement.otherwise);
  }
}

MatrixUse transfold::spec::matrixUse(const Body &body) {
  UseCounter counter;
  counter.body(body);
  return counter.result();
}

/// Appends all names that a body declares.
static void declaredNames(const Body &body, std::vector<std::string> &into) {
  for (const Statement &statement : body) {
    for (const Part &part : statement.parts)
      into.push_back(part.name);
    for (const Weight &weight : statement.weights)
      into.push_back(weight.name);
    if (statement.definition)
      into.push_back(statement.definition->name);
    declaredNames(statement.body, into);
    declaredNames(statement.otherwise, into);
  }
}

/// Blocks are counted, too, because their equations can mention the model's own
/// weights.
MatrixUse transfold::spec::matrixUse(const File &file) {
  UseCounter counter;
  for (const Definition &definition : file.definitions)
    counter.definition(definition);
  for (const Entry &entry : file.entries)
    counter.body(entry.body);
  for (const Block &block : file.blocks) {
    // The names that a block declares hide those of the model.
    std::vector<std::string> own = block.statics;
    for (const Parameter &parameter : block.parameters)
      own.push_back(parameter.name);
    declaredNames(block.body, own);
    for (const std::string &name : own)
      counter.hide(name);
    counter.body(block.body);
    for (const std::string &name : own)
      counter.reveal(name);
  }
  return counter.result();
}
