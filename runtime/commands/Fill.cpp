// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task `fill`: what may stand where a text has the mask token. The entry
// gives a number for each token of the vocabulary, at each place.

#include "runtime/commands/Commands.h"
#include "runtime/commands/TextCall.h"
#include "runtime/files/OutputFile.h"

#include <fmt/ranges.h>

namespace transfold::runtime {

namespace {

struct Mask {
  std::string text;
  int32_t id;
};

Mask maskOf(const Tokenizer &tokenizer) {
  for (const char *text : {"[MASK]", "<mask>"})
    if (auto id = tokenizer.findAdded(text))
      return {text, *id};
  fail("the tokenizer has no mask token, [MASK] or <mask>");
}

struct Filling {
  int32_t id;
  std::string text;
  double probability;
};

std::vector<Filling> fillingsOf(const Tokenizer &tokenizer,
                                std::span<const float> logits, size_t top) {
  std::vector<double> probabilities = softmax(logits);
  std::vector<Filling> fillings;
  for (size_t place : largest(probabilities, top)) {
    auto id = static_cast<int32_t>(place);
    fillings.push_back(
        {id, tokenizer.decode(std::span(&id, 1), true), probabilities[place]});
  }
  return fillings;
}

void printPlain(const std::vector<Filling> &fillings, bool indented) {
  for (const Filling &filling : fillings)
    print(fmt::format("{}{:.4f}  {}\n", indented ? "  " : "",
                      filling.probability,
                      filling.text.substr(filling.text.starts_with(' '))));
}

std::string jsonOf(size_t place, const std::vector<Filling> &fillings) {
  std::vector<std::string> parts;
  for (const Filling &filling : fillings)
    parts.push_back(
        fmt::format("{{\"text\": {}, \"id\": {}, \"probability\": {}}}",
                    nlohmann::json(filling.text).dump(), filling.id,
                    static_cast<float>(filling.probability)));
  return fmt::format("{{\"token\": {}, \"fillings\": [{}]}}", place,
                     fmt::join(parts, ", "));
}

} // namespace

void fill(Session &session, const RankingOptions &options) {
  TextCall call(session, "fill");
  const Shape &shape = call.entry().results[0].shape;
  if (!isRowForEach(shape) || shape[0].length != 0 || shape[1].size < 1)
    fail("entry '{}' does not give a number for each place and token",
         call.entry().name);
  auto width = static_cast<size_t>(shape[1].size);
  Mask mask = maskOf(call.tokens());
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    Encoding encoding = call.run(text, number);
    std::vector<size_t> places;
    for (size_t i = 0; i < encoding.ids.size(); ++i)
      if (encoding.ids[i] == mask.id)
        places.push_back(i);
    if (places.empty())
      fail("has no {} to fill", mask.text);
    bool withText = options.texts.size() != 1;
    if (withText && !options.json)
      print(text + "\n");
    std::vector<std::string> parts;
    for (size_t place : places) {
      std::vector<Filling> fillings =
          fillingsOf(call.tokens(),
                     call.result(0).subspan(place * width, width), options.top);
      if (options.json) {
        parts.push_back(jsonOf(place, fillings));
        continue;
      }
      if (place != places.front())
        print("\n");
      printPlain(fillings, withText);
    }
    if (options.json)
      print(fmt::format("{{\"text\": {}, \"masks\": [{}]}}\n",
                        nlohmann::json(text).dump(), fmt::join(parts, ", ")));
  });
}

} // namespace transfold::runtime
