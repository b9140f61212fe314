// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a template: statements append to the output, expressions evaluate to
// values.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/chat/Nodes.h"
#include "runtime/chat/values/Callable.h"
#include "runtime/chat/values/Operators.h"

#include <deque>
#include <map>
#include <memory>

namespace transfold::runtime::chat {

/// The variables of a part of a template, and the enclosing scope. Variables
/// set in an inner scope are not visible after it, as in Jinja: loops, macros
/// and blocks have scopes of their own, `if` does not.
struct Scope {
  Scope *parent = nullptr;
  CountedVector<std::pair<std::string_view, Value>> variables = {};

  /// The variable of this scope; null if it has none of that name.
  Value *find(std::string_view name);
  /// Adds or changes a variable of this scope.
  void set(std::string_view name, Value value);
};

/// The state of one rendering.
class Interpreter : public Machine {
public:
  using Inputs = std::map<std::string, Value, std::less<>>;

  /// Must be used while a Budget::Use of `budget` is active (Limits.h);
  /// `inputs` must have been created within it.
  Interpreter(const TemplateProgram &program, Inputs inputs, std::tm time,
              Budget &budget)
      : Machine(budget), program(program), inputs(std::move(inputs)),
        time(time) {}

  /// Renders the template. Throws Error with the position in the template.
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
  /// What strftime_now() formats: the same time during the whole rendering.
  std::tm time;
  // A scope lives until the end of the rendering if a macro may still use it.
  std::deque<Scope, Counted<Scope>> scopes;
  std::deque<Namespace, Counted<Namespace>> namespaces;
  size_t macros = 0; // number of macros defined
  Scope *scope = nullptr;
  Text *output = nullptr;
  const Text *held = nullptr; // text of the block that is being filtered
  NodeId current = 0;         // the node being evaluated, for messages

  /// Opens a new scope as long as it lives.
  class Inner : NonCopyable {
  public:
    Inner(Interpreter &interpreter, Scope *parent);
    ~Inner();

  private:
    Interpreter &interpreter;
    Scope *before;
    size_t scopes, macros;
  };

  const Node &node(NodeId id) const { return program.node(id); }
  std::string_view text(const Node &node) const { return program.text(node); }

  // Expressions
  /// The value of a node: counts as a step, and as a level of nesting.
  Value eval(NodeId id);
  /// The same without the accounting.
  Value evalNode(const Node &node);
  Value constant(const Node &node) const;
  /// A method or an attribute; undefined if there is none.
  Value ownAttribute(const Value &object, std::string_view name);
  Value container(const Node &node);
  /// The value of a name: a variable, an input or a function; else undefined.
  Value lookUp(std::string_view name);
  Value slice(const Node &node);
  Value operation(const Node &node);
  Value concatenated(const Node &node);
  bool compared(const Node &node);
  /// Evaluates the arguments of a call.
  Given given(std::span<const NodeId> arguments);
  void spread(const Node &argument, Given &given);
  Value call(const Node &node);
  /// Calls a function, a method, a macro or a recursive loop. Throws Error for
  /// other values.
  Value callValue(const Value &callee, Given given);

  // Macros and loops
  /// The output of a macro, as a text.
  Value callMacro(const Callable &macro, Given given);
  /// Sets the parameters of a macro in the current scope. Throws Error if the
  /// arguments do not fit.
  void bindParameters(const Node &macro, Given &given);
  Value callLoop(const Loop &loop, Given given);

  // Statements
  /// Runs a statement: counts as a step, and as a level of nesting.
  Flow run(NodeId id);
  Flow runNode(const Node &node);
  /// Runs statements until one of them leaves the loop or its iteration.
  Flow runAll(std::span<const NodeId> statements);
  Flow runWith(const Node &node);
  /// A loop over `iterable`; `depth` is 1, or more in a recursive loop.
  void runFor(const Node &node, NodeId id, const Value &iterable,
              int64_t depth);
  void runIterations(const Node &node, const std::shared_ptr<Loop> &loop);
  Values chosenItems(const Node &node, const Value &iterable);
  /// {% call f(…) %}…{% endcall %}: calls f with the block as the macro
  /// `caller`.
  void runCallBlock(const Node &node);
  /// Sets a name, an attribute of a namespace, or several targets from the
  /// items of a list.
  void assign(NodeId target, const Value &value);
  /// Appends to the output. Throws Error if it becomes too long.
  void write(const Text &text);
  /// The output of statements, in a scope of their own.
  Text written(NodeId body);
  /// Applies the filters of a block to its output.
  Value filtered(NodeId filters, const Text &text);
};

} // namespace transfold::runtime::chat
