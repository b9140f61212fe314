// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/PostProcessor.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Growth.h"
#include "runtime/tokenizer/Settings.h"

#include <algorithm>

namespace transfold::runtime {

using nlohmann::json;

namespace {

std::vector<PostProcessor::Part> readTemplate(const json &list,
                                              const json &specials) {
  std::vector<PostProcessor::Part> parts;
  size_t count = list.size(); // of texts and special tokens
  for (const json &entry : list) {
    if (!entry.is_object() || entry.size() != 1)
      fail("tokenizer.json: a part of the template is neither a sequence nor a "
           "special token");
    PostProcessor::Part part;
    const json &piece = entry.begin().value();
    part.type = idOf(piece.at("type_id"));
    auto name = piece.at("id").get<std::string>();
    if (entry.begin().key() == "Sequence")
      part.text = name == "B";
    else
      for (const json &special : specials.at(name).at("ids")) {
        part.ids.push_back(idOf(special));
        if (++count > mostSpecialTokens)
          fail("tokenizer.json: a template puts more than {} tokens around a "
               "text",
               mostSpecialTokens);
      }
    parts.push_back(std::move(part));
  }
  return parts;
}

} // namespace

PostProcessor::PostProcessor(const json &settings) {
  for (const json *each : stepsOf(settings, "processors"))
    read(*each);
}

void PostProcessor::useTemplate(std::vector<Part> single,
                                std::vector<Part> pair) {
  if (std::exchange(hasTemplate, true))
    fail("tokenizer.json: two post-processors put tokens around a text");
  one = std::move(single);
  two = std::move(pair);
}

void PostProcessor::read(const json &settings) {
  std::string type = typeOf(settings);
  auto ends = [&] {
    // Each token is written as its text and its id.
    std::vector<int32_t> first{idOf(settings.at("cls").at(1))};
    std::vector<int32_t> last{idOf(settings.at("sep").at(1))};
    return std::pair(first, last);
  };
  if (type == "TemplateProcessing") {
    const json &specials = settings.at("special_tokens");
    useTemplate(readTemplate(settings.at("single"), specials),
                readTemplate(settings.at("pair"), specials));
  } else if (type == "BertProcessing") {
    auto [first, last] = ends();
    useTemplate(
        {{-1, 0, first}, {0, 0, {}}, {-1, 0, last}},
        {{-1, 0, first}, {0, 0, {}}, {-1, 0, last}, {1, 1, {}}, {-1, 1, last}});
  } else if (type == "RobertaProcessing") {
    auto [first, last] = ends();
    std::vector<int32_t> between{last[0], last[0]};
    useTemplate({{-1, 0, first}, {0, 0, {}}, {-1, 0, last}}, {{-1, 0, first},
                                                              {0, 0, {}},
                                                              {-1, 0, between},
                                                              {1, 0, {}},
                                                              {-1, 0, last}});
  } else if (type != "ByteLevel") {
    unknownKind("post-processor", type,
                "BertProcessing, ByteLevel, RobertaProcessing, Sequence, "
                "TemplateProcessing");
  }
  if ((type == "ByteLevel" || type == "RobertaProcessing") &&
      flag(settings, "trim_offsets", true))
    trimming.push_back(flag(settings, "add_prefix_space", true));
}

void PostProcessor::trim(uint32_t &begin, uint32_t &end, Spaces spaces,
                         bool first) const {
  for (bool spaceAdded : trimming) {
    uint32_t leading = spaces.leading;
    // A single space before the text may be the one that was put there.
    if ((first || begin == 0) && spaceAdded && leading == 1)
      leading = 0;
    begin = std::min(begin + leading, end);
    if (end >= spaces.trailing)
      end = std::max(end - spaces.trailing, begin);
  }
}

} // namespace transfold::runtime
