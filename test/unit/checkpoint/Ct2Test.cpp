// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading directories of CTranslate2, and their possible errors.

#include "compiler/checkpoint/ctranslate2/Ct2File.h"
#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"

#include "test/unit/TemporaryDirectory.h"
#include "test/unit/checkpoint/Ct2Bytes.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold::checkpoint;
using namespace transfold::test;
using namespace std::string_literals;

namespace {

std::string floats(std::initializer_list<float> numbers) {
  std::string bytes;
  for (float number : numbers)
    bytes += bytesOf(number);
  return bytes;
}

Ct2Bytes small() {
  Ct2Bytes file;
  file.variables = {{"a", {2}, 0, floats({1.5f, -2.0f})}};
  return file;
}

Ct2File read(const Ct2Bytes &file) {
  TemporaryDirectory directory;
  return Ct2File::open(directory.write("model.bin", file.str()));
}

std::string messageFor(const std::string &bytes) {
  return messageAbout("model.bin", bytes,
                      [](const std::string &path) { Ct2File::open(path); });
}
std::string messageFor(const Ct2Bytes &file) { return messageFor(file.str()); }

/// The small file with one more variable.
std::string messageWith(const Ct2Variable &variable) {
  Ct2Bytes file = small();
  file.variables.push_back(variable);
  return messageFor(file);
}

bool says(const std::string &message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

TEST(Ct2, ReadsEveryTypeInEveryVersion) {
  for (uint32_t version : {2u, 3u, 4u, 5u, 6u}) {
    Ct2Bytes file = small();
    file.version = version;
    file.variables.push_back({"flag", {}, 1, "\xff"});
    file.variables.push_back({"heads", {}, 2, bytesOf(int16_t{-300})});
    if (version >= 4) { // older versions derive the type from the size
      file.variables.push_back({"window", {}, 3, bytesOf(int32_t{1} << 20)});
      file.variables.push_back({"half", {1, 2}, 4, "\x3e\0\0\xbc"s});
      file.variables.push_back({"brain", {1}, 5, "\xc0\xbf"});
    }
    Ct2File result = read(file);
    EXPECT_EQ(result.version, version);
    EXPECT_EQ(result.spec, "TransformerSpec");
    EXPECT_EQ(result.tensors.at("a").element(1), -2);
    EXPECT_EQ(result.tensors.at("flag").element(0), -1);
    EXPECT_EQ(result.tensors.at("heads").element(0), -300);
    EXPECT_TRUE(result.tensors.at("heads").shape.empty());
    if (version < 4)
      continue;
    EXPECT_EQ(result.tensors.at("window").element(0), 1 << 20);
    EXPECT_EQ(result.tensors.at("half").element(1), -1);
    EXPECT_EQ(result.tensors.at("brain").element(0), -1.5);
  }
}

TEST(Ct2, DividesIntegersByTheirScales) {
  Ct2Bytes file;
  file.variables = {{"w", {2, 64}, 1, std::string(128, '\x7f')},
                    {"w_scale", {2}, 0, floats({127, 0.5f})},
                    {"narrow", {2, 3}, 1, "\1\2\3\4\5\xff"},
                    {"narrow_scale", {2}, 0, floats({2, 4})},
                    {"one", {2, 1}, 2, "\3\0\xfd\xff"s},
                    {"one_scale", {}, 0, floats({3})},
                    {"old/weight", {1}, 2, bytesOf(int16_t{500})},
                    {"integers", {2}, 2, "\1\0\2\0"s},
                    {"zeros", {1, 2}, 1, "\0\0"s},
                    {"zeros_scale", {1}, 0, floats({INFINITY})}};
  file.aliases = {{"other", "w"}};
  Ct2File result = read(file);
  for (const char *name : {"w", "other"}) {
    const StoredTensor &w = result.tensors.at(name);
    EXPECT_EQ(w.format().name, "int8_row");
    EXPECT_EQ(w.element(63), 1);
    EXPECT_EQ(w.element(64), 254);
    double across[3];
    w.read(62, 1, across);
    EXPECT_EQ(across[1], 1);
    EXPECT_EQ(across[2], 254);
  }
  // Rows of fewer than 64 elements are not stored in blocks of 64.
  EXPECT_EQ(result.tensors.at("narrow").format().name, "int8_scaled");
  EXPECT_EQ(result.tensors.at("narrow").element(2), 1.5);
  EXPECT_EQ(result.tensors.at("narrow").element(5), -0.25);
  EXPECT_EQ(result.tensors.at("one").format().name, "int16_scaled");
  EXPECT_EQ(result.tensors.at("one").element(1), -1);
  EXPECT_EQ(result.tensors.at("old/weight").element(0), 0.5);
  EXPECT_FALSE(result.tensors.at("integers").format().isReal);
  EXPECT_EQ(result.tensors.at("zeros").element(1), 0);
  EXPECT_FALSE(result.tensors.contains("w_scale"));
}

TEST(Ct2, RefusesScalesThatAreNone) {
  auto message = [](const Ct2Variable &scale) {
    Ct2Bytes file = small();
    file.variables.push_back({"w", {2, 2}, 1, "\1\2\3\4"});
    file.variables.push_back(scale);
    return messageFor(file);
  };
  EXPECT_EQ(message({"w_scale", {2}, 0, floats({1, 0})}),
            "scale 1 of 'w_scale' is zero or NaN; the file is damaged: "
            "fetch it or convert the model again");
  EXPECT_TRUE(says(message({"w_scale", {2}, 0, floats({NAN, 1})}),
                   "scale 0 of 'w_scale' is zero or NaN"));
  EXPECT_TRUE(says(message({"w_scale", {2}, 0, floats({1e-45f, 1})}),
                   "scale 0 of 'w_scale' is zero or NaN"));
  EXPECT_EQ(message({"w_scale", {3}, 0, floats({1, 1, 1})}),
            "'w_scale' is [3] in f32; expected one float32 for each of the 2 "
            "rows of 'w', or one for all: convert the model again");
  EXPECT_TRUE(says(message({"w_scale", {2}, 4, "\0\x3c\0\x3c"s}),
                   "'w_scale' is [2] in f16"));
}

TEST(Ct2, RefusesFilesThatAreCutShort) {
  Ct2Bytes file = small();
  file.aliases = {{"b", "a"}};
  std::string whole = file.str();
  EXPECT_EQ(messageFor(whole), "(no path) no error");
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string message = messageFor(whole.substr(0, size));
    EXPECT_TRUE(says(message, "cut short") || says(message, "more than fit"))
        << size << " bytes: " << message;
  }
}

TEST(Ct2, RefusesOtherFiles) {
  EXPECT_TRUE(says(messageFor("PK\3\4 an archive"),
                   "is not a model of CTranslate2; give the directory"));
  for (uint32_t version : {1u, 7u}) {
    Ct2Bytes file = small();
    file.version = version;
    EXPECT_TRUE(says(messageFor(file), "versions 2 to 6 are supported"));
  }
  Ct2Bytes file = small();
  file.moreVariables = UINT32_MAX - 1;
  EXPECT_TRUE(says(messageFor(file), "claims 4294967295 variables, more than"));
  file = small();
  file.moreAliases = 5;
  EXPECT_TRUE(says(messageFor(file), "claims 5 aliases, more than fit into"));
}

TEST(Ct2, RefusesBrokenNames) {
  Ct2Bytes file = small();
  file.spec = bytesOf(uint16_t{0});
  EXPECT_TRUE(says(messageFor(file), "byte 4: the name of the specification "
                                     "does not end with a zero"));
  file.spec = bytesOf(uint16_t{2}) + "ab";
  EXPECT_TRUE(says(messageFor(file), "does not end with a zero"));
  EXPECT_TRUE(says(messageWith({"b\0c"s, {1}, 1, "x"}), "and there alone"));
  EXPECT_TRUE(says(messageWith({"\xff", {1}, 1, "x"}), "is not UTF-8"));
  EXPECT_TRUE(says(messageWith({"", {1}, 1, "x"}), "is empty"));
  EXPECT_EQ(messageWith({"a", {1}, 1, "x"}),
            "the variable 'a' occurs twice; convert the model again");
}

TEST(Ct2, RefusesBrokenVariables) {
  EXPECT_EQ(messageWith({"b", std::vector<uint32_t>(9, 1), 1, "x"}),
            "the variable 'b' claims 9 axes; at most 8 are read");
  EXPECT_EQ(
      messageWith({"b", {2, 0}, 1, ""}),
      "the variable 'b' has an axis of length 0; convert the model again");
  EXPECT_TRUE(says(messageWith({"b", {1u << 31, 1u << 31, 4}, 1, "x"}),
                   "has more elements than 64 bits can count"));
  EXPECT_TRUE(says(messageWith({"b", {2}, 1, "x"}),
                   "the variable 'b' of [2] in i8 has 1 bytes, which do not "
                   "match"));
  EXPECT_TRUE(says(messageWith({"b", {1}, 0, "abcde"}), "has 5 bytes"));
  EXPECT_TRUE(says(messageWith({"b", {1}, 6, "x"}),
                   "has elements of the unknown type 6"));
  Ct2Bytes file = small();
  file.version = 3;
  file.variables.push_back({"b", {1}, 8, "12345678"});
  EXPECT_EQ(
      messageFor(file),
      "the variable 'b' has elements of 8 bytes; 1, 2 and 4 are supported");
}

TEST(Ct2, FollowsAliases) {
  Ct2Bytes file = small();
  file.aliases = {{"x", "y"}, {"y", "z"}, {"z", "a"}};
  EXPECT_EQ(read(file).tensors.at("x").element(0), 1.5);
  file.aliases.back().second = "x";
  EXPECT_EQ(messageFor(file), "the alias 'x' leads back to itself; convert the "
                              "model again");
  file.aliases.back().second = "nobody";
  EXPECT_EQ(messageFor(file), "the alias 'x' leads to 'nobody', which is not a "
                              "variable of the file; convert the model again");
  file.aliases = {{"a", "a"}};
  EXPECT_EQ(messageFor(file),
            "the name 'a' occurs twice; convert the model again");
  file.aliases = {{"x", "a"}, {"x", "a"}};
  EXPECT_EQ(messageFor(file),
            "the name 'x' occurs twice; convert the model again");
}

/// A chain of aliases to a variable, or a circle of them. Their names have the
/// order of the chain, so that the first one to be resolved leads through all.
Ct2Bytes chainOf(int length, bool isCircle) {
  Ct2Bytes file = small();
  auto name = [](int k) { return "c" + std::to_string(1000000 + k); };
  for (int k = 0; k < length; ++k)
    file.aliases.emplace_back(name(k), k + 1 < length ? name(k + 1)
                                       : isCircle     ? name(0)
                                                      : "a");
  return file;
}

TEST(Ct2, FollowsChainsOfAliases) {
  EXPECT_EQ(read(chainOf(1000, false)).tensors.at("c1000500").element(0), 1.5);
  EXPECT_EQ(messageFor(chainOf(1000, true)),
            "the alias 'c1000000' leads back to itself; convert the model "
            "again");
}

TEST(Ct2, ReadsVocabularies) {
  using Tokens = std::vector<std::string>;
  EXPECT_EQ(linesOfVocabulary("a\n\nc\r\n", "v"), (Tokens{"a", "", "c\r"}));
  EXPECT_EQ(linesOfVocabulary("a\r\nb\r\n", "v"), (Tokens{"a", "b"}));
  EXPECT_EQ(linesOfVocabulary("a\nb", "v"), (Tokens{"a", "b"}));
  EXPECT_EQ(messageOf([] { linesOfVocabulary("a\n\xff\n", "v.txt"); }),
            "v.txt:2: is not UTF-8; fetch the file again, or convert the model "
            "again");
  TemporaryDirectory directory;
  EXPECT_EQ(readCt2Vocabulary(Directory(directory.path())), Tokens{});
  directory.write("source_vocabulary.json", R"(["s"])");
  directory.write("target_vocabulary.txt", "t\n");
  EXPECT_EQ(readCt2Vocabulary(Directory(directory.path())), Tokens{"t"});
  directory.write("shared_vocabulary.json", R"(["x", "π"])");
  EXPECT_EQ(readCt2Vocabulary(Directory(directory.path())), (Tokens{"x", "π"}));
  for (auto [content, what] :
       {std::pair(R"({"x": 0})", "is not a list of tokens"),
        std::pair(R"(["x", 1])", "token 1 is not a string")}) {
    directory.write("shared_vocabulary.json", content);
    EXPECT_TRUE(
        says(messageOf([&] { readCt2Vocabulary(Directory(directory.path())); }),
             what));
  }
}

} // namespace
