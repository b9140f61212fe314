// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/calls/CallGrammar.h"

#include "runtime/constrain/schema/SchemaCompiler.h"
#include "runtime/serve/calls/FreeText.h"

namespace transfold::runtime::serve {

namespace {

/// Builds one grammar, from the ends of texts to their beginnings.
class Builder {
public:
  Builder(const chat::CallSyntax &syntax, const AskedTools &tools)
      : syntax(syntax), tools(tools), grammar(budget) {}

  std::shared_ptr<const Grammar> run() {
    const uint32_t root = grammar.addRule("the answer");
    grammar.setBody(root, answer());
    try {
      if (!grammar.finish(root))
        refuseEmptyTool();
    } catch (const TooMuchToCompile &error) {
      fail("the functions together {}", error.what());
    }
    refuseEmptyTool();
    return std::make_shared<const Grammar>(std::move(grammar));
  }

private:
  const chat::CallSyntax &syntax;
  const AskedTools &tools;
  ConstraintBudget budget;
  Grammar grammar;
  std::vector<uint32_t> rules; // of the arguments of each function

  uint32_t answer() {
    using Choice = AskedTools::Choice;
    if (tools.choice == Choice::None)
      return freeText(grammar.end());
    const uint32_t calls = allCalls();
    const uint32_t begin = grammar.text(syntax.before, calls);
    if (tools.choice == Choice::Auto)
      return grammar.choice({freeText(grammar.end()), beforeCall(begin)});
    if (syntax.followsText)
      return freeText(begin);
    // A tokenizer may drop white space at the beginning of a text.
    return syntax.space.empty()
               ? begin
               : grammar.choice({begin, grammar.text(syntax.space, begin)});
  }

  /// A text without a call.
  uint32_t freeText(uint32_t next) {
    return grammar.automaton(
        grammar.addAutomaton(
            syntax.mark ? textsWithout(syntax.markText(), budget)
                        : textsNotBeginningWith(syntax.before, budget)),
        next);
  }

  /// What may precede the first call.
  uint32_t beforeCall(uint32_t begin) {
    return syntax.mark ? freeText(begin)
                       : grammar.automaton(
                             grammar.addAutomaton(whiteSpace(budget)), begin);
  }

  /// The calls, from the name of the first one to the end of the text.
  uint32_t allCalls() {
    const uint32_t call = grammar.addRule("a call");
    grammar.setBody(call, oneCall());
    const uint32_t last = syntax.after.empty()
                              ? grammar.end()
                              : grammar.text(syntax.after, grammar.end());
    if (!tools.mayBeSeveral || !syntax.hasSeveral)
      return grammar.call(call, last);
    const uint32_t more = grammar.addRule("a further call");
    grammar.setBody(
        more, grammar.text(syntax.between, grammar.call(call, grammar.end())));
    return grammar.call(call, grammar.loop(more, 0, mostCalls - 1, last));
  }

  uint32_t oneCall() {
    std::vector<uint32_t> ways;
    for (const Tool &tool : tools.callable) {
      rules.push_back(rule(tool));
      ways.push_back(grammar.text(tool.name + syntax.middle,
                                  grammar.call(rules.back(), grammar.end())));
    }
    return grammar.choice(std::move(ways));
  }

  uint32_t rule(const Tool &tool) {
    try {
      return addSchema(grammar, tool.arguments, budget);
    } catch (const Error &error) {
      fail("the function '{}': {}", tool.name, error.what());
    }
  }

  void refuseEmptyTool() const {
    for (size_t i = 0; i < rules.size(); ++i)
      if (!grammar.rule(rules[i]).isProductive)
        fail("the function '{}': its schema admits no arguments at all",
             tools.callable[i].name);
  }
};

} // namespace

std::shared_ptr<const Grammar> callGrammar(const chat::CallSyntax &syntax,
                                           const AskedTools &tools) {
  return Builder(syntax, tools).run();
}

} // namespace transfold::runtime::serve
