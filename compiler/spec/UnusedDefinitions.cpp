// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings for names that a spec defines and never uses, found in the syntax
// tree: no checkpoint is needed. A name counts as used if it occurs anywhere in
// the file, whatever it refers to there, so that a warning is never wrong.

#include "compiler/spec/Finish.h"

#include <fmt/format.h>

#include <set>

namespace transfold::spec {

namespace {
/// Collects all names that the expressions of a file mention.
struct Mentions {
  std::set<std::string> names;

  void add(const ExprPtr &expr) {
    if (!expr)
      return;
    if (expr->kind == ExprKind::Name)
      names.insert(expr->text);
    for (const ExprPtr &operand : expr->operands)
      add(operand);
  }
  void add(const std::vector<ExprPtr> &exprs) {
    for (const ExprPtr &expr : exprs)
      add(expr);
  }
  void add(const Definition &definition) {
    add(definition.value);
    for (const IndexVariable &index : definition.indices)
      add(index.bound);
    if (definition.parameters)
      for (const Parameter &parameter : *definition.parameters)
        add(parameter);
    for (const Definition &local : definition.where)
      add(local);
  }
  void add(const Parameter &parameter) {
    if (parameter.dims)
      add(*parameter.dims);
    add(parameter.defaultValue);
  }
  void add(const Part &part) {
    names.insert(part.block);
    add(part.count);
    add(part.arguments);
    add(part.condition);
  }
  void add(const Weight &weight) {
    add(weight.dims);
    add(weight.condition);
    add(weight.otherwise);
  }
  void add(const Body &body) {
    for (const Statement &statement : body) {
      for (const Part &part : statement.parts)
        add(part);
      for (const Weight &weight : statement.weights)
        add(weight);
      if (statement.definition)
        add(*statement.definition);
      add(statement.values);
      add(statement.condition);
      add(statement.body);
      add(statement.otherwise);
    }
  }
  void add(const Table &table) {
    for (const Binding &binding : table.bindings) {
      add(binding.source);
      if (binding.axes)
        add(*binding.axes);
      add(binding.at);
      for (const auto &[axis, product] : binding.splits)
        add(product);
      if (binding.exceptions)
        add(*binding.exceptions);
    }
    for (const auto &[name, section] : table.sections)
      add(*section);
    add(table.expectations);
    for (const Ignore &ignore : table.ignored) {
      add(ignore.patterns);
      add(ignore.condition);
    }
  }
  void add(const File &file) {
    for (const Part &part : file.parts)
      add(part);
    for (const Weight &weight : file.weights)
      add(weight);
    for (const Block &block : file.blocks) {
      for (const Parameter &parameter : block.parameters)
        add(parameter);
      add(block.result);
      add(block.body);
    }
    for (const Entry &entry : file.entries) {
      for (const Parameter &parameter : entry.parameters)
        add(parameter);
      for (const Result &result : entry.results)
        add(result.dims);
      add(entry.condition);
      add(entry.body);
    }
    for (const Task &task : file.tasks)
      for (const Definition &option : task.options)
        add(option);
    for (const Config &config : file.configs) {
      add(config.condition);
      for (const Definition &definition : config.definitions)
        add(definition);
      add(config.expectations);
      for (const Definition &option : config.options)
        add(option);
      for (const Ignore &ignore : config.ignored) {
        add(ignore.patterns);
        add(ignore.condition);
      }
    }
    for (const Names &names : file.names)
      add(names.table);
    for (const Definition &definition : file.definitions)
      add(definition);
  }
};
} // namespace

std::vector<Diagnostic> unusedDefinitions(const LoadedSpec &spec) {
  const File &file = spec.main;
  std::vector<Diagnostic> warnings;
  if (!file.isModel)
    return warnings;
  Mentions mentions;
  mentions.add(file);
  auto warn = [&](const Place &place, const std::string &what,
                  const std::string &name) {
    if (!mentions.names.count(name))
      warnings.push_back(
          {.code = Code::UnusedDefinition,
           .at = place,
           .message =
               fmt::format("{} `{}` is not used by any equation", what, name),
           .severity = Severity::Warning});
  };
  // Constants may also be mentioned by tables of libraries. A constant that is
  // read from the configuration and is mentioned nowhere is probably a
  // multiplier that the equations fail to apply.
  Mentions everywhere = mentions;
  for (const auto &[path, library] : spec.libraries)
    everywhere.add(library);
  for (const Config &config : file.configs)
    for (const Definition &definition : config.definitions)
      if (!everywhere.names.count(definition.name))
        warn(definition.place, "the constant", definition.name);
  for (const Use &use : file.uses)
    for (size_t k = 0; k < use.names.size(); ++k)
      warn(use.namePlaces[k], "the import", use.names[k]);
  for (const Definition &definition : file.definitions)
    warn(definition.place, "the definition", definition.name);
  for (const Block &block : file.blocks)
    warn(block.place, "the block", block.name);
  for (const Part &part : file.parts)
    warn(part.place, "the part", part.name);
  for (const Weight &weight : file.weights)
    warn(weight.place, "the weight", weight.name);
  for (const Block &block : file.blocks)
    for (const Statement &statement : block.body) {
      for (const Part &part : statement.parts)
        warn(part.place, "the part", part.name);
      for (const Weight &weight : statement.weights)
        warn(weight.place, "the weight", weight.name);
    }
  return warnings;
}

} // namespace transfold::spec
