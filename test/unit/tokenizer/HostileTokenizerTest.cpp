// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small files with excessive costs: steps that double a text, very long tokens
// and prefixes, duplicate tables. Each is refused immediately with one message.
// test/fuzz searches for more.

#include "runtime/tokenizer/Tokenizer.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/tokenizer/CompiledTokenizer.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

using namespace transfold::runtime;
using nlohmann::json;
using transfold::test::CompiledTokenizer;
using transfold::test::messageOf;

namespace {

/// Byte pairs over two letters, with `changes` of some settings; returns the
/// error of encoding and decoding `text`.
std::string
refusal(std::initializer_list<std::pair<const char *, json>> changes,
        const std::string &text) {
  json file = {{"model",
                {{"type", "BPE"},
                 {"vocab", {{"a", 0}, {"b", 1}, {"<0x61>", 2}}},
                 {"merges", json::array()}}}};
  for (const auto &[place, value] : changes)
    file[json::json_pointer(place)] = value;
  std::string message = messageOf([&] {
    CompiledTokenizer tokenizer(file.dump());
    (void)tokenizer.decode(tokenizer.encode(text).ids);
  });
  std::string prefix = "tokenizer.json: ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

json sequence(const char *list, const json &step, size_t count) {
  return {{"type", "Sequence"}, {list, std::vector<json>(count, step)}};
}

json replacing(const std::string &what, const std::string &with) {
  return {
      {"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", with}};
}

std::string times(size_t count, char letter) {
  return std::string(count, letter);
}

TEST(HostileTokenizer, TextsThatGrow) {
  std::string growing = " makes this text more than 64 times as long";
  EXPECT_EQ(refusal({{"/normalizer",
                      sequence("normalizers", replacing("a", "aa"), 40)}},
                    "a"),
            "the tokenizer's normalizer" + growing);
  EXPECT_EQ(refusal({{"/normalizer", replacing("a", times(100000, 'b'))}},
                    times(1000, 'a')),
            "the tokenizer's normalizer" + growing);
  EXPECT_EQ(refusal({{"/normalizer",
                      {{"type", "Prepend"}, {"prepend", times(100000, 'b')}}}},
                    "a"),
            "the tokenizer's normalizer" + growing);
  json bytes = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  EXPECT_EQ(refusal({{"/pre_tokenizer", sequence("pretokenizers", bytes, 40)}},
                    "\u00e9"),
            "the tokenizer's pre-tokenizer" + growing);
  EXPECT_EQ(
      refusal({{"/decoder", sequence("decoders", replacing("a", "aa"), 40)}},
              "a"),
      "the tokenizer's decoder" + growing);
  EXPECT_EQ(refusal({{"/decoder", replacing("a", times(100000, 'b'))}}, "aaaa"),
            "the tokenizer's decoder" + growing);
  // The longest decomposition that exists: 18 characters of two bytes each.
  json compatible = {{"type", "NFKC"}};
  EXPECT_EQ(refusal({{"/normalizer", compatible}, {"/pre_tokenizer", bytes}},
                    "\ufdfa"),
            "no error");
}

// Values of two bytes each in the file, and fifty times that in memory.
TEST(HostileTokenizer, TooManyValues) {
  std::string many = R"({"x": [)";
  for (size_t i = 0; i < (size_t{2} << 20); ++i)
    many += "0,";
  EXPECT_EQ(messageOf([&] { CompiledTokenizer tokenizer(many + "0]}"); }),
            "tokenizer.json: has more than 2097152 values beside the "
            "vocabulary");
}

TEST(HostileTokenizer, TooMuchOfOneThing) {
  EXPECT_EQ(
      refusal({{"/normalizer", sequence("normalizers", {{"type", "NFC"}}, 65)}},
              "a"),
      "'normalizers' lists more than 64 steps");
  EXPECT_EQ(
      refusal(
          {{"/post_processor",
            {{"type", "TemplateProcessing"},
             {"single",
              std::vector<json>(
                  40, {{"SpecialToken", {{"id", "x"}, {"type_id", 0}}}})},
             {"pair", json::array()},
             {"special_tokens", {{"x", {{"ids", std::vector<int>(30, 1)}}}}}}}},
          "a"),
      "a template puts more than 1024 tokens around a text");
  EXPECT_EQ(refusal({{"/pre_tokenizer",
                      {{"type", "Split"},
                       {"pattern", {{"Regex", "a*+*+*+*+" + times(99, '*')}}},
                       {"behavior", "Isolated"}}}},
                    "a")
                .substr(0, 24),
            "the regular expression '");
  EXPECT_EQ(
      refusal({{"/model/continuing_subword_prefix", times(65, '#')}}, "a"),
      "'continuing_subword_prefix' has 65 bytes; more than 64 are not "
      "supported");
  EXPECT_EQ(
      refusal({{"/model/end_of_word_suffix", times(65, '#')}}, "a"),
      "'end_of_word_suffix' has 65 bytes; more than 64 are not supported");
  EXPECT_EQ(refusal({{"/model",
                      {{"type", "WordPiece"},
                       {"vocab", {{"[UNK]", 0}, {times(1025, 'a'), 1}}}}}},
                    "a"),
            "a token of the vocabulary has 1025 bytes; more than 1024 are not "
            "supported");
  EXPECT_EQ(refusal({{"/model",
                      {{"type", "Unigram"},
                       {"vocab",
                        json::array({json::array({times(1025, 'a'), -1})})}}}},
                    "a"),
            "a token of the vocabulary has 1025 bytes; more than 1024 are not "
            "supported");
  EXPECT_EQ(
      refusal({{"/added_tokens",
                json::array({{{"id", 1}, {"content", times(1025, 'x')}}})}},
              "a"),
      "an added token has 1025 characters; more than 1024 are not "
      "supported");
}

TEST(HostileTokenizer, NumbersThatAreNone) {
  std::string noId = "an id is not a whole number from 0 to 2147483647";
  for (json id : {json(1e300), json(-1), json(2147483648), json("1")})
    EXPECT_EQ(refusal({{"/added_tokens",
                        json::array({{{"id", id}, {"content", "x"}}})}},
                      "a"),
              noId);
  EXPECT_EQ(refusal({{"/decoder",
                      {{"type", "Strip"},
                       {"content", "a"},
                       {"start", 1e300},
                       {"stop", 0}}}},
                    "a"),
            "'start' is not a whole number");
  EXPECT_EQ(refusal({{"/model",
                      {{"type", "WordPiece"},
                       {"max_input_chars_per_word", -1},
                       {"vocab", {{"[UNK]", 0}}}}}},
                    "a"),
            "'max_input_chars_per_word' is not a whole number");
}

// With duplicate tables, scores would be looked up for ids of the other table.
TEST(HostileTokenizer, TablesTwice) {
  auto message = [](const char *model) {
    return messageOf([&] {
      CompiledTokenizer(
          std::string(R"({"model": {"type": "Unigram", "unk_id": 0, )") +
          model + "}}")
          .encode("bab");
    });
  };
  EXPECT_EQ(message(R"("vocab": {"b": 99999999}, "vocab": [["a", -1.5]])"),
            "tokenizer.json: the key \"vocab\" occurs twice");
  EXPECT_EQ(message(R"("vocab": [["a", -1.5]], "merges": [], "merges": [])"),
            "tokenizer.json: the key \"merges\" occurs twice");
}

} // namespace
