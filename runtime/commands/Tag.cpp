// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `tag`: which of the model's labels each token of a text has. The
// entry gives a number for each token and class; the softmax of a token's are
// probabilities.

#include "runtime/commands/Commands.h"
#include "runtime/commands/Labels.h"
#include "runtime/commands/TextCall.h"
#include "runtime/commands/TokenText.h"
#include "runtime/files/OutputFile.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::runtime {

namespace {

struct Tagged {
  Token token;
  std::vector<Label> labels; // the likeliest first
};

/// How many columns the widest cell takes, at least.
template <typename Cell>
size_t widest(const std::vector<Tagged> &tokens, Cell cell) {
  size_t width = 0;
  for (const Tagged &each : tokens)
    width = std::max(width, cell(each).size());
  return width;
}

void printPlain(const std::string &text, const std::vector<Tagged> &tokens,
                bool indented) {
  TextPieces pieces(text);
  auto place = [](const Tagged &each) { return placeOf(each.token); };
  auto piece = [&](const Tagged &each) {
    return inOneLine(pieces.at(each.token));
  };
  size_t placeWidth = widest(tokens, place), pieceWidth = widest(tokens, piece);
  size_t labelWidth = 0;
  for (const Tagged &each : tokens)
    for (const Label &label : each.labels)
      labelWidth = std::max(labelWidth, label.name.size());
  for (const Tagged &each : tokens) {
    std::string line =
        fmt::format("{}{:<{}}  {:<{}}", indented ? "  " : "", place(each),
                    placeWidth, piece(each), pieceWidth);
    for (const Label &label : each.labels)
      line +=
          fmt::format("  {:<{}}  {:.4f}", label.name, labelWidth, label.score);
    print(line + "\n");
  }
}

void printJson(const std::string &text, const std::vector<Tagged> &tokens,
               const Tokenizer &tokenizer, size_t classes) {
  std::vector<std::string> parts;
  for (const auto &[token, labels] : tokens)
    parts.push_back(
        fmt::format("{{\"token\": {}, \"id\": {}, \"begin\": {}, \"end\": {}, "
                    "\"classes\": {}}}",
                    jsonOf(tokenizer, token.id), token.id, token.begin,
                    token.end, jsonOf(labels, classes)));
  print(fmt::format("{{\"text\": {}, \"tokens\": [{}]}}\n",
                    nlohmann::json(text).dump(), fmt::join(parts, ", ")));
}

} // namespace

void tag(Session &session, const RankingOptions &options) {
  TextCall call(session, "tag");
  const Shape &shape = call.entry().results[0].shape;
  if (!isRowForEach(shape) || shape[0].length != 0 || shape[1].size < 1)
    fail("entry '{}' does not give one number for each token and class",
         call.entry().name);
  auto classes = static_cast<size_t>(shape[1].size);
  Labels names(call.task(), classes);
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    Encoding encoding = call.run(text, number);
    std::vector<Tagged> tokens;
    for (size_t i = 0; i < encoding.tokens.size(); ++i)
      if (encoding.texts[i] >= 0)
        tokens.push_back(
            {encoding.tokens[i],
             names.likeliest(call.result(0).subspan(i * classes, classes),
                             options.top)});
    bool withText = options.texts.size() != 1;
    if (options.json)
      return printJson(text, tokens, call.tokens(), classes);
    if (withText)
      print(text + "\n");
    printPlain(text, tokens, withText);
  });
}

} // namespace transfold::runtime
