// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a template: statements append to the output, expressions are values.

#ifndef TRANSFOLD_RUNTIME_CHAT_INTERPRETER_H
#define TRANSFOLD_RUNTIME_CHAT_INTERPRETER_H

#include "runtime/chat/Nodes.h"
#include "runtime/chat/values/Callable.h"
#include "runtime/chat/values/Operators.h"

#include <deque>
#include <map>
#include <memory>

namespace transfold::runtime::chat {

/// The names that a part of a template has, and the part around it. What an
/// inner part sets is gone after it, as in Jinja: loops, macros and blocks
/// have a scope of their own, `if` has none.
struct Scope {
  Scope *parent = nullptr;
  CountedVector<std::pair<std::string_view, Value>> variables = {};

  Value *find(std::string_view name);
  void set(std::string_view name, Value value);
};

/// One rendering.
class Interpreter : public Machine {
public:
  using Inputs = std::map<std::string, Value, std::less<>>;

  /// Within the use of `budget` (Limits.h), of which `inputs` are made.
  Interpreter(const TemplateProgram &program, Inputs inputs, std::tm time,
              Budget &budget)
      : Machine(budget), program(program), inputs(std::move(inputs)),
        time(time) {}

  /// Throws Error with the place in the template.
  Text render();

  Value applyFilter(std::string_view name, Given given) override;
  bool applyTest(std::string_view name, Given given) override;
  Value attribute(const Value &object, std::string_view name) override;
  Value item(const Value &object, const Value &index) override;
  Namespace *makeNamespace() override;
  std::tm now() const override { return time; }

private:
  /// How a statement ended.
  enum class Flow { Next, Break, Continue };

  const TemplateProgram &program;
  Inputs inputs;
  std::tm time;
  // A scope lives as long as the rendering where a macro may still use it.
  std::deque<Scope, Counted<Scope>> scopes;
  std::deque<Namespace, Counted<Namespace>> namespaces;
  size_t macros = 0; // that were defined
  Scope *scope = nullptr;
  Text *output = nullptr;
  const Text *held = nullptr; // of the block that is filtered
  NodeId current = 0;         // what is evaluated, for messages

  /// A scope of its own as long as it lives.
  class Inner {
  public:
    Inner(Interpreter &interpreter, Scope *parent);
    ~Inner();
    Inner(const Inner &) = delete;
    Inner &operator=(const Inner &) = delete;

  private:
    Interpreter &interpreter;
    Scope *before;
    size_t scopes, macros;
  };

  const Node &node(NodeId id) const { return program.node(id); }
  std::string_view text(const Node &node) const { return program.text(node); }

  // Expressions
  Value eval(NodeId id);
  Value evalNode(const Node &node);
  Value constant(const Node &node) const;
  Value ownAttribute(const Value &object, std::string_view name);
  Value container(const Node &node);
  Value lookUp(std::string_view name);
  Value slice(const Node &node);
  Value operation(const Node &node);
  Value concatenated(const Node &node);
  bool compared(const Node &node);
  Given given(std::span<const NodeId> arguments);
  void spread(const Node &argument, Given &given);
  Value call(const Node &node);
  Value callValue(const Value &callee, Given given);

  // Macros and loops
  Value callMacro(const Callable &macro, Given given);
  void bindParameters(const Node &macro, Given &given);
  Value callLoop(const Loop &loop, Given given);

  // Statements
  Flow run(NodeId id);
  Flow runNode(const Node &node);
  Flow runAll(std::span<const NodeId> statements);
  Flow runWith(const Node &node);
  void runFor(const Node &node, NodeId id, const Value &iterable,
              int64_t depth);
  void runIterations(const Node &node, const std::shared_ptr<Loop> &loop);
  Values chosenItems(const Node &node, const Value &iterable);
  void runCallBlock(const Node &node);
  void assign(NodeId target, const Value &value);
  void write(const Text &text);
  /// What statements write, in a scope of their own.
  Text written(NodeId body);
  /// The filters of a block on what it wrote.
  Value filtered(NodeId filters, const Text &text);
};

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_INTERPRETER_H
