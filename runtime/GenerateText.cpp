// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in, text out, shown as it is made.

#include "runtime/Commands.h"
#include "runtime/Generator.h"
#include "runtime/Messages.h"
#include "runtime/OutputFile.h"
#include "runtime/TextCall.h"

#include <algorithm>
#include <cstdio>

namespace transfold::runtime {

namespace {

/// The text of tokens, as far as more tokens cannot change it.
class Stream {
public:
  Stream(const Tokenizer &tokenizer, const std::vector<std::string> &stops)
      : tokenizer(tokenizer), stops(stops) {}

  /// Prints what is new. Returns false where a stop text has come.
  bool show(std::span<const int32_t> tokens, bool isLast) {
    std::string all = tokenizer.decode(tokens);
    size_t end = all.size();
    for (const std::string &stop : stops)
      if (size_t found = all.find(stop); found != all.npos)
        end = std::min(end, found);
    bool isOver = end < all.size();
    // A character of which bytes are missing is shown as U+FFFD so far; the
    // beginning of a stop text may become one.
    static constexpr std::string_view replacement = "\xEF\xBF\xBD";
    if (!isLast && !isOver) {
      while (std::string_view(all).substr(0, end).ends_with(replacement))
        end -= replacement.size();
      for (const std::string &stop : stops)
        for (size_t part = std::min(stop.size() - 1, end); part > 0; --part)
          if (std::string_view(all).substr(0, end).ends_with(
                  std::string_view(stop).substr(0, part))) {
            end -= part;
            break;
          }
    }
    if (end > shown) {
      print(std::string_view(all).substr(shown, end - shown));
      flushPrinted();
      shown = end;
    }
    return !isOver;
  }

private:
  const Tokenizer &tokenizer;
  const std::vector<std::string> &stops;
  size_t shown = 0;
};

} // namespace

void generateFromTexts(Session &session, const GenerateOptions &options) {
  Generator generator(session);
  if (session.tokenizerJson().empty())
    fail("this program has no tokenizer: its model had no tokenizer.json; "
         "`generate --ids` takes ids");
  if (generator.encoder() && !generator.encoder()->arguments.at(0).integer)
    fail("task '{}' reads no text; give --features", generator.task().kind);
  session.weights(); // the system reads them while the tokenizer is made
  Tokenizer tokenizer(session.tokenizerJson());
  std::vector<int32_t> ends = generator.ends(options);
  forEachText(options.texts, [&](const std::string &text, size_t) {
    std::vector<int32_t> ids = tokenizer.encode(text).ids;
    std::vector<int32_t> prompt = ids;
    if (generator.encoder())
      prompt = generator.start(options);
    if (prompt.empty())
      fail("has no tokens to begin with");
    Steps &steps =
        generator.makeSteps(static_cast<int64_t>(prompt.size()) + options.most);
    size_t sequence = generator.begin(ids, {});
    Stream stream(tokenizer, options.stops);
    auto newTokens = [&](const std::vector<int32_t> &tokens) {
      std::span<const int32_t> made = std::span(tokens).subspan(prompt.size());
      if (!made.empty() && std::ranges::find(ends, made.back()) != ends.end())
        made = made.first(made.size() - 1);
      return made;
    };
    if (options.beams > 1) {
      std::vector<Continuation> best =
          beamSearch(steps, sequence, prompt, beamOptions(options, ends));
      std::vector<int32_t> tokens = prompt;
      tokens.insert(tokens.end(), best.at(0).tokens.begin(),
                    best.at(0).tokens.end());
      stream.show(newTokens(tokens), true);
    } else {
      std::vector<Generated> one;
      one.push_back({sequence, prompt, prompt.size(), {}, false});
      bool isStopped = false;
      generator.run(one, {options.sampling, options.most, options.chunk, ends},
                    [&](Generated &each) {
                      isStopped = !stream.show(newTokens(each.tokens), false);
                      return !isStopped;
                    });
      if (!isStopped)
        stream.show(newTokens(one[0].tokens), true);
    }
    print("\n");
  });
}

} // namespace transfold::runtime
