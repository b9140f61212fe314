// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for uses of names that would make a template fail. It reports nothing
// that it cannot be sure of: a name to which the template assigns a value
// anywhere may be a macro where it is called.

#include "compiler/chat/Check.h"

#include "base/text/NearestName.h"
#include "runtime/chat/values/Builtin.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace transfold::chat {

namespace {

using namespace runtime::chat;

/// Checks the nodes of a program.
class Checker {
public:
  explicit Checker(const TemplateProgram &program) : program(program) {}

  std::vector<std::string> run() {
    for (NodeId id = 0; id < program.size(); ++id)
      findNames(program.node(id));
    for (NodeId id = 0; id < program.size(); ++id)
      check(program.node(id));
    return std::move(notes);
  }

private:
  const TemplateProgram &program;
  /// All names to which the template assigns values, which may be macros.
  std::set<std::string_view> names = {"caller", "loop"};

  std::vector<std::string> notes;

  /// Adds a message with the place of a node.
  void note(const Node &at, const std::string &message) {
    notes.push_back(fmt::format("{}:{}:{}: {}", program.source, at.line,
                                at.column, message));
  }

  /// Adds the names in a target of an assignment: "a", or "a, b".
  void addTargets(const Node &target) {
    if (target.op == Op::Name)
      names.insert(program.text(target));
    for (NodeId child : target.children)
      addTargets(program.node(child));
  }

  /// Adds the names that a node defines, in whatever scope.
  void findNames(const Node &node) {
    if (node.op == Op::Macro || node.op == Op::Parameter)
      names.insert(program.text(node));
    if (node.op == Op::Set || node.op == Op::SetBody || node.op == Op::For)
      addTargets(program.node(node.children[0]));
    if (node.op == Op::With)
      for (size_t i = 0; i + 1 < node.children.size(); i += 2)
        addTargets(program.node(node.children[i]));
  }

  /// Checks a filter, a test, or what is called.
  void check(const Node &node) {
    std::string_view name = program.text(node);
    if (node.op == Op::Filter)
      checkBuiltin(node, findFilter(name), "filter", filterNames());
    else if (node.op == Op::Test)
      checkBuiltin(node, findTest(name), "test", testNames());
    else if (node.op == Op::Call)
      checkCallee(node, program.node(node.children[0]));
  }

  /// Checks a use of the filter or test `builtin`; null if there is none of
  /// that name.
  void checkBuiltin(const Node &node, const Builtin *builtin, const char *kind,
                    const std::vector<std::string_view> &known) {
    if (builtin)
      return checkArguments(node, *builtin, node.children);
    note(node, fmt::format("there is no {} '{}'{}", kind, program.text(node),
                           didYouMean(program.text(node), known)));
  }

  /// The similar name as a question; empty if none is close.
  static std::string didYouMean(std::string_view name,
                                const std::vector<std::string_view> &known) {
    std::string_view near = nearestName(name, known);
    return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  }

  /// Checks the number and the names of arguments.
  void checkArguments(const Node &node, const Builtin &builtin,
                      std::span<const NodeId> arguments) {
    size_t positional = 0;
    std::vector<std::string_view> named;
    for (NodeId id : arguments)
      if (program.node(id).op == Op::Spread)
        return; // their number is known only at run time
      else if (program.node(id).op == Op::Keyword)
        named.push_back(program.text(program.node(id)));
      else
        ++positional;
    if (std::string problem = problemOf(builtin, positional, named);
        !problem.empty())
      note(node, problem);
  }

  /// Checks the method or function of a call; other callees are values that are
  /// known only at run time.
  void checkCallee(const Node &call, const Node &callee) {
    std::string_view name = program.text(callee);
    if (callee.op == Op::Attribute && !isMethod(name))
      note(callee, fmt::format("there is no method '{}'{}", name,
                               didYouMean(name, methodNames())));
    if (callee.op != Op::Name || names.contains(name))
      return;
    const Builtin *function = findFunction(name);
    if (!function)
      return note(callee,
                  fmt::format("there is no function '{}', and the template has "
                              "no macro of that name{}",
                              name, didYouMean(name, functionNames())));
    checkArguments(call, *function, std::span(call.children).subspan(1));
  }
};

} // namespace

std::vector<std::string> check(const TemplateProgram &program) {
  return Checker(program).run();
}

} // namespace transfold::chat
