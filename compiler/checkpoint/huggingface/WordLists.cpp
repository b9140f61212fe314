// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the tokenizer.json that transformers' converters would make, so that
// the compiler of tokenizers need not know these files.

#include "compiler/checkpoint/huggingface/WordLists.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"
#include "compiler/checkpoint/huggingface/FileNames.h"
#include "compiler/checkpoint/huggingface/SpecialTokens.h"
#include "compiler/checkpoint/huggingface/TokenizerClass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace transfold::checkpoint {

using nlohmann::json;

namespace {

constexpr const char *lineNames = "vocab.txt", *treeName = "vocab.json",
                     *mergesName = "merges.txt";
/// The longest known lists have 8 MB.
constexpr size_t maximumBytes = size_t{64} << 20;

/// Tokens by their role: "sep_token" and its text.
using Roles = std::vector<std::pair<const char *, const char *>>;
/// Roles around a text, and the texts A and B; each with its type id.
using Parts = std::vector<std::pair<std::string_view, int>>;

/// The properties of a tokenizer class of transformers that are not in its
/// lists.
struct WordLayout {
  /// Names of tokenizer_class, without the "Fast" at the end of some.
  std::vector<std::string_view> classes;
  bool isOfLines; // vocab.txt, or else vocab.json and merges.txt
  /// Tokens by their role, if no file states them.
  Roles roles;
  Parts single, pair; // for one text, and for two
  /// The expression that splits texts before ByteLevel; null: ByteLevel's own.
  const char *cuts = nullptr;
  bool composes = false; // normalizes to form C first
  bool trimsOffsets = false;
  bool maskTakesSpaces = false; // whether the mask includes spaces before it
};

const Roles bertRoles = {{"unk_token", "[UNK]"},
                         {"sep_token", "[SEP]"},
                         {"pad_token", "[PAD]"},
                         {"cls_token", "[CLS]"},
                         {"mask_token", "[MASK]"}};
const Roles robertaRoles = {{"bos_token", "<s>"},    {"eos_token", "</s>"},
                            {"sep_token", "</s>"},   {"cls_token", "<s>"},
                            {"unk_token", "<unk>"},  {"pad_token", "<pad>"},
                            {"mask_token", "<mask>"}};
const Roles endOfText = {{"unk_token", "<|endoftext|>"},
                         {"bos_token", "<|endoftext|>"},
                         {"eos_token", "<|endoftext|>"}};

const Parts bare = {{"A", 0}}, bareTwo = {{"A", 0}, {"B", 1}};
const Parts delimited = {{"cls_token", 0}, {"A", 0}, {"sep_token", 0}};
const Parts delimitedTwice = {{"cls_token", 0}, {"A", 0}, {"sep_token", 0},
                              {"sep_token", 0}, {"B", 0}, {"sep_token", 0}};

/// All layouts. For vocab.txt the first one is the default; for byte pairs a
/// class must be named.
const std::vector<WordLayout> &layouts() {
  static const std::vector<WordLayout> all = {
      {.classes = {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer",
                   "MobileBertTokenizer", "ConvBertTokenizer",
                   "LayoutLMTokenizer", "SqueezeBertTokenizer",
                   "RetriBertTokenizer", "DPRQuestionEncoderTokenizer",
                   "DPRContextEncoderTokenizer", "NomicBertTokenizer"},
       .isOfLines = true,
       .roles = bertRoles,
       .single = delimited,
       .pair = {{"cls_token", 0},
                {"A", 0},
                {"sep_token", 0},
                {"B", 1},
                {"sep_token", 1}}},
      {.classes = {"MPNetTokenizer"},
       .isOfLines = true,
       .roles = {{"bos_token", "<s>"},
                 {"eos_token", "</s>"},
                 {"sep_token", "</s>"},
                 {"cls_token", "<s>"},
                 {"unk_token", "[UNK]"},
                 {"pad_token", "<pad>"},
                 {"mask_token", "<mask>"}},
       .single = delimited,
       .pair = delimitedTwice,
       .maskTakesSpaces = true},
      {.classes = {"RobertaTokenizer", "BartTokenizer", "LongformerTokenizer",
                   "LEDTokenizer", "MvpTokenizer"},
       .isOfLines = false,
       .roles = robertaRoles,
       .single = delimited,
       .pair = delimitedTwice,
       .trimsOffsets = true},
      {.classes = {"GPT2Tokenizer", "CodeGenTokenizer", "GPTNeoXTokenizer"},
       .isOfLines = false,
       .roles = endOfText,
       .single = bare,
       .pair = bareTwo},
      {.classes = {"Qwen2Tokenizer"},
       .isOfLines = false,
       .roles = {{"unk_token", "<|endoftext|>"},
                 {"eos_token", "<|endoftext|>"},
                 {"pad_token", "<|endoftext|>"}},
       .single = bare,
       .pair = bareTwo,
       .cuts =
           R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       .composes = true}};
  return all;
}

/// The text of a file, each line of which is UTF-8; the size is checked first.
std::string textOf(const Directory &directory, const char *name) {
  auto file = MappedFile::open(directory.placeOf(name));
  if (file->bytes().size() > maximumBytes)
    throw CheckpointError(fmt::format(
        "{}: is larger than {} MiB, which is too large for a list of tokens",
        file->path(), maximumBytes >> 20));
  return std::string(file->text());
}

/// Calls `take` for each line, without its line end; the last line needs none.
template <typename Take> void forEachLine(std::string_view text, Take &&take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    take(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Writes the tokenizer of one directory.
class WordListReader {
public:
  WordListReader(const Directory &directory, const WordLayout &layout)
      : directory(directory), layout(layout), known(directory) {}

  TokenizerJson read() {
    json file = {{"version", "1.0"}};
    if (layout.isOfLines)
      ofLines(file);
    else
      ofPairs(file);
    file["added_tokens"] = addedTokens();
    const std::string place =
        directory.placeOf(layout.isOfLines ? lineNames : treeName);
    try {
      return {place, file.dump()};
    } catch (const json::exception &) {
      throw CheckpointError(
          fmt::format("{}: a token is not UTF-8 text", place));
    }
  }

private:
  const Directory &directory;
  const WordLayout &layout;
  SpecialTokens known;
  json words = json::object(); // token -> id

  /// The text of the token with that role; empty if the class has none.
  std::string role(std::string_view name) const {
    auto found = std::ranges::find(layout.roles, name, [](const auto &each) {
      return std::string_view(each.first);
    });
    return known.textOf(std::string(name),
                        found == layout.roles.end() ? "" : found->second);
  }

  /// The stages as made by transformers' BertConverter.
  void ofLines(json &file) {
    file["model"] = wordPieces();
    const json *settings = directory.json(tokenizerConfigName);
    json accents = settings && settings->is_object()
                       ? settings->value("strip_accents", json())
                       : json();
    file["normalizer"] = {
        {"type", "BertNormalizer"},
        {"clean_text", true},
        {"handle_chinese_chars", known.flag("tokenize_chinese_chars", true)},
        {"strip_accents", std::move(accents)},
        {"lowercase", known.flag("do_lower_case", true)}};
    file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    file["decoder"] = {
        {"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
    file["post_processor"] = around();
  }

  /// A stage of type ByteLevel; `usesRule`: it splits texts by its own
  /// expression.
  json byteLevel(bool usesRule) const {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", known.flag("add_prefix_space", false)},
            {"trim_offsets", layout.trimsOffsets},
            {"use_regex", usesRule}};
  }

  /// The stages as made by transformers' converters for byte pairs.
  void ofPairs(json &file) {
    file["model"] = bytePairs();
    file["normalizer"] = layout.composes ? json{{"type", "NFC"}} : json();
    file["pre_tokenizer"] = byteLevel(!layout.cuts);
    if (layout.cuts)
      file["pre_tokenizer"] = {
          {"type", "Sequence"},
          {"pretokenizers", json::array({{{"type", "Split"},
                                          {"pattern", {{"Regex", layout.cuts}}},
                                          {"behavior", "Isolated"},
                                          {"invert", false}},
                                         byteLevel(false)})}};
    file["decoder"] = byteLevel(true);
    file["post_processor"] = around();
    if (layout.trimsOffsets)
      file["post_processor"] = {
          {"type", "Sequence"},
          {"processors",
           json::array({byteLevel(true), file["post_processor"]})}};
  }

  /// The model of vocab.txt: the id of a token is the number of its line, from
  /// 0.
  json wordPieces() {
    int64_t id = 0;
    forEachLine(textOf(directory, lineNames), [&](std::string_view line) {
      words[std::string(line)] = id++;
    });
    return {{"type", "WordPiece"},
            {"unk_token", role("unk_token")},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", words}};
  }

  /// The model of vocab.json and merges.txt; lines with a version are skipped.
  json bytePairs() {
    const json *tree = directory.json(treeName);
    if (!tree || !tree->is_object())
      throw CheckpointError(
          fmt::format("{}: is not an object of tokens and ids",
                      directory.placeOf(treeName)));
    words = *tree;
    json merges = json::array();
    forEachLine(textOf(directory, mergesName), [&](std::string_view line) {
      if (!line.empty() && !line.starts_with("#version"))
        merges.push_back(std::string(line));
    });
    return {{"type", "BPE"}, {"vocab", words}, {"merges", merges}};
  }

  /// The tokens with a role, and those that files list, ordered by id.
  json addedTokens() const {
    std::map<int64_t, json> byId;
    int64_t next = static_cast<int64_t>(words.size());
    auto add = [&](const SpecialTokens::Token &token) {
      if (token.text.empty())
        return;
      auto word = words.find(token.text);
      const int64_t id = word != words.end() && word->is_number_integer()
                             ? word->get<int64_t>()
                         : token.id ? *token.id
                                    : next++;
      byId.emplace(id, json{{"id", id},
                            {"content", token.text},
                            {"special", token.special},
                            {"normalized", !token.special},
                            {"lstrip", token.leftStrip},
                            {"rstrip", token.rightStrip},
                            {"single_word", token.singleWord}});
    };
    for (const SpecialTokens::Token &token : known.all())
      add(token);
    for (const auto &[name, text] : layout.roles) {
      SpecialTokens::Token token;
      token.text = role(name);
      token.leftStrip =
          layout.maskTakesSpaces && std::string_view(name) == "mask_token";
      add(token);
    }
    json list = json::array();
    for (auto &[id, token] : byId)
      list.push_back(std::move(token));
    return list;
  }

  /// A template as tokenizer.json spells it; adds the ids of its tokens to
  /// `ids`.
  json partsOf(const Parts &parts, json &ids) const {
    json list = json::array();
    for (const auto &[name, type] : parts) {
      if (name == "A" || name == "B") {
        list.push_back({{"Sequence", {{"id", name}, {"type_id", type}}}});
        continue;
      }
      const std::string text = role(name);
      auto word = words.find(text);
      if (word == words.end())
        throw CheckpointError(fmt::format(
            "{}: has no token '{}', which the tokenizer puts around texts",
            directory.placeOf(layout.isOfLines ? lineNames : treeName), text));
      ids[text] = {{"id", text},
                   {"ids", json::array({*word})},
                   {"tokens", json::array({text})}};
      list.push_back({{"SpecialToken", {{"id", text}, {"type_id", type}}}});
    }
    return list;
  }

  /// The templates for one text and for two.
  json around() const {
    json ids = json::object();
    auto single = layout.single, pair = layout.pair;
    // A setting of the GPT-2 classes.
    if (!layout.isOfLines && known.flag("add_bos_token", false)) {
      single.insert(single.begin(), {"bos_token", 0});
      pair = {{"bos_token", 0}, {"A", 0}, {"bos_token", 1}, {"B", 1}};
    }
    json one = partsOf(single, ids), two = partsOf(pair, ids);
    return {{"type", "TemplateProcessing"},
            {"single", std::move(one)},
            {"pair", std::move(two)},
            {"special_tokens", std::move(ids)}};
  }
};

} // namespace

std::optional<TokenizerJson> readWordLists(const Directory &directory) {
  const bool hasLines = directory.has(lineNames);
  const bool hasPairs = directory.has(treeName) && directory.has(mergesName);
  if (!hasLines && !hasPairs)
    return std::nullopt;
  std::string name = tokenizerClassIn(directory, tokenizerConfigName);
  if (name.empty())
    name = tokenizerClassIn(directory, "config.json");
  std::vector<std::string_view> classes;
  for (const WordLayout &layout : layouts()) {
    if (layout.isOfLines ? !hasLines : !hasPairs)
      continue;
    classes.insert(classes.end(), layout.classes.begin(), layout.classes.end());
    if (std::ranges::find(layout.classes, name) != layout.classes.end() ||
        (name.empty() && layout.isOfLines))
      return WordListReader(directory, layout).read();
  }
  throw CheckpointError(fmt::format(
      "{}: {} alone does not say how texts are split, and the tokenizer_class "
      "{} not one of the known ones ({}); put a tokenizer.json beside it (load "
      "it with transformers' AutoTokenizer, then save_pretrained)",
      directory.path(), hasLines ? lineNames : "vocab.json with merges.txt",
      name.empty() ? "is missing: it is" : "'" + name + "' is",
      fmt::join(classes, ", ")));
}

} // namespace transfold::checkpoint
