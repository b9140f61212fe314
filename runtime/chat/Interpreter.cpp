// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of expressions.

#include "runtime/chat/Interpreter.h"

#include "base/Error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

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
  try {
    scope = &scopes.emplace_back();
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
  // Not restored by an exception: the message needs the position.
  current = before;
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
    Integer whole = 0;
    if (node.op == Op::Integer) {
      readDigits(digits, 10, whole);
      return whole;
    }
    return std::strtod(std::string(digits).c_str(), nullptr);
  }
  case Op::String:
    return Value::text(text(node));
  default:
    return Undefined{"the value of an 'if' without 'else'"};
  }
}

Value Interpreter::container(const Node &node) {
  if (node.op != Op::Dict) {
    Values items;
    for (NodeId child : node.children)
      items.push_back(eval(child));
    return Value::list(std::move(items),
                       node.op == Op::Tuple ? ListKind::Tuple : ListKind::List);
  }
  Dict dict;
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Value key = eval(node.children[i]);
    dict.set(std::move(key), eval(node.children[i + 1]));
  }
  return Value::dict(std::move(dict));
}

Value Interpreter::lookUp(std::string_view name) {
  // Inner scopes first. The model's inputs take precedence over functions, as
  // the context of a template does over the globals of its environment.
  for (Scope *each = scope; each; each = each->parent)
    if (Value *found = each->find(name))
      return *found;
  if (auto found = inputs.find(name); found != inputs.end())
    return found->second;
  if (const Builtin *function = findFunction(name))
    return makeCounted(Callable{function});
  return Undefined{fmt::format("'{}'", name)};
}

/// Methods that change lists and dicts in Python, which transformers' sandbox
/// forbids: they are undefined, which is an error only when they are used.
static bool isUnsafe(const Value &object, std::string_view name) {
  constexpr std::string_view ofLists[] = {"append",  "clear", "extend",
                                          "insert",  "pop",   "remove",
                                          "reverse", "sort"},
                             ofDicts[] = {"clear", "pop", "popitem",
                                          "setdefault", "update"};
  if (name.starts_with("__") && name.ends_with("__"))
    return true;
  if (object.dict())
    return std::ranges::find(ofDicts, name) != std::end(ofDicts);
  return object.list() && object.list()->kind == ListKind::List &&
         std::ranges::find(ofLists, name) != std::end(ofLists);
}

/// An attribute that is not an entry of a dict. Methods take precedence over
/// entries of the same name, as in Python.
Value Interpreter::ownAttribute(const Value &object, std::string_view name) {
  if (const Builtin *method = findMethod(object, name))
    return makeCounted(Callable{method, object});
  if (Namespace *space = object.space())
    if (Value *found = space->find(name))
      return *found;
  if (Loop *loop = object.loop())
    if (auto found = loop->find(name))
      return *found;
  const List *list = object.list();
  if (list && list->isGroup && (name == "grouper" || name == "list"))
    return list->items[name == "list"];
  if (list && list->kind == ListKind::Range) {
    if (name == "start")
      return list->first;
    if (name == "stop")
      return list->end;
    if (name == "step")
      return list->by;
  }
  return Undefined{
      fmt::format("attribute '{}' of {}", shown(name), typeName(object))};
}

Value Interpreter::attribute(const Value &object, std::string_view name) {
  if (object.isUndefined())
    fail("{} is undefined, and has no attribute '{}'", object.undefinedName(),
         shown(name));
  if (isUnsafe(object, name))
    return Undefined{fmt::format("'{}', which templates may not use, of a {}",
                                 shown(name), typeName(object))};
  Value own = ownAttribute(object, name);
  if (const Dict *dict = object.dict(); dict && own.isUndefined())
    if (const Value *found = dict->find(name))
      return *found;
  return own;
}

Value Interpreter::item(const Value &object, const Value &index) {
  if (object.isUndefined())
    fail("{} is undefined, and has no items", object.undefinedName());
  const List *list = object.list();
  if (const Dict *dict = object.dict()) {
    if (index.list() || index.dict()) // cannot be a key
      return Undefined{"an item of dict"};
    if (const Value *found = dict->find(index))
      return *found;
  }
  if (const Text *name = index.text())
    return attribute(object, name->bytes);
  auto place = index.integer();
  if (!place || (!object.text() && (!list || !list->isSequence())))
    return Undefined{fmt::format("an item of {}", typeName(object))};
  auto found = itemAt(object, *place);
  return found ? *found
               : Value(Undefined{fmt::format(
                     "item {} of a {}", toString(*place), typeName(object))});
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
    bounds[i] = narrowed(*bound.integer());
  }
  return sliceOf(object, {bounds[0], bounds[1], bounds[2]});
}

Value Interpreter::operation(const Node &node) {
  auto child = [&](size_t i) { return eval(node.children[i]); };
  switch (node.op) {
  case Op::Not:
    return !isTrue(child(0));
  case Op::Negate:
    return negated(child(0));
  case Op::Plus:
    return madeNumber(child(0));
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
    return calculate(node.op, first, child(1));
  }
  }
}

Value Interpreter::concatenated(const Node &node) {
  Text result;
  for (NodeId child : node.children) {
    result.append(asText(eval(child)));
  }
  return result;
}

/// a < b < c means a < b and b < c, and evaluates b once.
bool Interpreter::compared(const Node &node) {
  Value left = eval(node.children[0]);
  for (NodeId id : std::span(node.children).subspan(1)) {
    const Node &operand = this->node(id);
    Value right = eval(operand.children[0]);
    std::string_view sign = text(operand);
    bool holds = sign == "=="       ? areEqual(left, right)
                 : sign == "!="     ? !areEqual(left, right)
                 : sign == "in"     ? contains(right, left)
                 : sign == "not in" ? !contains(right, left)
                 : sign == "<"      ? isLess(left, right)
                 : sign == ">"      ? isLess(right, left)
                 : sign == "<="     ? isAtMost(left, right)
                                    : isAtMost(right, left);
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
      given.named.emplace_back(CountedString(text(argument)),
                               eval(argument.children[0]));
    else if (argument.op == Op::Spread)
      spread(argument, given);
    else
      given.positional.push_back(eval(id));
  }
  return given;
}

/// Arguments from *list and **dict.
void Interpreter::spread(const Node &argument, Given &given) {
  Value value = eval(argument.children[0]);
  if (text(argument) == "*") {
    for (Value &each : itemsOf(value))
      given.positional.push_back(std::move(each));
    return;
  }
  const Dict *dict = value.dict();
  if (!dict)
    fail("** needs a dict, not {}", typeName(value));
  step(dict->entries.size());
  for (const auto &[key, each] : dict->entries)
    given.named.emplace_back(needText(key, "**").bytes, each);
}

Value Interpreter::applyFilter(std::string_view name, Given given) {
  const Builtin *filter = findFilter(name);
  if (!filter)
    fail("there is no filter '{}'; there are {}", shown(name),
         fmt::join(filterNames(), ", "));
  return chat::call(*filter, *this, std::move(given));
}

bool Interpreter::applyTest(std::string_view name, Given given) {
  const Builtin *test = findTest(name);
  if (!test)
    fail("there is no test '{}'; there are {}", shown(name),
         fmt::join(testNames(), ", "));
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
  if (callee.isUndefined())
    fail("{} is undefined, and cannot be called", callee.undefinedName());
  if (!called)
    fail("a {} cannot be called", typeName(callee));
  if (!called->builtin)
    return callMacro(*called, std::move(given));
  if (called->self)
    given.positional.insert(given.positional.begin(), *called->self);
  return chat::call(*called->builtin, *this, std::move(given));
}

Namespace *Interpreter::makeNamespace() { return &namespaces.emplace_back(); }

} // namespace transfold::runtime::chat
