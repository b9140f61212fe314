// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in, text out, shown as it is generated.

#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/commands/generate/Generate.h"
#include "runtime/tasks/generate/Completion.h"
#include "runtime/tasks/text/TextCall.h"

namespace transfold::runtime::inline commands {

void generateFromTexts(Session &session, Generator &generator,
                       const GenerateOptions &options) {
  checkTokenizer(session.program(), "`generate --ids` takes ids");
  // The system reads the weights while the tokenizer is created.
  session.program().weights();
  Tokenizer tokenizer(session.program().tokenizerTables());
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
