// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses ids in the forms in which programs print them, and decodes them.

#include "runtime/commands/text/DecodeIds.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/tasks/text/TextCall.h"

#include <fmt/ranges.h>

#include <charconv>

namespace transfold::runtime::inline commands {

namespace {

/// An id that the tokenizer has. Throws Error.
int32_t idOf(const std::string &word, const Tokenizer &tokenizer) {
  int64_t id = 0;
  const char *end = word.data() + word.size();
  auto [rest, problem] = std::from_chars(word.data(), end, id);
  if (problem != std::errc() || rest != end)
    fail("'{}' is not a token; --decode takes ids, for example 101 7592 102",
         word);
  int32_t token = tokenOf(id, 0);
  if (!tokenizer.token(token))
    fail("the tokenizer has no token {}; `tokenize TEXT` prints ids that it "
         "has",
         id);
  return token;
}

/// Parses "101 7592 102", and lists as other programs print them: "[101, 7592,
/// 102]".
std::vector<int32_t> idsOf(std::string_view line, const Tokenizer &tokenizer) {
  constexpr std::string_view between = " \t,[]";
  std::vector<int32_t> ids;
  size_t begin = 0;
  while ((begin = line.find_first_not_of(between, begin)) != line.npos) {
    size_t end = std::min(line.find_first_of(between, begin), line.size());
    ids.push_back(
        idOf(std::string(line.substr(begin, end - begin)), tokenizer));
    begin = end;
  }
  return ids;
}

} // namespace

void decodeIds(const Tokenizer &tokenizer, const TokenizeOptions &options) {
  // The words of the command line are the ids of one text: 101 7592 102.
  std::vector<std::string> lines;
  if (!options.texts.empty())
    lines.push_back(fmt::format("{}", fmt::join(options.texts, " ")));
  forEachText(lines, [&](const std::string &line, size_t) {
    std::vector<int32_t> ids = idsOf(line, tokenizer);
    std::string text = tokenizer.decode(ids, options.special);
    if (options.json)
      print(fmt::format("{{\"ids\": [{}], \"text\": {}}}\n",
                        fmt::join(ids, ", "),
                        nlohmann::ordered_json(text).dump()));
    else
      print(text + "\n");
  });
}

} // namespace transfold::runtime::inline commands
