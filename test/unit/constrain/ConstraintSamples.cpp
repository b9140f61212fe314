// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// constraint-samples: each line of standard input is a JSON object with a
// "schema", a "regex" or a "grammar". Prints the message if it is refused. Else
// prints random texts that follow it, which are chosen token by token from the
// sets of allowed tokens of a random vocabulary ("samples", "seed"), and which
// of the texts in "texts" follow it.

#include "runtime/constrain/Constraint.h"

#include <chrono>
#include <iostream>
#include <random>

using namespace transfold::runtime;
using nlohmann::ordered_json;

namespace {

/// All bytes, and random words of letters and of what is frequent in JSON.
std::vector<std::string> randomVocabulary(std::mt19937 &random) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte)
    tokens.emplace_back(1, static_cast<char>(byte));
  static const char *const parts[] = {
      "\"", ":", ",", "{",   "}",    "[",     "]",    " ",  "\\", "n",
      "a",  "b", "c", "x",   "true", "false", "null", "1",  "20", "0",
      "-",  ".", "e", "\\u", "ab",   "the",   "é",    "日", "😀", "name"};
  for (int i = 0; i < 300; ++i) {
    std::string token;
    for (size_t left = 1 + random() % 4; left > 0; --left)
      token += parts[random() % std::size(parts)];
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<uint32_t> allowed(Matcher &matcher) {
  std::vector<uint32_t> result;
  const TokenBits &bits = matcher.tokens();
  for (uint32_t token = 0; token < 64 * bits.size(); ++token)
    if (bits[token / 64] >> token % 64 & 1)
      result.push_back(token);
  return result;
}

/// Checks that the set of allowed tokens is what the bytes of each give.
void checkTokens(const Matcher &matcher, const std::vector<uint32_t> &tokens,
                 size_t count) {
  size_t next = 0;
  for (uint32_t token = 0; token < count; ++token) {
    const bool isAllowed = next < tokens.size() && tokens[next] == token;
    next += isAllowed;
    if (Matcher(matcher).append(token) != isAllowed)
      throw std::logic_error("a wrong set of tokens");
  }
}

/// A text; nullopt if it became too long before it was complete.
std::optional<std::string>
sample(const std::shared_ptr<const Grammar> &grammar,
       const std::shared_ptr<const TokenIndex> &index, std::mt19937 &random) {
  constexpr int mostTokens = 400;
  Matcher matcher(grammar, index);
  std::string text;
  for (int i = 0; i < mostTokens; ++i) {
    const auto tokens = allowed(matcher);
    if (i % 8 == 0)
      checkTokens(matcher, tokens, index->size());
    if (tokens.empty() && !matcher.isComplete())
      throw std::logic_error("a text that cannot be completed");
    if (matcher.isComplete() && (tokens.empty() || random() % 4 == 0))
      return text;
    // The longer a text is, the more often it is brought to an end.
    uint32_t token = tokens[random() % tokens.size()];
    if (random() % mostTokens < static_cast<unsigned>(i))
      for (uint32_t end : tokens)
        if (std::string_view("\"}]").find(index->text(end)) !=
            std::string_view::npos)
          token = end;
    matcher.append(token);
    text += index->text(token);
  }
  return std::nullopt;
}

ordered_json answer(const ordered_json &task) {
  std::mt19937 random(task.value("seed", 1U));
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Grammar> grammar;
  try {
    grammar = task.contains("schema") ? schemaConstraint(task["schema"])
              : task.contains("regex")
                  ? regexConstraint(task["regex"].get<std::string>())
                  : grammarConstraint(task["grammar"].get<std::string>());
  } catch (const transfold::Error &error) {
    return {{"error", error.what()}};
  }
  const std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - begin;
  auto index = std::make_shared<const TokenIndex>(randomVocabulary(random));
  ordered_json result = {{"microseconds", time.count()},
                         {"samples", ordered_json::array()},
                         {"follows", ordered_json::array()}};
  for (int i = 0; i < task.value("samples", 0); ++i)
    if (auto text = sample(grammar, index, random))
      result["samples"].push_back(*text);
  for (const ordered_json &text :
       task.value("texts", ordered_json(ordered_json::array()))) {
    Matcher matcher(grammar, index);
    result["follows"].push_back(matcher.appendText(text.get<std::string>()) &&
                                matcher.isComplete());
  }
  return result;
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(ordered_json::parse(line))
                     .dump(-1, ' ', false,
                           ordered_json::error_handler_t::replace)
              << std::endl;
}
