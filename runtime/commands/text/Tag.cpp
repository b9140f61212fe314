// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `tag`: the most likely labels of each token of a text.

#include "runtime/commands/cli/TokenText.h"
#include "runtime/commands/text/RankEach.h"
#include "runtime/tasks/text/Classes.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

using Tagged = Tagger::Tagged;

/// Width of the widest cell, in columns.
template <typename Cell>
size_t widest(const std::vector<Tagged> &tokens, Cell cell) {
  size_t width = 0;
  for (const Tagged &each : tokens)
    width = std::max(width, cell(each).size());
  return width;
}

/// Prints a line for each token, with aligned columns.
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
                    nlohmann::ordered_json(text).dump(),
                    fmt::join(parts, ", ")));
}

} // namespace

void tag(Session &session, const RankingOptions &options) {
  Tagger tagger(session);
  rankEach(tagger, options,
           [&](const std::string &text, const auto &tokens, bool indented) {
             if (options.json)
               printJson(text, tokens, tagger.tokens(),
                         tagger.labels().all().size());
             else
               printPlain(text, tokens, indented);
           });
}

} // namespace transfold::runtime::inline commands
