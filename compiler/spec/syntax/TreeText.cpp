// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   x = norm(E[tokens] + P[:n])        define x
//                                        call
//                                          name norm
//                                          add
//                                            index
//                                              name E
//                                              …

#include "compiler/spec/syntax/TreeText.h"

#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::spec;

/// In the order of ExprKind.
static constexpr const char *kinds[] = {
    "number", "string",     "name",  "true",   "false",  "none",  "infinity",
    "config", "generation", "field", "call",   "named",  "given", "index",
    "slice",  "range",      "'",     "stack",  "record", "if",    "or",
    "and",    "not",        "==",    "!=",     "<",      "<=",    ">",
    ">=",     "in",         "??",    "+",      "-",      "*",     "/",
    "@",      "div",        "mod",   "negate", "^",      "√",     "Σ"};
static_assert(std::size(kinds) == size_t(ExprKind::Sum) + 1);

namespace {
/// Writes one line for each node. The overloads of `print` that take a
/// declaration write a line for it, with its parts one level deeper.
class Printer {
public:
  std::string print(const File &file);

private:
  std::string out;
  size_t depth = 0;

  void line(const std::string &text) {
    out += std::string(2 * depth, ' ') + text + "\n";
  }
  /// A line, and what `children` prints one level deeper.
  template <typename F> void node(const std::string &text, F children) {
    line(text);
    ++depth;
    children();
    --depth;
  }
  /// An expression below a label that names its role; prints nothing for null.
  void labelled(const char *label, const ExprPtr &expr) {
    if (expr)
      node(label, [&] { print(*expr); });
  }
  // Each expression below the label.
  void each(const char *label, const std::vector<ExprPtr> &exprs) {
    for (const ExprPtr &expr : exprs)
      labelled(label, expr);
  }

  void print(const Expr &expr);
  void print(const Definition &definition);
  void print(const Parameter &parameter);
  void print(const Weight &weight);
  void print(const Part &part);
  void print(const Statement &statement);
  void print(const Body &body);
  void print(const Block &block);
  void print(const Entry &entry);
  void print(const Task &task);
  void print(const Ignore &ignore);
  void print(const Config &config);
  void print(const Binding &binding);
  void print(const Table &table);
};
} // namespace

void Printer::print(const Expr &expr) {
  std::string text = kinds[size_t(expr.kind)];
  if (!expr.text.empty())
    text += expr.kind == ExprKind::String ? " \"" + expr.text + "\""
                                          : " " + expr.text;
  for (const std::string &key : expr.keys)
    text += " " + key;
  if (!expr.rowLengths.empty())
    text += fmt::format(" of rows {}", fmt::join(expr.rowLengths, ", "));
  node(text, [&] {
    for (const ExprPtr &operand : expr.operands)
      if (operand)
        print(*operand);
      else
        line("nothing"); // P[:n] has no beginning
  });
}

void Printer::print(const Parameter &parameter) {
  node("parameter " + parameter.name +
           (parameter.dims ? spec::text(*parameter.dims) : ""),
       [&] { labelled("default", parameter.defaultValue); });
}

void Printer::print(const Definition &definition) {
  node("define " + definition.name, [&] {
    if (definition.parameters)
      for (const Parameter &parameter : *definition.parameters)
        print(parameter);
    for (const IndexVariable &index : definition.indices)
      node("index " + index.name, [&] { labelled("below", index.bound); });
    if (definition.value)
      print(*definition.value);
    for (const Definition &inner : definition.where)
      node("where", [&] { print(inner); });
  });
}

void Printer::print(const Weight &weight) {
  node(fmt::format("weight {}{}{}", weight.name, spec::text(weight.dims),
                   weight.optional ? "?" : ""),
       [&] {
         labelled("if", weight.condition);
         labelled("else", weight.otherwise);
       });
}

void Printer::print(const Part &part) {
  node(fmt::format("part {}: {}", part.name, part.block), [&] {
    if (!part.index.empty())
      node("index " + part.index, [&] { labelled("below", part.count); });
    each("argument", part.arguments);
    labelled("if", part.condition);
  });
}

void Printer::print(const Statement &statement) {
  switch (statement.kind) {
  case StatementKind::Parts:
    for (const Part &part : statement.parts)
      print(part);
    return;
  case StatementKind::Weights:
    for (const Weight &weight : statement.weights)
      print(weight);
    return;
  case StatementKind::Define:
    return print(*statement.definition);
  case StatementKind::Return:
    return node("return", [&] {
      for (const ExprPtr &value : statement.values)
        print(*value);
    });
  case StatementKind::For:
    return node("for " + statement.variable, [&] {
      labelled("below", statement.condition);
      print(statement.body);
    });
  case StatementKind::If:
    return node("if", [&] {
      labelled("condition", statement.condition);
      node("then", [&] { print(statement.body); });
      if (!statement.otherwise.empty())
        node("else", [&] { print(statement.otherwise); });
    });
  }
}

void Printer::print(const Body &body) {
  for (const Statement &statement : body)
    print(statement);
}

void Printer::print(const Block &block) {
  node(fmt::format("block {}[{}]", block.name, fmt::join(block.statics, ", ")),
       [&] {
         for (const Parameter &parameter : block.parameters)
           print(parameter);
         line("result " + spec::text(block.result));
         print(block.body);
       });
}

void Printer::print(const Entry &entry) {
  node("entry " + entry.name, [&] {
    for (const Parameter &parameter : entry.parameters)
      print(parameter);
    for (const Result &result : entry.results)
      line("result " + result.name + spec::text(result.dims));
    labelled("if", entry.condition);
    print(entry.body);
  });
}

void Printer::print(const Task &task) {
  node(fmt::format("task {} from {}", task.kind, fmt::join(task.entries, ", ")),
       [&] {
         for (const Definition &option : task.options)
           print(option);
       });
}

void Printer::print(const Ignore &ignore) {
  node("ignore", [&] {
    for (const ExprPtr &pattern : ignore.patterns)
      print(*pattern);
    labelled("if", ignore.condition);
  });
}

void Printer::print(const Config &config) {
  node("config " + config.container, [&] {
    for (const std::string &architecture : config.architectures)
      node("for " + architecture, [] {});
    labelled("if", config.condition);
    for (const Definition &definition : config.definitions)
      print(definition);
    each("expect", config.expectations);
    for (const Ignore &ignore : config.ignored)
      print(ignore);
    if (!config.options.empty())
      node("task", [&] {
        for (const Definition &option : config.options)
          print(option);
      });
  });
}

void Printer::print(const Binding &binding) {
  std::string text = "place " + binding.name;
  if (!binding.indices.empty())
    text += fmt::format("[{}]", fmt::join(binding.indices, ", "));
  node(text, [&] {
    if (binding.source)
      print(*binding.source);
    if (binding.axes)
      line("as " + spec::text(*binding.axes));
    labelled("at", binding.at);
    for (const auto &[axis, split] : binding.splits)
      node("axis " + axis, [&] { print(*split); });
    if (binding.exceptions)
      print(*binding.exceptions);
  });
}

void Printer::print(const Table &table) {
  if (table.linearIsOutIn)
    line(*table.linearIsOutIn ? "linear as [out, in]" : "linear as [in, out]");
  for (const Binding &binding : table.bindings)
    print(binding);
  for (const auto &[block, section] : table.sections)
    node("section " + block, [&] { print(*section); });
  each("expect", table.expectations);
  for (const Ignore &ignore : table.ignored)
    print(ignore);
}

std::string Printer::print(const File &file) {
  auto names = [&](const char *word, const auto &list) {
    for (const auto &[name, place] : list)
      line(fmt::format("{} {}", word, name));
  };
  auto all = [&](const auto &list) {
    for (const auto &item : list)
      print(item);
  };
  node((file.isModel ? "model " : "library ") + file.name, [&] {
    for (const Use &use : file.uses)
      line(use.names.empty()
               ? fmt::format("use \"{}\"", use.path)
               : fmt::format("use {} from \"{}\"", fmt::join(use.names, ", "),
                             use.path));
    names("length", file.lengths);
    names("size", file.sizes);
    all(file.parts);
    all(file.weights);
    all(file.definitions);
    all(file.blocks);
    all(file.entries);
    all(file.tasks);
    all(file.configs);
    for (const Names &table : file.names)
      node("names " + table.container, [&] { print(table.table); });
    for (const Interface &interface : file.interfaces)
      for (const auto &[inside, outside] : interface.names)
        line(fmt::format("interface {} = \"{}\"", inside, outside));
  });
  return std::move(out);
}

std::string transfold::spec::treeText(const File &file) {
  return Printer().print(file);
}
