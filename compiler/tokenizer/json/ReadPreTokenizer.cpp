// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the stage "pre_tokenizer".

#include "base/Error.h"
#include "compiler/tokenizer/ByteLevelWords.h"
#include "compiler/tokenizer/json/Settings.h"
#include "compiler/tokenizer/json/Stages.h"
#include "compiler/tokenizer/pattern/PatternParser.h"

namespace transfold::tokenizer {

using nlohmann::json;
using runtime::CutAtKind;
using runtime::CutAtMarkedSpaces;
using runtime::Cuts;

/// What becomes of the matches at which a text is split.
static Cuts::Keep keepOf(const json &settings, const char *otherwise) {
  std::string name = textOr(settings, "behavior", otherwise);
  auto keep = Cuts::keepNamed(name);
  if (!keep)
    fail("there is no split behaviour '{}'", name);
  return *keep;
}

/// Splits into words unless "use_regex" is false, and then into bytes.
static runtime::CutIntoBytes readByteLevel(const json &settings) {
  runtime::CutIntoBytes step;
  if (flag(settings, "use_regex", true))
    step.pattern = regex(byteLevelWords);
  step.addSpace = flag(settings, "add_prefix_space", true);
  return step;
}

/// Older files have "add_prefix_space" instead of "prepend_scheme".
static CutAtMarkedSpaces readMetaspace(const json &settings) {
  char32_t mark = characterOf(settings.at("replacement"));
  std::string scheme = textOr(settings, "prepend_scheme", "always");
  if (!flag(settings, "add_prefix_space", true))
    scheme = "never";
  if (scheme != "always" && scheme != "first" && scheme != "never")
    fail("there is no prepend scheme '{}'", scheme);
  return {mark,
          scheme == "always"  ? CutAtMarkedSpaces::Always
          : scheme == "first" ? CutAtMarkedSpaces::First
                              : CutAtMarkedSpaces::Never,
          flag(settings, "split", true)};
}

/// One step, by its type.
static runtime::PreTokenizer::Step readPreTokenizerStep(const json &settings) {
  std::string type = typeOf(settings);
  if (type == "ByteLevel")
    return readByteLevel(settings);
  if (type == "Metaspace")
    return readMetaspace(settings);
  if (type == "BertPreTokenizer")
    return runtime::CutAsBert{};
  if (type == "WhitespaceSplit")
    return CutAtKind{CutAtKind::Whitespace, 0, Cuts::Removed};
  if (type == "Whitespace")
    return runtime::CutIntoStretches{};
  if (type == "Punctuation")
    return CutAtKind{CutAtKind::Punctuation, 0, keepOf(settings, "Isolated")};
  if (type == "Digits")
    return CutAtKind{CutAtKind::Number, 0,
                     flag(settings, "individual_digits", false)
                         ? Cuts::Isolated
                         : Cuts::Contiguous};
  if (type == "CharDelimiterSplit")
    return CutAtKind{CutAtKind::One, characterOf(settings.at("delimiter")),
                     Cuts::Removed};
  if (type == "Split")
    return runtime::CutAtMatches{readPattern(settings.at("pattern")),
                                 keepOf(settings, "Isolated"),
                                 flag(settings, "invert", false)};
  unknownKind("pre-tokenizer", type,
              "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, "
              "Metaspace, Punctuation, Sequence, Split, Whitespace, "
              "WhitespaceSplit");
}

runtime::PreTokenizer readPreTokenizer(const json &settings) {
  runtime::PreTokenizer preTokenizer;
  for (const json *each : stepsOf(settings, "pretokenizers"))
    preTokenizer.steps.push_back(readPreTokenizerStep(*each));
  return preTokenizer;
}

} // namespace transfold::tokenizer
