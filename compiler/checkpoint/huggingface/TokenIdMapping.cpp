// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of layouts, transcribed from the tokenizer classes of transformers.

#include "compiler/checkpoint/huggingface/TokenIdMapping.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/huggingface/FileNames.h"
#include "compiler/checkpoint/huggingface/TokenizerClass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace transfold::checkpoint {

namespace {

using Numbers = TokenIdMapping::Numbers;

/// The languages of M2M100, whose tokens follow the pieces in this order.
constexpr std::string_view m2m100Languages =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi "
    "fr fy ga gd gl gu ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn "
    "ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt "
    "ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh "
    "yi yo zh zu";

/// All layouts. Of several with the same file, the first is taken if no class
/// is named.
const std::vector<TokenIdMapping> &layouts() {
  static const std::vector<std::pair<const char *, const char *>>
      fairseq = {{"bos_token", "<s>"},
                 {"pad_token", "<pad>"},
                 {"eos_token", "</s>"},
                 {"unk_token", "<unk>"},
                 {"mask_token", "<mask>"}},
      withoutMask = {{"bos_token", "<s>"},
                     {"pad_token", "<pad>"},
                     {"eos_token", "</s>"},
                     {"unk_token", "<unk>"}},
      ends = {{"bos_token", "<s>"},
              {"eos_token", "</s>"},
              {"unk_token", "<unk>"}},
      t5 = {{"eos_token", "</s>"},
            {"unk_token", "<unk>"},
            {"pad_token", "<pad>"}},
      pegasus = {{"pad_token", "<pad>"},
                 {"eos_token", "</s>"},
                 {"mask_token_sent", "<mask_1>"},
                 {"mask_token", "<mask_2>"},
                 {"unk_token", "<unk>"}},
      gemma = {{"bos_token", "<bos>"},
               {"eos_token", "<eos>"},
               {"unk_token", "<unk>"},
               {"pad_token", "<pad>"}},
      deberta = {{"cls_token", "[CLS]"},
                 {"sep_token", "[SEP]"},
                 {"unk_token", "[UNK]"},
                 {"pad_token", "[PAD]"},
                 {"mask_token", "[MASK]"}};
  static const std::vector<TokenIdMapping> all = {
      {.classes = {"MarianTokenizer"},
       .model = "source.spm",
       .writer = "target.spm",
       .numbers = Numbers::OfFile,
       .specials = t5,
       .single = "A eos_token",
       .pair = "A B eos_token"},
      {.classes = {"M2M100Tokenizer"},
       .model = "sentencepiece.bpe.model",
       .numbers = Numbers::OfFile,
       .specials = withoutMask,
       .single = "language A eos_token",
       .pair = "language A B eos_token",
       .language = "en",
       .languageToken = "__{}__",
       .languageLists = {{"m2m100", m2m100Languages},
                         {"wmt21", "en ha is ja cs ru zh de"}}},
      {.classes = {"XLMRobertaTokenizer"},
       .model = "sentencepiece.bpe.model",
       .numbers = Numbers::OfFairseq,
       .specials = fairseq,
       .single = "bos_token A eos_token",
       .pair = "bos_token A eos_token eos_token B eos_token"},
      {.classes = {"NllbTokenizer"},
       .model = "sentencepiece.bpe.model",
       .numbers = Numbers::OfFairseq,
       .specials = fairseq,
       .single = "language A eos_token",
       .pair = "language A B eos_token",
       .language = "eng_Latn"},
      {.classes = {"MBart50Tokenizer"},
       .model = "sentencepiece.bpe.model",
       .numbers = Numbers::OfFairseq,
       .specials = fairseq,
       .single = "language A eos_token",
       .pair = "language A B eos_token",
       .language = "en_XX"},
      {.classes = {"MBartTokenizer"},
       .model = "sentencepiece.bpe.model",
       .numbers = Numbers::OfFairseq,
       .specials = fairseq,
       .single = "A eos_token language",
       .pair = "A B eos_token language",
       .language = "en_XX"},
      {.classes = {"T5Tokenizer", "MT5Tokenizer"},
       .model = "spiece.model",
       .specials = t5,
       .single = "A eos_token",
       .pair = "A eos_token B eos_token",
       .extraIds = 100},
      {.classes = {"PegasusTokenizer"},
       .model = "spiece.model",
       .numbers = Numbers::OfPegasus,
       .specials = pegasus,
       .single = "A eos_token",
       .pair = "A B eos_token"},
      {.classes = {"LlamaTokenizer", "CodeLlamaTokenizer"},
       .model = "tokenizer.model",
       .specials = ends,
       .single = "bos_token A",
       .pair = "bos_token A bos_token B",
       .hasEndFlags = true},
      {.classes = {"GemmaTokenizer"},
       .model = "tokenizer.model",
       .specials = gemma,
       .single = "bos_token A",
       .pair = "bos_token A bos_token B",
       .hasEndFlags = true},
      {.classes = {"DebertaV2Tokenizer"},
       .model = "spm.model",
       .specials = deberta,
       .single = "cls_token A sep_token",
       .pair = "cls_token A sep_token B sep_token"},
  };
  return all;
}

/// Whether all files of a layout exist.
bool hasFiles(const TokenIdMapping &layout, const Directory &directory,
              bool hasNumbers) {
  return directory.has(layout.model) &&
         (!layout.writer || directory.has(layout.writer)) &&
         (hasNumbers || layout.numbers != Numbers::OfFile ||
          directory.has("vocab.json"));
}

/// The class that a JSON file names; empty if it names none.
std::string classIn(const Directory &directory, const char *file) {
  std::string name = tokenizerClassIn(directory, file);
  // These names mean that another file names the class.
  return name == "PreTrainedTokenizer" || name == "PreTrained" ? "" : name;
}

/// Throws CheckpointError for a tokenizer_class that has no layout.
[[noreturn]] void failUnknown(const Directory &directory,
                              const std::string &name, const char *model) {
  std::vector<std::string_view> known;
  for (const TokenIdMapping &layout : layouts())
    known.insert(known.end(), layout.classes.begin(), layout.classes.end());
  std::ranges::sort(known);
  throw CheckpointError(fmt::format(
      "{}: the ids that the tokenizer_class '{}' gives the pieces of {} are "
      "not known (known: {}); save the tokenizer as tokenizer.json, or use "
      "`eval`, which takes ids instead of text",
      directory.path(), name, model, fmt::join(known, ", ")));
}

} // namespace

const TokenIdMapping *pieceLayoutOf(const Directory &directory,
                                    bool hasNumbers) {
  std::string name = classIn(directory, tokenizerConfigName);
  if (name.empty())
    name = classIn(directory, "config.json");
  if (name.empty()) {
    auto found =
        std::ranges::find_if(layouts(), [&](const TokenIdMapping &layout) {
          return hasFiles(layout, directory, hasNumbers);
        });
    return found == layouts().end() ? nullptr : &*found;
  }
  const char *model = nullptr;
  for (const TokenIdMapping &layout : layouts()) {
    if (std::ranges::find(layout.classes, name) == layout.classes.end()) {
      if (directory.has(layout.model))
        model = layout.model;
      continue;
    }
    if (!directory.has(layout.model))
      return nullptr;
    if (!hasFiles(layout, directory, hasNumbers))
      throw CheckpointError(fmt::format(
          "{}: the tokenizer_class '{}' needs {}{}{}, and not all of these "
          "exist; fetch them",
          directory.path(), name, layout.model, layout.writer ? ", " : "",
          fmt::format("{}{}", layout.writer ? layout.writer : "",
                      layout.numbers == Numbers::OfFile ? ", vocab.json"
                                                        : "")));
    return &layout;
  }
  if (!model)
    return nullptr;
  failUnknown(directory, name, model);
}

} // namespace transfold::checkpoint
