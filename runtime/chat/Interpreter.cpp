// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions.

#include "runtime/chat/Interpreter.h"

#include "runtime/Error.h"

#include <algorithm>
#include <charconv>

namespace transfold::runtime::chat {

Value *Scope::find(std::string_view name) {
  for (auto &[known, value] : variables)
    if (known == name)
      return &value;
  return nullptr;
}

void Scope::set(std::string_view name, Value value) {
  if (Value *known = find(name))
    *known = std::move(value);
  else
    variables.emplace_back(name, std::move(value));
}

Text Interpreter::render() {
  Text result;
  output = &result;
  scope = &scopes.emplace_back();
  try {
    run(program.root());
  } catch (const Error &error) {
    const Node &at = node(current);
    fail("{}:{}:{}: {}", program.source, at.line, at.column, error.what());
  }
  return result;
}

Value Interpreter::eval(NodeId id) {
  Budget::Level level(budget);
  budget.step();
  NodeId before = current;
  current = id;
  Value value = evalNode(node(id));
  current = before; // not where it throws: the message needs the place
  return value;
}

Value Interpreter::evalNode(const Node &node) {
  switch (node.op) {
  case Op::Name:
    return lookUp(text(node));
  case Op::Attribute:
    return attribute(eval(node.children[0]), text(node));
  case Op::Item: {
    Value object = eval(node.children[0]);
    return item(object, eval(node.children[1]));
  }
  case Op::Slice:
    return slice(node);
  case Op::Call:
    return call(node);
  case Op::Filter:
    return applyFilter(text(node), given(node.children));
  case Op::Test:
    return applyTest(text(node), given(node.children));
  case Op::Held:
    return *held;
  case Op::List:
  case Op::Tuple:
  case Op::Dict:
    return container(node);
  case Op::Absent:
  case Op::None:
  case Op::True:
  case Op::False:
  case Op::Integer:
  case Op::Float:
  case Op::String:
    return constant(node);
  default:
    return operation(node);
  }
}

Value Interpreter::constant(const Node &node) const {
  switch (node.op) {
  case Op::None:
    return None{};
  case Op::True:
    return true;
  case Op::False:
    return false;
  case Op::Integer:
  case Op::Float: {
    std::string_view digits = text(node);
    int64_t whole = 0;
    double real = 0;
    if (node.op == Op::Integer) {
      std::from_chars(digits.data(), digits.data() + digits.size(), whole);
      return whole;
    }
    std::from_chars(digits.data(), digits.data() + digits.size(), real);
    return real;
  }
  case Op::String:
    return Value::text(text(node));
  default:
    return Undefined{"the value of an 'if' without 'else'"};
  }
}

Value Interpreter::container(const Node &node) {
  if (node.op != Op::Dict) {
    std::vector<Value> items;
    for (NodeId child : node.children)
      items.push_back(eval(child));
    return Value::list(std::move(items), node.op == Op::Tuple);
  }
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Value key = eval(node.children[i]), value = eval(node.children[i + 1]);
    auto known = std::ranges::find_if(entries, [&](const auto &entry) {
      return areEqual(entry.first, key, budget);
    });
    if (known != entries.end())
      known->second = std::move(value);
    else
      entries.emplace_back(std::move(key), std::move(value));
  }
  return Value::dict(std::move(entries));
}

Value Interpreter::lookUp(std::string_view name) {
  for (Scope *each = scope; each; each = each->parent)
    if (Value *found = each->find(name))
      return *found;
  if (auto found = inputs.find(name); found != inputs.end())
    return found->second;
  if (const Builtin *function = findFunction(name))
    return std::make_shared<const Callable>(Callable{function});
  return Undefined{fmt::format("'{}'", name)};
}

/// A method comes before an entry of the same name, as in Python.
Value Interpreter::attribute(const Value &object, std::string_view name) {
  if (object.isUndefined())
    fail("{} is undefined, and has no attribute '{}'", object.undefinedName(),
         name);
  if (const Builtin *method = findMethod(object, name))
    return std::make_shared<const Callable>(Callable{method, object});
  if (Namespace *space = object.space())
    if (Value *found = space->find(name))
      return *found;
  if (Loop *loop = object.loop())
    if (auto found = loop->find(name))
      return *found;
  if (const Dict *dict = object.dict()) {
    budget.step(dict->entries.size() / 8);
    if (const Value *found = dict->find(name))
      return *found;
  }
  return Undefined{fmt::format("attribute '{}' of {}", name, typeName(object))};
}

Value Interpreter::item(const Value &object, const Value &index) {
  if (object.isUndefined())
    fail("{} is undefined, and has no items", object.undefinedName());
  if (const Dict *dict = object.dict()) {
    budget.step(dict->entries.size() / 8);
    if (const Value *found = dict->find(index))
      return *found;
  }
  if (const Text *name = index.text())
    return attribute(object, name->bytes);
  auto place = index.integer();
  if (!place || (!object.list() && !object.text()))
    return Undefined{fmt::format("an item of {}", typeName(object))};
  auto count = static_cast<int64_t>(lengthOf(object));
  int64_t at = *place < 0 ? *place + count : *place;
  if (at < 0 || at >= count)
    return Undefined{fmt::format("item {} of {}", *place, count)};
  if (const List *list = object.list())
    return list->items[static_cast<size_t>(at)];
  return sliceOf(object, at, at + 1, std::nullopt, budget);
}

Value Interpreter::slice(const Node &node) {
  Value object = eval(node.children[0]);
  std::optional<int64_t> bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    if (this->node(node.children[i + 1]).op == Op::Absent)
      continue;
    Value bound = eval(node.children[i + 1]);
    if (bound.isNone())
      continue;
    if (!bound.integer())
      fail("a slice needs integers, not {}", typeName(bound));
    bounds[i] = bound.integer();
  }
  return sliceOf(object, bounds[0], bounds[1], bounds[2], budget);
}

Value Interpreter::operation(const Node &node) {
  auto child = [&](size_t i) { return eval(node.children[i]); };
  switch (node.op) {
  case Op::Not:
    return !isTrue(child(0));
  case Op::Negate:
    return calculate(Op::Subtract, int64_t{0}, child(0), budget);
  case Op::Plus:
    return calculate(Op::Add, int64_t{0}, child(0), budget);
  case Op::And: {
    Value first = child(0);
    return isTrue(first) ? child(1) : first;
  }
  case Op::Or: {
    Value first = child(0);
    return isTrue(first) ? first : child(1);
  }
  case Op::Conditional:
    return isTrue(child(0)) ? child(1) : child(2);
  case Op::Concatenate:
    return concatenated(node);
  case Op::Compare:
    return compared(node);
  default: {
    Value first = child(0);
    return calculate(node.op, first, child(1), budget);
  }
  }
}

Value Interpreter::concatenated(const Node &node) {
  Text result;
  for (NodeId child : node.children) {
    result.append(asText(eval(child), budget));
    budget.make(result.size());
  }
  return result;
}

/// a < b < c is a < b and b < c, and evaluates b once.
bool Interpreter::compared(const Node &node) {
  Value left = eval(node.children[0]);
  for (NodeId id : std::span(node.children).subspan(1)) {
    const Node &operand = this->node(id);
    Value right = eval(operand.children[0]);
    std::string_view sign = text(operand);
    bool holds =
        sign == "=="       ? areEqual(left, right, budget)
        : sign == "!="     ? !areEqual(left, right, budget)
        : sign == "in"     ? contains(right, left, budget)
        : sign == "not in" ? !contains(right, left, budget)
        : sign == "<"      ? isLess(left, right, budget)
        : sign == ">"      ? isLess(right, left, budget)
        : sign == "<="
            ? areEqual(left, right, budget) || isLess(left, right, budget)
            : areEqual(left, right, budget) || isLess(right, left, budget);
    if (!holds)
      return false;
    left = std::move(right);
  }
  return true;
}

Given Interpreter::given(std::span<const NodeId> arguments) {
  Given given;
  for (NodeId id : arguments) {
    const Node &argument = node(id);
    if (argument.op == Op::Keyword)
      given.named.emplace_back(text(argument), eval(argument.children[0]));
    else if (argument.op == Op::Spread)
      spread(argument, given);
    else
      given.positional.push_back(eval(id));
  }
  return given;
}

/// *list and **dict.
void Interpreter::spread(const Node &argument, Given &given) {
  Value value = eval(argument.children[0]);
  if (text(argument) == "*") {
    for (Value &each : itemsOf(value, budget))
      given.positional.push_back(std::move(each));
    return;
  }
  const Dict *dict = value.dict();
  if (!dict)
    fail("** needs a dict, not {}", typeName(value));
  budget.step(dict->entries.size());
  for (const auto &[key, each] : dict->entries)
    given.named.emplace_back(needText(key, "**").bytes, each);
}

Value Interpreter::applyFilter(std::string_view name, Given given) {
  const Builtin *filter = findFilter(name);
  if (!filter)
    fail("there is no filter '{}'", name);
  return chat::call(*filter, *this, std::move(given));
}

bool Interpreter::applyTest(std::string_view name, Given given) {
  const Builtin *test = findTest(name);
  if (!test)
    fail("there is no test '{}'", name);
  return isTrue(chat::call(*test, *this, std::move(given)));
}

Value Interpreter::call(const Node &node) {
  Value callee = eval(node.children[0]);
  return callValue(callee, given(std::span(node.children).subspan(1)));
}

Value Interpreter::callValue(const Value &callee, Given given) {
  if (Loop *loop = callee.loop(); loop && loop->isRecursive)
    return callLoop(*loop, std::move(given));
  const Callable *called = callee.callable();
  if (!called)
    fail("{} cannot be called",
         callee.isUndefined() ? callee.undefinedName() : typeName(callee));
  if (!called->builtin)
    return callMacro(*called, std::move(given));
  if (called->self)
    given.positional.insert(given.positional.begin(), *called->self);
  return chat::call(*called->builtin, *this, std::move(given));
}

Namespace *Interpreter::makeNamespace() {
  budget.make(sizeof(Namespace));
  return &namespaces.emplace_back();
}

} // namespace transfold::runtime::chat
