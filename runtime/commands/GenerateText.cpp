// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in, text out, shown as it is made.

#include "runtime/Error.h"
#include "runtime/commands/Generate.h"
#include "runtime/commands/Interrupt.h"
#include "runtime/commands/TextCall.h"
#include "runtime/commands/TextStream.h"
#include "runtime/commands/TokenText.h"
#include "runtime/files/OutputFile.h"
#include "runtime/program/TokenIds.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

/// One text after the other.
class TextGeneration {
public:
  TextGeneration(Session &session, Generator &generator,
                 const GenerateOptions &options)
      : generator(generator), options(options),
        tokenizer(session.program().tokenizerTables()),
        ends(generator.ends(options)) {}

  void run(const std::string &text) {
    Request request{tokenizer.encode(text).ids};
    std::vector<int32_t> prompt =
        generator.encoder() ? generator.start(options) : request.ids;
    if (prompt.empty())
      fail("has no tokens to begin with");
    checkTokens(request.ids, bound(), "the ids of the tokenizer");
    Steps &steps =
        generator.makeSteps(static_cast<int64_t>(prompt.size()) + options.most,
                            std::span(&request, 1));
    InterruptWatch watch;
    try {
      goOn(steps, generator.begin(request), prompt);
    } catch (const Cancelled &) {
      printNow("\n");
      throw Cancelled("interrupted");
    }
    print("\n");
  }

private:
  Generator &generator;
  const GenerateOptions &options;
  Tokenizer tokenizer;
  std::vector<int32_t> ends;

  /// Of the ids of a text.
  int64_t bound() const {
    return generator.encoder() ? generator.encoder()->arguments.at(0).bound
                               : generator.knownTokens();
  }

  void goOn(Steps &steps, size_t sequence,
            const std::vector<int32_t> &prompt) const {
    TextStream stream(
        [&](std::span<const int32_t> ids) { return tokenizer.decode(ids); },
        options.stops, printNow);
    if (options.beams > 1) {
      std::vector<Continuation> best =
          beamSearch(steps, sequence, prompt, beamOptions(generator, options));
      stream.update(withoutEnd(best.at(0).tokens), true);
      return;
    }
    std::vector<Generated> one;
    one.push_back({sequence, prompt, prompt.size(), {}, false});
    bool isStopped = false;
    auto made = [&](const Generated &each) {
      return withoutEnd(std::span(each.tokens).subspan(each.prompt));
    };
    generator.run(one, options, [&](Generated &each) {
      isStopped = !stream.update(made(each), false);
      return !isStopped;
    });
    if (!isStopped)
      stream.update(made(one[0]), true);
  }

  std::span<const int32_t> withoutEnd(std::span<const int32_t> made) const {
    if (!made.empty() && std::ranges::find(ends, made.back()) != ends.end())
      return made.first(made.size() - 1);
    return made;
  }
};

} // namespace

void generateFromTexts(Session &session, Generator &generator,
                       const GenerateOptions &options) {
  checkTokenizer(session.program(), "`generate --ids` takes ids");
  // The system reads them while the tokenizer is made.
  session.program().weights();
  TextGeneration generation(session, generator, options);
  forEachText(options.texts,
              [&](const std::string &text, size_t) { generation.run(text); });
}

} // namespace transfold::runtime
