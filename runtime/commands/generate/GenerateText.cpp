// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in, text out, shown as it is generated.

#include "base/Error.h"
#include "base/files/input/WholeFile.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/commands/generate/Generate.h"
#include "runtime/constrain/TextConstraint.h"
#include "runtime/tasks/generate/Completion.h"
#include "runtime/tasks/text/TextCall.h"

namespace transfold::runtime::inline commands {

/// Compiles a constraint from a file; messages begin with its path.
template <typename Compile>
static std::shared_ptr<const Grammar> compileFile(const std::string &path,
                                                  Compile compile) {
  constexpr size_t mostBytes = 16 << 20;
  const FileMapping file = wholeFile(path, mostBytes);
  try {
    return compile(file.text());
  } catch (const Error &error) {
    fail("{}: {}", path, error.what());
  }
}

/// What the options say that the text follows; null: nothing.
static std::shared_ptr<const Grammar>
constraintOf(const GenerateOptions &options) {
  if (!options.jsonSchema.empty())
    return compileFile(options.jsonSchema, [](std::string_view text) {
      return schemaConstraint(text);
    });
  if (!options.grammar.empty())
    return compileFile(options.grammar, grammarConstraint);
  if (!options.regex.empty())
    return regexConstraint(options.regex);
  return nullptr;
}

void generateFromTexts(Session &session, Generator &generator,
                       const GenerateOptions &given) {
  GenerateOptions options = given;
  const std::shared_ptr<const Grammar> grammar = constraintOf(options);
  checkTokenizer(session.program(), "`generate --ids` takes ids");
  // The system reads the weights while the tokenizer is created.
  session.program().weights();
  Tokenizer tokenizer(session.program().tokenizerTables());
  LazyTokenIndex index;
  if (grammar)
    options.sampling.constraint =
        std::make_shared<const TextConstraint>(TextConstraint{
            grammar,
            index.get(tokenizer, static_cast<size_t>(generator.vocabulary())),
            generator.ends(options)});
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    Request request{tokenizer.encode(text).ids};
    TextStream stream(
        [&](std::span<const int32_t> ids) { return tokenizer.decode(ids); },
        options.stops, printNow);
    InterruptWatch watch;
    Completion made = complete(generator, request, options, {&stream});
    if (made.end == Completion::End::Cancelled) {
      printNow("\n");
      throw Cancelled("interrupted");
    }
    print("\n");
    if (made.end == Completion::End::Length) {
      flushPrinted();
      auto count = static_cast<int64_t>(made.tokens.size());
      warn(fmt::format(
          "text {} does not end within {} tokens; {}", number, count,
          count < options.most
              ? fmt::format("there is room for {} with those it begins with",
                            generator.madeSteps()->capacity())
              : "--max-new allows more"));
    }
  });
}

} // namespace transfold::runtime::inline commands
