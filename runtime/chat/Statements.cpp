// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, loops and macros of templates.

#include "base/Error.h"
#include "runtime/chat/Interpreter.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::chat {

Interpreter::Inner::Inner(Interpreter &interpreter, Scope *parent)
    : interpreter(interpreter), before(interpreter.scope),
      scopes(interpreter.scopes.size()), macros(interpreter.macros) {
  interpreter.scope = &interpreter.scopes.emplace_back(Scope{parent});
}

Interpreter::Inner::~Inner() {
  interpreter.scope = before;
  if (interpreter.macros == macros)
    interpreter.scopes.resize(scopes);
}

void Interpreter::write(const Text &text) {
  output->append(text);
  budget.output(output->size());
}

Text Interpreter::written(NodeId body) {
  Text result;
  Text *before = std::exchange(output, &result);
  Inner inner(*this, scope);
  run(body);
  output = before;
  return result;
}

Value Interpreter::filtered(NodeId filters, const Text &text) {
  const Text *before = std::exchange(held, &text);
  Value value = eval(filters);
  held = before;
  return value;
}

Interpreter::Flow Interpreter::run(NodeId id) {
  Budget::Level level(budget);
  budget.step();
  NodeId before = current;
  current = id;
  Flow flow = Flow::Next;
  if (node(id).op == Op::For)
    runFor(node(id), id, eval(node(id).children[1]), 1);
  else
    flow = runNode(node(id));
  current = before;
  return flow;
}

Interpreter::Flow Interpreter::runAll(std::span<const NodeId> statements) {
  for (NodeId statement : statements)
    if (Flow flow = run(statement); flow != Flow::Next)
      return flow;
  return Flow::Next;
}

Interpreter::Flow Interpreter::runNode(const Node &node) {
  const std::vector<NodeId> &children = node.children;
  switch (node.op) {
  case Op::Output:
    write(Text(text(node)));
    break;
  case Op::Print:
    write(asText(eval(children[0])));
    break;
  case Op::Body:
    return runAll(children);
  case Op::If:
    if (isTrue(eval(children[0])))
      return run(children[1]);
    return this->node(children[2]).op == Op::Absent ? Flow::Next
                                                    : run(children[2]);
  case Op::Break:
    return Flow::Break;
  case Op::Continue:
    return Flow::Continue;
  case Op::Set:
    assign(children[0], eval(children[1]));
    break;
  case Op::SetBody: {
    Text body = written(children[2]);
    assign(children[0], this->node(children[1]).op == Op::Absent
                            ? Value(body)
                            : filtered(children[1], body));
    break;
  }
  case Op::Macro:
    ++macros;
    scope->set(text(node), makeCounted(Callable{nullptr, {}, current, scope}));
    break;
  case Op::CallBlock:
    runCallBlock(node);
    break;
  case Op::FilterBody:
    write(asText(filtered(children[0], written(children[1]))));
    break;
  case Op::With:
    return runWith(node);
  default: { // Scope
    Inner inner(*this, scope);
    return run(children[0]);
  }
  }
  return Flow::Next;
}

/// The values are evaluated before any of the names is set.
Interpreter::Flow Interpreter::runWith(const Node &node) {
  Values values;
  for (size_t i = 1; i + 1 < node.children.size(); i += 2)
    values.push_back(eval(node.children[i]));
  Inner inner(*this, scope);
  for (size_t i = 0; i < values.size(); ++i)
    assign(node.children[2 * i], values[i]);
  return run(node.children.back());
}

void Interpreter::assign(NodeId target, const Value &value) {
  const Node &to = node(target);
  if (to.op == Op::Name) {
    scope->set(text(to), value);
    return;
  }
  if (to.op == Op::Attribute) {
    Namespace *space = eval(to.children[0]).space();
    if (!space)
      fail("only attributes of a namespace can be set; {} = namespace(…) makes "
           "one",
           text(node(to.children[0])));
    space->set(text(to), value);
    return;
  }
  Values items = itemsOf(value);
  if (items.size() != to.children.size())
    fail("there are {} names for {} values", to.children.size(), items.size());
  for (size_t i = 0; i < items.size(); ++i)
    assign(to.children[i], items[i]);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The items that satisfy the loop's own `if`.
Values Interpreter::chosenItems(const Node &node, const Value &iterable) {
  Values items = itemsOf(iterable);
  if (this->node(node.children[2]).op == Op::Absent)
    return items;
  std::erase_if(items, [&](const Value &item) {
    Inner inner(*this, scope);
    assign(node.children[0], item);
    return !isTrue(eval(node.children[2]));
  });
  return items;
}

void Interpreter::runFor(const Node &node, NodeId id, const Value &iterable,
                         int64_t depth) {
  Values items = chosenItems(node, iterable);
  if (items.empty()) {
    if (this->node(node.children[4]).op != Op::Absent) {
      Inner inner(*this, scope);
      run(node.children[4]);
    }
    return;
  }
  auto loop = std::allocate_shared<Loop>(Counted<Loop>());
  loop->all = Value::list(std::move(items));
  loop->depth = depth;
  loop->node = id;
  loop->closure = scope;
  loop->isRecursive = text(node) == "recursive";
  // Its scope is used as long as the loop, which a namespace may keep alive.
  macros += loop->isRecursive;
  try {
    runIterations(node, loop);
  } catch (...) {
    loop->last.reset(); // breaks a possible reference cycle
    throw;
  }
  loop->isOver = true;
  loop->last.reset();
}

void Interpreter::runIterations(const Node &node,
                                const std::shared_ptr<Loop> &loop) {
  size_t count = loop->items().size();
  for (; loop->index < count; ++loop->index) {
    budget.step();
    Inner inner(*this, loop->closure);
    scope->set("loop", loop);
    assign(node.children[0], loop->items()[loop->index]);
    if (run(node.children[3]) == Flow::Break)
      return;
  }
  loop->index = count - 1; // for later uses of the loop variable
}

/// loop(items), in a recursive loop: the output of its body for these items.
Value Interpreter::callLoop(const Loop &loop, Given given) {
  if (given.positional.size() != 1 || !given.named.empty())
    fail("a recursive loop is called with its items");
  Budget::Level level(budget);
  Text result;
  Text *before = std::exchange(output, &result);
  {
    Inner inner(*this, loop.closure);
    runFor(node(loop.node), loop.node, given.positional[0], loop.depth + 1);
  }
  output = before;
  return result;
}

//===----------------------------------------------------------------------===//
// Macros
//===----------------------------------------------------------------------===//

void Interpreter::bindParameters(const Node &macro, Given &given) {
  Values positional = std::move(given.positional);
  auto named = [&](std::string_view name) {
    return std::ranges::find_if(
        given.named, [&](const auto &each) { return each.first == name; });
  };
  size_t parameters = macro.children.size() - 1;
  for (size_t i = 0; i < parameters; ++i) {
    const Node &parameter = node(macro.children[i]);
    std::string_view name = text(parameter);
    if (i < positional.size()) {
      scope->set(name, positional[i]);
    } else if (auto found = named(name); found != given.named.end()) {
      scope->set(name, found->second);
      given.named.erase(found);
    } else if (parameter.children.empty()) {
      scope->set(name, Undefined{fmt::format("parameter '{}'", name)});
    } else {
      scope->set(name, eval(parameter.children[0]));
    }
  }
  if (auto found = named("caller"); found != given.named.end()) {
    scope->set("caller", found->second);
    given.named.erase(found);
  }
  if (positional.size() > parameters)
    fail("macro '{}' takes {} arguments, not {}", text(macro), parameters,
         positional.size());
  if (!given.named.empty())
    fail("macro '{}' has no parameter '{}'", text(macro),
         shown(given.named.front().first));
}

Value Interpreter::callMacro(const Callable &macro, Given given) {
  Budget::Level level(budget);
  NodeId before = current;
  Text result;
  Text *outputBefore = std::exchange(output, &result);
  {
    Inner inner(*this, macro.closure);
    bindParameters(node(macro.macro), given);
    run(node(macro.macro).children.back());
  }
  output = outputBefore;
  current = before;
  return result;
}

void Interpreter::runCallBlock(const Node &node) {
  const Node &call = this->node(node.children[0]);
  Value callee = eval(call.children[0]);
  Given arguments = given(std::span(call.children).subspan(1));
  ++macros;
  arguments.named.emplace_back(
      CountedString("caller"),
      makeCounted(Callable{nullptr, {}, node.children[1], scope}));
  write(asText(callValue(callee, std::move(arguments))));
}

} // namespace transfold::runtime::chat
