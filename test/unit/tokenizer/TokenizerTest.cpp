// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kinds of tokenizers compared with Hugging Face's tokenizers 0.23, and
// damaged files.

#include "runtime/tokenizer/Tokenizer.h"

#include "compiler/tokenizer/ReadCharacterMap.h"
#include "compiler/tokenizer/json/JsonNumber.h"
#include "compiler/tokenizer/pattern/PatternParser.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"
#include "runtime/tokenizer/split/Cuts.h"
#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"
#include "test/unit/tokenizer/TokenizerGolden.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace transfold;
using namespace transfold::runtime;
using nlohmann::json;
using namespace transfold::test;

namespace {

Characters characters(std::string_view text) { return decodeUtf8(text); }

class Golden : public testing::TestWithParam<const char *> {};

TEST_P(Golden, IsExact) {
  std::string name = GetParam();
  CompiledTokenizer tokenizer(readInput(name + "-tokenizer.json"));
  json golden = json::parse(readInput(name + "-golden.json"));
  EXPECT_GE(golden["cases"].size(), 20u);
  expectEncodings(tokenizer, golden);
  for (const json &entry : golden["cases"]) {
    Encoding encoding = tokenizer.encode(entry["text"].get<std::string>());
    EXPECT_EQ(json(tokenizer.decode(encoding.ids)), entry["decoded"]);
    EXPECT_EQ(json(tokenizer.decode(encoding.ids, true)),
              entry["decoded_with_special"]);
    for (size_t i = 0; i < encoding.ids.size(); ++i)
      // For these tokens, the golden has the characters of the text.
      if (auto token = tokenizer.token(encoding.ids[i]);
          token != "<unk>" && token != "<mask>")
        EXPECT_EQ(json(*token), entry["tokens"][i]) << entry["text"];
  }
  const json &pair = golden["pair"];
  Encoding encoding = tokenizer.encodePair(pair["text"][0].get<std::string>(),
                                           pair["text"][1].get<std::string>());
  EXPECT_EQ(offsets(encoding), pair["offsets"]);
}

INSTANTIATE_TEST_SUITE_P(Tokenizer, Golden,
                         testing::Values("byte-level", "byte-level-trimmed",
                                         "split", "byte-fallback", "unigram",
                                         "character-map", "wordpiece"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

/// Byte pairs over a few letters.
json small() {
  return {{"added_tokens", json::array()},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"aba", 3}, {"?", 4}}},
            {"merges", {"a b", "ab a"}}}}};
}

std::vector<int32_t> ids(const json &tokenizer, std::string_view text) {
  return CompiledTokenizer(tokenizer.dump()).encode(text).ids;
}
using Ids = std::vector<int32_t>;

TEST(BytePairs, Settings) {
  EXPECT_EQ(ids(small(), "ababb"), (Ids{2, 2, 1}));
  EXPECT_EQ(ids(small(), "aba"), (Ids{3}));
  EXPECT_EQ(ids(small(), "axxb"), (Ids{2})); // x is dropped
  json unknown = small();
  unknown["model"]["unk_token"] = "?";
  EXPECT_EQ(ids(unknown, "axxb"), (Ids{0, 4, 4, 1}));
  unknown["model"]["fuse_unk"] = true;
  EXPECT_EQ(ids(unknown, "axxb"), (Ids{0, 4, 1}));
  json pairs = small();
  pairs["model"]["merges"] = json::parse(R"([["b", "a"], ["a", "b"]])");
  EXPECT_EQ(messageOf([&] { ids(pairs, "a"); }),
            "tokenizer.json: merge 1 makes or needs \"ba\", which is not in "
            "the vocabulary");
  json whole = small();
  whole["model"]["vocab"]["abab"] = 5;
  EXPECT_EQ(ids(whole, "abab"), (Ids{2, 2}));
  whole["model"]["ignore_merges"] = true;
  EXPECT_EQ(ids(whole, "abab"), (Ids{5}));
}

TEST(Unigram, Settings) {
  json tokenizer = {
      {"model",
       {{"type", "Unigram"},
        {"unk_id", 0},
        {"vocab",
         json::parse(R"([["?", 0], ["a", -1], ["b", -1], ["ab", -1.5]])")}}}};
  EXPECT_EQ(ids(tokenizer, "aab"), (Ids{1, 3}));
  EXPECT_EQ(ids(tokenizer, "axxb"), (Ids{1, 0, 2}));
  json bytes = tokenizer;
  for (int byte = 0; byte < 256; ++byte)
    bytes["model"]["vocab"].push_back({fmt::format("<0x{:02X}>", byte), -20.0});
  bytes["model"]["byte_fallback"] = true;
  EXPECT_EQ(ids(bytes, "a\u00e9"), (Ids{1, 4 + 0xc3, 4 + 0xa9}));
  json none = tokenizer;
  none["model"]["unk_id"] = nullptr;
  EXPECT_EQ(ids(none, "ab"), (Ids{3}));
  EXPECT_EQ(messageOf([&] { ids(none, "x"); }),
            "the tokenizer has no token for a character of the text, and none "
            "for the unknown");
  none["model"]["unk_id"] = 4;
  EXPECT_EQ(messageOf([&] { ids(none, "x"); }),
            "tokenizer.json: the unknown token 4 is not in the vocabulary");
}

// Sums of scores are compared bit for bit. With correctly rounded scores, "ab"
// would be as likely as "a" and "b"; with the scores as tokenizers parses them
// it is less likely. The expected results are those of tokenizers 0.23.
TEST(Unigram, ScoresToTheLastBit) {
  std::string tokenizer =
      R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0],
          ["a", -9.851918643786721], ["b", -11.159656881868024],
          ["ab", -21.011575525654745]]}})";
  EXPECT_EQ(CompiledTokenizer(tokenizer).encode("ab").ids, (Ids{1, 2}));
  EXPECT_EQ(CompiledTokenizer(tokenizer).encode("abab").ids, (Ids{1, 2, 3}));
}

TEST(JsonNumber, AsTheOriginalReadsIt) {
  using transfold::tokenizer::jsonNumber;
  // One integer, divided once.
  EXPECT_EQ(jsonNumber("-9.851918643786721"), -9851918643786721. / 1e15);
  EXPECT_EQ(jsonNumber("-15.545868722299595"), -15545868722299595. / 1e15);
  EXPECT_NE(jsonNumber("-15.545868722299595"), -15.545868722299595);
  EXPECT_EQ(jsonNumber("12e3"), 12e3);
  EXPECT_EQ(jsonNumber("1.25E-2"), 0.0125);
  EXPECT_EQ(jsonNumber("0.5e+1"), 5.0);
  // Digits count up to 64 bits; others only move the decimal point.
  EXPECT_EQ(jsonNumber("18446744073709551615"), 0x1p64);
  EXPECT_EQ(jsonNumber("184467440737095516160"), 1844674407370955161. * 1e2);
  EXPECT_EQ(jsonNumber("0.184467440737095516169"), 1844674407370955161. / 1e19);
  EXPECT_EQ(jsonNumber("1e-400"), 0.0);
  EXPECT_EQ(jsonNumber("10e-320"), 10 / 1e308 / 1e12);
  EXPECT_EQ(jsonNumber("0e999999999999"), 0.0);
  EXPECT_EQ(jsonNumber("1e309"), std::nullopt);
  EXPECT_EQ(jsonNumber("1e99999999999999999999"), std::nullopt);
}

/// The begins and ends of the matches of an expression.
std::string matches(const std::string &expression, std::string_view text) {
  std::string result;
  for (auto [begin, end] :
       transfold::tokenizer::regex(expression).matches(characters(text)))
    result += fmt::format("{}-{} ", begin, end);
  return result;
}

TEST(Pattern, Matches) {
  EXPECT_EQ(matches("a|ab", "ab"), "0-1 "); // the first, not the longest
  EXPECT_EQ(matches("(?:a|ab)c", "abc"), "0-3 ");
  EXPECT_EQ(matches("a{2,3}", "aaaaaa a"), "0-3 3-6 ");
  EXPECT_EQ(matches("a{2}b?", "aab"), "0-3 ");
  EXPECT_EQ(matches("a+?b", "aab"), "0-3 ");
  EXPECT_EQ(matches("a++a", "aaa"), "");
  EXPECT_EQ(matches("(?>a|ab)c", "abc"), "");
  EXPECT_EQ(matches("\\s+(?!\\S)|\\s+", "  a "), "0-1 1-2 3-4 ");
  EXPECT_EQ(matches("a(?=b)", "aab"), "1-2 ");
  EXPECT_EQ(matches("[^\\s\\p{L}\\p{N}]+", "a\u00e9!?1 "), "2-4 ");
  EXPECT_EQ(matches("[a-c\\-]+", "ab-d"), "0-3 ");
  EXPECT_EQ(matches("(?i:'S)", "'s'S'\u017f"), "0-2 2-4 4-6 ");
  EXPECT_EQ(matches("[\\x41-\\x{42}\\u0043]+", "ABCD"), "0-3 ");
  EXPECT_EQ(matches("\\p{Lu}\\P{L}.", "Aa A1\nA1b"), "6-9 ");
  EXPECT_EQ(matches("\\p{Han}+", "a\u6f22\u5b57"), "1-3 ");
  EXPECT_EQ(matches("(?=b)", "abb"), "1-1 2-2 ");
}

// Oniguruma's syntax; each line was compared with the package tokenizers.
TEST(Pattern, SyntaxOfOniguruma) {
  // Anchors.
  EXPECT_EQ(matches("^a", "a\na"), "0-1 2-3 ");
  EXPECT_EQ(matches("a$", "a\na"), "0-1 2-3 ");
  EXPECT_EQ(matches("\\n$", "a\n"), "1-2 ");
  EXPECT_EQ(matches("a\\Z", "a\n"), "0-1 ");
  EXPECT_EQ(matches("a\\z", "a\n"), "");
  EXPECT_EQ(matches("\\bfoo\\b", "foo foob"), "0-3 ");
  EXPECT_EQ(matches("o\\B", "fo foo"), "4-5 ");
  // Lookbehind: of any bounded lengths, also at the text's start.
  EXPECT_EQ(matches("(?<=a|bc)d", "adbcd"), "1-2 4-5 ");
  EXPECT_EQ(matches("(?<!\\d)a", "1aa"), "2-3 ");
  EXPECT_EQ(matches("(?<=\\d)(?=(?:\\d{3})+(?!\\d))", "1234567"), "1-1 4-4 ");
  EXPECT_EQ(matches("(?<=^a{1,3}b?)c", "aabc c"), "3-4 ");
  // Nested sets, intersections, names.
  EXPECT_EQ(matches("[^(\\s|[.,!?])]+", "hi, (you)."), "0-2 5-8 ");
  EXPECT_EQ(matches("[a-z&&[^aeiou]x]+", "abxz"), "1-4 ");
  EXPECT_EQ(matches("[^a&&b]+", "abc"), "0-3 ");
  EXPECT_EQ(matches("[\\p{L}&&[^\\p{Han}]]+", "a\u6f22b"), "0-1 2-3 ");
  EXPECT_EQ(matches("[]a]", "]a"), "0-1 1-2 ");
  EXPECT_EQ(matches("[[:alpha:]]+", "a\u00e9\u2163\u24d0 1"), "0-4 ");
  EXPECT_EQ(matches("[[:^alpha:][:punct:]]+", "a!$1b"), "1-4 ");
  EXPECT_EQ(matches("[:alpha:]+", "alp:x"), "0-4 ");
  EXPECT_EQ(matches("\\w+", "a_1\u0300\u2163\u203f\u00b2\u2074"), "0-7 ");
  EXPECT_EQ(matches("[\\w]+", "a\u00b2"), "0-1 ");
  EXPECT_EQ(matches("\\p{lowercase letter}\\p{LATIN}", "aB"), "0-2 ");
  // Options, valid to the end of their group.
  EXPECT_EQ(matches("a(?i)b|c", "ABCaBC"), "3-5 ");
  EXPECT_EQ(matches("(?i:a)b", "ABAb"), "2-4 ");
  EXPECT_EQ(matches("(?i:(?-i)a)b", "AbabaB"), "2-4 ");
  EXPECT_EQ(matches("(?m:.).", "\n\n\na"), "2-4 ");
  EXPECT_EQ(matches("(?x) a b # a comment\n c", "abc"), "0-3 ");
  EXPECT_EQ(matches("(?i)[^k]", "K\u212aa"), "2-3 ");
  EXPECT_EQ(matches("(?i)[a[^b]]", "b"), "0-1 ");
  EXPECT_EQ(matches("(?#text)(?<name>a)", "a"), "0-1 ");
  // Counts.
  EXPECT_EQ(matches("a{,2}", "aaa"), "0-2 2-3 ");
  EXPECT_EQ(matches("a{x", "a{x"), "0-3 ");
  EXPECT_EQ(matches("b{2}?a", "abba"), "0-1 1-4 ");
  EXPECT_EQ(matches("a**b", "aab"), "0-3 ");
  EXPECT_EQ(matches("(?:a?|b)*c", "aabc"), "0-4 ");
  EXPECT_EQ(matches("(?:\\b|x)*y", "xxy"), "0-3 ");
  EXPECT_EQ(matches("\\R", "\r\n\n"), "0-2 2-3 ");
  EXPECT_EQ(matches("\\h+\\N\\O", "fG\n"), "0-3 ");
}

// A lookbehind is bounded by the expression: time grows in proportion to the
// text, and a match that exceeds its budget ends with a message.
TEST(Pattern, LongTexts) {
  const std::string text(200000, 'a');
  EXPECT_EQ(matches("(?<=a{1,20})b", text), "");
  EXPECT_EQ(matches("\\b[[:alpha:]&&[^b]]++$", text), "0-200000 ");
}

TEST(Pattern, RefusesWhatItDoesNotKnow) {
  auto message = [](const std::string &expression) {
    return messageOf([&] { matches(expression, "aaaaaaaaaaaaaaaaaaaaaaaac"); });
  };
  EXPECT_EQ(message("(a)\\1"),
            "the regular expression '(a)\\1' is not supported: "
            "this escape at character 5; `eval` takes ids instead of text");
  for (const char *expression : {"(",         ")",
                                 "a)",        "[",
                                 "[a",        "a{2,1}",
                                 "a{1000}",   "*",
                                 "\\",        "\\p",
                                 "\\p{Nope}", "[b-a]",
                                 "(?<a",      "[[:nope:]]",
                                 "\\x",       "[a-\\s]",
                                 "[[a]",      "[a&&",
                                 "\\K",       "\\G",
                                 "\\X",       "(?~a)",
                                 "(?y)",      "(?<=a*)b",
                                 "(?#",       "((((a{99}){99}){99}){99})"})
    EXPECT_NE(message(expression), "no error") << expression;
  EXPECT_NE(message(std::string(1000, '(')), "no error");
  EXPECT_EQ(
      message("(?:a*)*(?:a*)*(?:a*)*b"),
      "a regular expression of the tokenizer takes too long on this text");
}

std::string cut(std::string_view name) {
  Characters text = characters("-a--b");
  struct All final : WordSink {
    std::vector<Characters> list;
    void take(Characters word) override { list.push_back(std::move(word)); }
  } words;
  Cuts(text)
      .atCharacters([](char32_t code) { return code == '-'; })
      .words(*Cuts::keepNamed(name), words);
  std::string result;
  for (const Characters &word : words.list)
    result += encodeUtf8(word) + " ";
  return result;
}

TEST(Cuts, Keep) {
  EXPECT_EQ(cut("Removed"), "a b ");
  EXPECT_EQ(cut("Isolated"), "- a - - b ");
  EXPECT_EQ(cut("MergedWithPrevious"), "- a- - b ");
  EXPECT_EQ(cut("MergedWithNext"), "-a - -b ");
  EXPECT_EQ(cut("Contiguous"), "- a -- b ");
  EXPECT_FALSE(Cuts::keepNamed("Kept"));
}

TEST(Unicode, NormalForms) {
  auto form = [](std::string_view text, NormalForm form) {
    Characters characters = decodeUtf8(text);
    normalize(characters, form);
    return encodeUtf8(characters);
  };
  EXPECT_EQ(form("e\u0301\u0323", NormalForm::C), "\u1eb9\u0301");
  EXPECT_EQ(form("\u1eb9\u0301", NormalForm::D), "e\u0323\u0301");
  EXPECT_EQ(form("\ufb01\uac00", NormalForm::KD), "fi\u1100\u1161");
  EXPECT_EQ(form("\uff21\u1100\u1161\u11a8", NormalForm::KC), "A\uac01");
  EXPECT_EQ(form("\u0958", NormalForm::C), "\u0915\u093c"); // excluded
  EXPECT_EQ(form("\u32ff", NormalForm::KC), "\u32ff");      // of Unicode 12
}

TEST(Unicode, Repair) {
  EXPECT_EQ(repairUtf8("a\u00e9\U0001f600"), "a\u00e9\U0001f600");
  EXPECT_EQ(repairUtf8("\xff\xc3"), "\ufffd\ufffd");
  EXPECT_EQ(repairUtf8("\xe2\x82z"), "\ufffdz");
  EXPECT_EQ(repairUtf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd"); // a surrogate
  EXPECT_EQ(repairUtf8("\xf0\x80\x80"), "\ufffd\ufffd\ufffd"); // overlong
}

TEST(Tokenizer, RefusesDamagedFiles) {
  auto message = [](const char *path, const json &value) {
    json tokenizer = small();
    tokenizer[json::json_pointer(path)] = value;
    return messageOf([&] { ids(tokenizer, "a"); });
  };
  EXPECT_EQ(message("/model/merges", {"a b c"}),
            "tokenizer.json: a merge is not a pair of tokens");
  EXPECT_EQ(message("/model/merges", json::object()),
            "tokenizer.json: the merges are not a list");
  EXPECT_EQ(message("/model/vocab", 3),
            "tokenizer.json: the vocabulary is not a list or an object");
  EXPECT_EQ(message("/model/merges", {1}),
            "tokenizer.json: a merge is not a pair of tokens");
  EXPECT_EQ(message("/model/merges", {{"a", "b", "a"}}),
            "tokenizer.json: a merge is not a pair of tokens");
  EXPECT_EQ(message("/model/merges", {{{"a", "b"}}}),
            "tokenizer.json: a merge is not a pair of tokens");
  for (const json &entry : {json("a"), json::array(), json{"a"}, json{"a", "b"},
                            json{1, "a"}, json{"a", 1, 2}, json{{"a", 1}}})
    EXPECT_EQ(message("/model/vocab", json::array({entry})),
              "tokenizer.json: an entry of the vocabulary is not a token and a "
              "score");
  EXPECT_EQ(message("/normalizer", {{"type", "Other"}}).substr(0, 58),
            "tokenizer.json: the normalizer 'Other' is not supported (k");
  EXPECT_NE(message("/pre_tokenizer", {{"type", "Split"},
                                       {"pattern", {{"String", "a"}}},
                                       {"behavior", "Kept"}}),
            "no error");
  EXPECT_NE(
      message("/pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "ab"}}),
      "no error");
  EXPECT_NE(message("/normalizer", {{"type", 3}}), "no error");
  EXPECT_NE(message("/normalizer", 3), "no error");
  EXPECT_NE(message("/post_processor", {{"type", "TemplateProcessing"},
                                        {"single", {3}},
                                        {"pair", json::array()},
                                        {"special_tokens", json::object()}}),
            "no error");
  EXPECT_NE(message("/added_tokens", {{{"id", -1}, {"content", "x"}}}),
            "no error");
  // A decoder is needed only for decoding.
  json other = small();
  other["decoder"] = {{"type", "Other"}};
  CompiledTokenizer tokenizer(other.dump());
  EXPECT_NE(messageOf([&] { (void)tokenizer.decode(Ids{0}); }), "no error");
}

// Files of older versions do not name the kind of their model; the package
// tokenizers takes the first kind whose keys are all present.
TEST(Tokenizer, KindsByTheirKeys) {
  const json pieces = {{"a", 0}, {"##b", 1}, {"[UNK]", 2}, {"b", 3}};
  json wordPiece = {{"model",
                     {{"unk_token", "[UNK]"},
                      {"continuing_subword_prefix", "##"},
                      {"max_input_chars_per_word", 100},
                      {"vocab", pieces}}}};
  EXPECT_EQ(ids(wordPiece, "ab"), (Ids{0, 1}));
  json words = {{"model", {{"unk_token", "[UNK]"}, {"vocab", pieces}}}};
  EXPECT_EQ(ids(words, "ab"), (Ids{2}));
  json pairs = {
      {"model", {{"vocab", {{"a", 0}, {"b", 1}}}, {"merges", json::array()}}}};
  EXPECT_EQ(ids(pairs, "ab"), (Ids{0, 1}));
  json unigram = json::parse(
      R"({"model": {"unk_id": 0, "vocab": [["?", 0], ["a", -1], ["b", -1]]}})");
  EXPECT_EQ(ids(unigram, "ab"), (Ids{1, 2}));
  EXPECT_EQ(
      messageOf([&] { ids({{"model", {{"vocab", pieces}}}}, "ab"); }),
      "tokenizer.json: the model has no \"type\", and its keys are those of no "
      "kind that is known; save the tokenizer again with a newer version of "
      "`tokenizers`");
}

TEST(Tokenizer, WordLevel) {
  json words = {{"model",
                 {{"type", "WordLevel"},
                  {"unk_token", "?"},
                  {"vocab", {{"the", 0}, {"cat", 1}, {"?", 2}}}}},
                {"pre_tokenizer", {{"type", "Whitespace"}}}};
  EXPECT_EQ(ids(words, "the cat sat"), (Ids{0, 1, 2}));
  words["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(ids(words, "the cat"), (Ids{0, 1}));
  EXPECT_NE(messageOf([&] {
              ids(words, "the dog");
            }).find("the word 'dog' is not in the tokenizer's vocabulary"),
            std::string::npos);
}

// The package tokenizers assigns ids to added tokens itself.
TEST(Tokenizer, AddedTokensAreNumberedByTheVocabulary) {
  auto compiled = [](json added) {
    json file = {{"model",
                  {{"type", "WordLevel"},
                   {"unk_token", "?"},
                   {"vocab", {{"a", 0}, {"?", 1}, {"b", 2}}}}},
                 {"pre_tokenizer", {{"type", "Whitespace"}}},
                 {"added_tokens", std::move(added)}};
    std::vector<std::string> warnings;
    std::string tables = transfold::tokenizer::compileTokenizer(
        transfold::checkpoint::TokenizerJson{"t", file.dump()}, &warnings);
    std::string all;
    for (const auto &token :
         transfold::runtime::Tokenizer(tables).encode("a <x> <y> b").ids)
      all += fmt::format("{} ", token);
    return all + fmt::format("{}", fmt::join(warnings, "; "));
  };
  auto token = [](int id, const char *content) {
    return json{{"id", id}, {"content", content}, {"normalized", false}};
  };
  EXPECT_EQ(compiled({token(3, "<x>"), token(4, "<y>")}), "0 3 4 2 ");
  EXPECT_EQ(
      compiled({token(20, "<x>"), token(21, "<y>"), token(0, "b")}),
      "0 3 4 2 t: the added token \"<x>\" has the id 3 and not 20, as the "
      "file says: `tokenizers` numbers added tokens by the vocabulary, "
      "and so does the program, and 2 more of its added tokens");
}

TEST(CharacterMap, RefusesDamagedMaps) {
  auto message = [](std::string bytes) {
    return messageOf([&] {
      transfold::tokenizer::Storage storage;
      Characters text = characters("ab");
      transfold::tokenizer::readCharacterMap(bytes, storage).apply(text, 100);
    });
  };
  EXPECT_EQ(message(""), "no error");
  EXPECT_EQ(message("ab"), "the precompiled_charsmap ends early");
  EXPECT_EQ(message(std::string("\xff\xff\xff\xff", 4)),
            "the precompiled_charsmap ends early");
  EXPECT_EQ(message(std::string("\4\0\0\0\0\0\0\0\xff", 9)),
            "the precompiled_charsmap is not UTF-8");
  EXPECT_EQ(message(std::string("\4\0\0\0\xff\xff\xff\xff", 8)), "no error");
  // 'a' is in the table, and its replacement is out of bounds.
  std::string leaves("\0\4\0\0\0\0\0\0", 8);
  for (int i = 1; i < 256; ++i)
    leaves += std::string("\x61\1\0\x40", 4);
  EXPECT_EQ(message(leaves),
            "the tokenizer's precompiled_charsmap points outside of itself");
}

} // namespace
