// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/MatrixUse.h"

#include <map>
#include <vector>

using namespace transfold::spec;

namespace {
class UseCounter {
public:
  void body(const Body &body);
  void definition(const Definition &definition);
  void hide(const std::string &name) { ++hidden[name]; }
  void reveal(const std::string &name) { --hidden[name]; }
  void expression(const ExprPtr &expr, bool rightOfProduct = false);

  MatrixUse result() const {
    MatrixUse result;
    for (auto &[name, count] : linear) {
      result.linear.insert(name);
      if (all.at(name) > count)
        result.mixed.insert(name);
    }
    return result;
  }

private:
  std::map<std::string, int> linear, all, hidden;
};
} // namespace

void UseCounter::expression(const ExprPtr &expr, bool rightOfProduct) {
  if (!expr)
    return;
  switch (expr->kind) {
  case ExprKind::Name:
    if (hidden[expr->text] > 0)
      return;
    ++all[expr->text];
    if (rightOfProduct)
      ++linear[expr->text];
    return;
  case ExprKind::Product:
    expression(expr->operands[0], rightOfProduct);
    expression(expr->operands[1], true);
    return;
  case ExprKind::Index: // a member of a family multiplies for all of it
    expression(expr->operands[0], rightOfProduct);
    for (size_t i = 1; i < expr->operands.size(); ++i)
      expression(expr->operands[i]);
    return;
  default:
    for (const ExprPtr &operand : expr->operands)
      expression(operand);
  }
}

void UseCounter::definition(const Definition &definition) {
  expression(definition.value);
  for (const Definition &inner : definition.where)
    this->definition(inner);
}

void UseCounter::body(const Body &body) {
  for (const Statement &statement : body) {
    if (statement.definition)
      definition(*statement.definition);
    for (const ExprPtr &value : statement.values)
      expression(value);
    expression(statement.condition);
    this->body(statement.body);
    this->body(statement.otherwise);
  }
}

MatrixUse transfold::spec::matrixUse(const Body &body) {
  UseCounter counter;
  counter.body(body);
  return counter.result();
}

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

MatrixUse transfold::spec::matrixUse(const File &file) {
  UseCounter counter;
  for (const Definition &definition : file.definitions)
    counter.definition(definition);
  for (const Entry &entry : file.entries)
    counter.body(entry.body);
  for (const Block &block : file.blocks) {
    // The block's own names are not those of the model.
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
