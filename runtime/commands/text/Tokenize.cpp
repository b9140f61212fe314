// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tokenize`: the tokens of a text, or of two texts that the model reads
// together, and their positions.

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/commands/cli/TokenText.h"
#include "runtime/commands/text/DecodeIds.h"
#include "runtime/tasks/text/TextCall.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::runtime::inline commands {

namespace {

/// One text, or two.
using Texts = std::vector<std::string>;

/// The text of a pair in which a token was found.
const char *nameOf(int8_t text) { return text == 0 ? "first" : "second"; }

/// The output for one token.
struct Row {
  std::string id, text, place, piece;
};

/// The output for all tokens of a text or a pair.
std::vector<Row> rowsOf(const Encoding &encoding, const Tokenizer &tokenizer,
                        bool pair) {
  std::vector<Row> rows;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    bool found = encoding.texts[i] >= 0;
    rows.push_back({fmt::to_string(encoding.ids[i]),
                    pair && found ? nameOf(encoding.texts[i]) : "",
                    found ? placeOf(encoding.tokens[i]) : "-",
                    inOneLine(tokenizer.token(encoding.ids[i]).value_or(""))});
  }
  return rows;
}

/// Prints a line for each token, with aligned columns.
void printPlain(const Texts &texts, const std::vector<Row> &rows,
                bool withTexts) {
  if (withTexts)
    for (const std::string &text : texts)
      print(text + "\n");
  auto width = [&](std::string Row::*cell) {
    size_t result = 0;
    for (const Row &row : rows)
      result = std::max(result, (row.*cell).size());
    return result;
  };
  size_t id = width(&Row::id), place = width(&Row::place);
  size_t text = texts.size() > 1 ? width(&Row::text) + 2 : 0;
  for (const Row &row : rows)
    print(fmt::format("{}{:>{}}  {:<{}}{:<{}}  {}\n", withTexts ? "  " : "",
                      row.id, id, row.text, text, row.place, place, row.piece));
}

/// Prints an object for a text or a pair. Tokens that are not part of a text
/// have no place.
void printJson(const Texts &texts, const Encoding &encoding,
               const Tokenizer &tokenizer) {
  bool pair = texts.size() > 1;
  std::vector<std::string> parts;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    const Token &token = encoding.tokens[i];
    std::string place;
    if (encoding.texts[i] >= 0)
      place = fmt::format(
          "{}, \"begin\": {}, \"end\": {}",
          pair ? fmt::format(", \"in\": \"{}\"", nameOf(encoding.texts[i]))
               : "",
          token.begin, token.end);
    parts.push_back(fmt::format("{{\"token\": {}, \"type\": {}{}}}",
                                jsonOf(tokenizer, token.id), encoding.types[i],
                                place));
  }
  auto quoted = [](const std::string &text) {
    return nlohmann::ordered_json(text).dump();
  };
  print(fmt::format("{{{}, \"ids\": [{}], \"tokens\": [{}]}}\n",
                    pair ? fmt::format("\"first\": {}, \"second\": {}",
                                       quoted(texts[0]), quoted(texts[1]))
                         : fmt::format("\"text\": {}", quoted(texts[0])),
                    fmt::join(encoding.ids, ", "), fmt::join(parts, ", ")));
}

} // namespace

void tokenize(Session &session, const TokenizeOptions &options) {
  const LoadedProgram &program = session.program();
  checkTokenizer(program, "put a tokenizer.json beside config.json and compile "
                          "the model again");
  Tokenizer tokenizer(program.tokenizerTables());
  if (options.decode)
    return decodeIds(tokenizer, options);
  if (options.pairs && !tokenizer.takesPairs())
    fail("--pairs: the model's tokenizer does not define how two texts are "
         "joined; give them without --pairs");
  size_t each = options.pairs ? 2 : 1;
  constexpr const char *alone =
      "--pairs: text {} has no second one; give an even number of texts";
  if (options.texts.size() % each)
    fail(alone, options.texts.size());
  Texts texts;
  size_t count = 0;
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    decodeUtf8(text); // for a pair, names the text that is not UTF-8
    texts.push_back(text);
    count = number;
    if (texts.size() < each)
      return;
    Encoding encoding = options.pairs ? tokenizer.encodePair(texts[0], texts[1])
                                      : tokenizer.encode(texts[0]);
    if (options.json)
      printJson(texts, encoding, tokenizer);
    else
      printPlain(texts, rowsOf(encoding, tokenizer, options.pairs),
                 options.texts.size() != each);
    texts.clear();
  });
  if (!texts.empty())
    fail(alone, count);
}

} // namespace transfold::runtime::inline commands
