// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stage "post_processor": the tokens around one text and around two.

#include "base/Error.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "runtime/tokenizer/tables/Growth.h"

namespace transfold::tokenizer {

using nlohmann::json;
using runtime::PostProcessor;

/// A template of TemplateProcessing; `specials` has the ids of its special
/// tokens.
static std::vector<PostProcessor::Part> readTemplate(const json &list,
                                                     const json &specials) {
  std::vector<PostProcessor::Part> parts;
  size_t count = list.size(); // of texts and special tokens
  for (const json &entry : list) {
    if (!entry.is_object() || entry.size() != 1)
      fail("a part of the template is neither a sequence nor a "
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
        if (++count > runtime::mostSpecialTokens)
          fail("a template puts more than {} tokens around a "
               "text",
               runtime::mostSpecialTokens);
      }
    parts.push_back(std::move(part));
  }
  return parts;
}

namespace {

/// Collects what the steps of a sequence add: at most one of them has
/// templates, and any number trim offsets.
class Reader {
public:
  PostProcessor result;

  void read(const json &settings);

private:
  using Parts = std::vector<PostProcessor::Part>;
  bool hasTemplate = false;

  void useTemplate(Parts single, Parts pair) {
    if (std::exchange(hasTemplate, true))
      fail("two post-processors put tokens around a text");
    result.single = std::move(single);
    result.pair = std::move(pair);
  }
};

} // namespace

/// Reads one step. BertProcessing and RobertaProcessing are fixed templates.
void Reader::read(const json &settings) {
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
    result.trimming.push_back(flag(settings, "add_prefix_space", true));
}

runtime::PostProcessor readPostProcessor(const json &settings) {
  Reader reader;
  for (const json *each : stepsOf(settings, "processors"))
    reader.read(*each);
  return std::move(reader.result);
}

} // namespace transfold::tokenizer
